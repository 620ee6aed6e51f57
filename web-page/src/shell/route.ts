// The address of the page holds its whole state; links change it without a new load.
import { useEffect, useState } from "preact/hooks";

export type Params = Record<string, string | null | undefined>;

export interface Route {
  path: string;
  params: URLSearchParams;
}

const CHANGED = "backscroll-route";

const current = (): Route => ({ path: location.pathname, params: new URLSearchParams(location.search) });

/** Return an address with parameters; those without a value are left out. */
export function href(path: string, params: Params = {}): string {
  const kept = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) if (value) kept.set(name, value);
  const query = kept.toString();
  return query ? `${path}?${query}` : path;
}

export const sessionHref = (id: string, params: Params = {}): string => href(`/sessions/${encodeURIComponent(id)}`, params);

export function go(to: string, isReplacing = false): void {
  if (isReplacing) history.replaceState(history.state, "", to);
  else history.pushState(null, "", to);
  dispatchEvent(new Event(CHANGED));
}

/** Change some parameters of the present address. */
export function change(params: Params, isReplacing = true): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(params)) {
    if (value) next.set(name, value);
    else next.delete(name);
  }
  const query = next.toString();
  go(query ? `${location.pathname}?${query}` : location.pathname, isReplacing);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const listener = (): void => setRoute(current());
    addEventListener(CHANGED, listener);
    addEventListener("popstate", listener);
    return () => {
      removeEventListener(CHANGED, listener);
      removeEventListener("popstate", listener);
    };
  }, []);
  return route;
}

/** Follow a click on one of our own links without a new load; downloads and documents stay with the browser. */
export function followLinks(): void {
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    event.preventDefault();
    const isSamePage = link.pathname === location.pathname;
    go(link.pathname + link.search, link.hasAttribute("data-replace"));
    if (!isSamePage) scrollTo(0, 0);
  });
}
