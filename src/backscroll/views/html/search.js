"use strict";
(() => {
  const most = 200;
  const tools = document.querySelector(".tools");
  const [box, status] = [tools.querySelector("input"), tools.querySelector("output")];
  const list = document.getElementById("found");
  const pages = JSON.parse(document.getElementById("pages").textContent);
  const lines = document.getElementById("words").textContent.split("\n").filter(Boolean);
  const unspaced = "\\u0e00-\\u0eff\\u3040-\\u30ff\\u3400-\\u9fff\\uac00-\\ud7af";
  const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, "gu");
  tools.hidden = false;

  const wordsOf = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]+/g, "").toLowerCase().match(word) || [];

  // The lines are sorted, so words with one beginning stand together.
  const firstLine = (start) => {
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lines[middle] < start) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const pagesWith = (start) => {
    const found = new Set();
    for (let place = firstLine(start); place < lines.length && lines[place].startsWith(start); place += 1) {
      let number = -1;
      for (const gap of lines[place].split(" ").slice(1)) found.add((number += parseInt(gap, 36)));
    }
    return found;
  };

  const item = (number, query) => {
    const [name, title, project, facts] = pages[number];
    const [entry, link, small] = ["li", "a", "small"].map((tag) => document.createElement(tag));
    link.href = `sessions/${name}#find=${encodeURIComponent(query)}`;
    link.textContent = title;
    small.textContent = ` ${project} ${facts}`;
    entry.append(link, small);
    return entry;
  };

  const search = () => {
    const words = wordsOf(box.value);
    const sets = words.map(pagesWith).sort((one, other) => one.size - other.size);
    const found = sets.length ? [...sets[0]].filter((page) => sets.every((set) => set.has(page))) : [];
    found.sort((one, other) => one - other);
    list.replaceChildren(...found.slice(0, most).map((number) => item(number, box.value)));
    status.textContent = words.length ? `${found.length} pages` : "";
  };

  box.addEventListener("input", search);
  if (location.hash.startsWith("#q=")) {
    box.value = decodeURIComponent(location.hash.slice(3));
    search();
  }
})();
