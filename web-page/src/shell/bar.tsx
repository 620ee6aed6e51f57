// The bar: pages, the one search box, colours and keys.
import { useEffect, useRef, useState } from "preact/hooks";
import { Icon, Mark } from "../parts/icon";
import { TABLES } from "../pages/tables/tables";
import { useKeys } from "./keys";
import { change, go, href, type Route } from "./route";
import { say } from "./status";
import { nextTheme } from "./theme";

const PAGES = [
  ["/", "Sessions"],
  ["/files", "Files"],
  ["/usage", "Usage"],
] as const;

const isAt = (path: string, route: Route): boolean =>
  path === "/" ? route.path === "/" || route.path.startsWith("/sessions") : route.path === path;

function SearchBox({ route }: { route: Route }) {
  const box = useRef<HTMLInputElement>(null);
  const isSearching = route.path === "/search";
  const query = isSearching ? (route.params.get("query") ?? "") : "";
  const [typed, setTyped] = useState(query);
  useEffect(() => setTyped(query), [query]);
  useKeys({
    "/": () => box.current?.select(),
    "Ctrl-k": () => box.current?.select(),
  });
  const onInput = (text: string): void => {
    setTyped(text);
    if (!isSearching) go(href("/search", { query: text }));
    else if (text) change({ query: text });
    else go("/", true);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.preventDefault();
      if (isSearching) go("/", true);
      box.current?.blur();
      document.getElementById("main")?.focus();
    }
    if (event.key === "ArrowDown" || event.key === "Enter") {
      const first = document.querySelector<HTMLElement>("main a[data-session]");
      if (!first) return;
      event.preventDefault();
      if (event.key === "Enter") first.click();
      else first.focus();
    }
  };
  return (
    <div class="box search" role="search">
      <Icon name="find" />
      <input ref={box} type="search" role="searchbox" aria-label="Search everything" placeholder="Search everything" autocomplete="off" spellcheck={false} value={typed} onInput={(event) => onInput(event.currentTarget.value)} onKeyDown={onKeyDown} />
      <kbd aria-hidden="true">{isSearching ? "esc" : "/"}</kbd>
    </div>
  );
}

function More({ route }: { route: Route }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => setOpen(false), [route.path]);
  useEffect(() => {
    const onOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", onOutside);
    return () => removeEventListener("pointerdown", onOutside);
  }, []);
  const here = TABLES[route.path.split("/")[1] ?? ""];
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div class="menu" ref={box} onKeyDown={onKeyDown}>
      <button type="button" ref={opener} class="more-pages" aria-expanded={isOpen} aria-current={here ? "page" : undefined} onClick={() => setOpen(!isOpen)}>
        {here?.title ?? "More"} <Icon name="down" small />
      </button>
      {isOpen && (
        <div class="pop">
          {Object.entries(TABLES).filter(([, one]) => !one.isHidden).map(([name, one]) => (
            <a key={name} href={`/${name}`}>{one.title}</a>
          ))}
        </div>
      )}
    </div>
  );
}

export function Bar({ route, onKeys }: { route: Route; onKeys: () => void }) {
  return (
    <header class="bar">
      <a class="brand" href="/" aria-label="backscroll, all sessions"><Mark /><span>backscroll</span></a>
      <nav class="nav" aria-label="Pages">
        {PAGES.map(([path, name]) => (
          <a key={path} href={path} aria-current={isAt(path, route) ? "page" : undefined}>{name}</a>
        ))}
        <More route={route} />
      </nav>
      <SearchBox route={route} />
      <span class="fill" />
      <div class="tools">
        <button class="ib" type="button" aria-label="Colours: system, light or dark" onClick={() => say(`Colours: ${nextTheme()}.`)}><Icon name="theme" /></button>
        <button class="ib keys" type="button" aria-label="Keys" onClick={onKeys}><Icon name="keys" /></button>
      </div>
    </header>
  );
}
