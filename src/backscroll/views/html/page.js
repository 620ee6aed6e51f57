"use strict";
(() => {
  const tools = document.querySelector(".tools");
  if (!tools) return;
  const [find, all, status] = [tools.querySelector("input"), tools.querySelector("button"), tools.querySelector("output")];
  const articles = [...document.querySelectorAll("main article")];
  tools.hidden = false;

  const unfold = (item) => {
    for (let box = item.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  };

  // What scrolls sideways can be reached and scrolled with the keyboard.
  const reach = (box) => {
    for (const item of box.querySelectorAll("pre, table")) if (item.scrollWidth > item.clientWidth) item.tabIndex = 0;
  };

  // Marks matches without a change of the page, where the browser can.
  const mark = (items, words) => {
    if (!CSS.highlights) return;
    const ranges = [];
    for (const item of words.length ? items : []) {
      const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < 2000) {
        const text = walker.currentNode.data.toLowerCase();
        for (const word of words) {
          for (let place = text.indexOf(word); place >= 0; place = text.indexOf(word, place + word.length)) {
            if (place + word.length > walker.currentNode.length) break;
            const range = new Range();
            range.setStart(walker.currentNode, place);
            range.setEnd(walker.currentNode, place + word.length);
            ranges.push(range);
            unfold(walker.currentNode.parentElement);
          }
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  const search = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const texts = articles.map((item) => item.textContent.toLowerCase());
    let found = articles.filter((_, place) => words.every((word) => texts[place].includes(word)));
    if (!found.length) found = articles.filter((_, place) => words.some((word) => texts[place].includes(word)));
    const kept = new Set(found);
    for (const item of articles) item.classList.toggle("unmatched", !kept.has(item));
    if (words.length) found.forEach(unfold);
    mark(found, words);
    status.textContent = words.length ? `${found.length} message${found.length === 1 ? "" : "s"}` : "";
  };

  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-pressed") !== "true";
    for (const item of document.querySelectorAll("main details")) item.open = open;
    all.setAttribute("aria-pressed", open);
    all.textContent = open ? "Fold all" : "Expand all";
  });
  find.addEventListener("input", search);
  addEventListener("toggle", (event) => reach(event.target), true);
  reach(document);
  addEventListener("keydown", (event) => {
    if (event.target === find && event.key === "Escape") {
      find.value = "";
      search();
    } else if (event.key === "/" && event.target !== find) {
      event.preventDefault();
      find.focus();
    }
  });
  // A link to a message inside a folded box opens the box.
  const show = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    unfold(target);
    target.scrollIntoView();
  };
  addEventListener("hashchange", show);
  show();
  if (location.hash.startsWith("#find=")) {
    find.value = decodeURIComponent(location.hash.slice(6));
    search();
  }
})();
