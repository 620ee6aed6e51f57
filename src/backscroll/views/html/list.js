"use strict";
(() => {
  const tools = document.querySelector(".tools");
  const [filter, status] = [tools.querySelector("input"), tools.querySelector("output")];
  const sections = [...document.querySelectorAll("main section")];
  tools.hidden = false;
  filter.addEventListener("input", () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const section of sections) {
      const project = section.querySelector("h2").textContent.toLowerCase();
      let shown = 0;
      for (const item of section.querySelectorAll("li")) {
        const text = `${project} ${item.textContent.toLowerCase()}`;
        const fits = wanted.every((word) => text.includes(word));
        item.classList.toggle("unmatched", !fits);
        shown += fits;
      }
      section.classList.toggle("unmatched", !shown);
      found += shown;
    }
    status.textContent = wanted.length ? `${found} session${found === 1 ? "" : "s"}` : "";
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target === filter) return;
    event.preventDefault();
    filter.focus();
  });
})();
