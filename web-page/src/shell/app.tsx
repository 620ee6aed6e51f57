// The frame of every page, and the choice of the page by its address.
import type { ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Loading, State } from "../parts/state";
import { Files } from "../pages/files/page";
import { Reader } from "../pages/reader/page";
import { Search } from "../pages/search/page";
import { Sessions } from "../pages/sessions/page";
import { Table } from "../pages/tables/page";
import { TABLES } from "../pages/tables/tables";
import { clock } from "../format";
import { Bar } from "./bar";
import { useLost } from "./connection";
import { KeysDialog } from "./keys_dialog";
import { type Route, useRoute } from "./route";
import { Status } from "./status";
import { useKeys } from "./keys";

type PageProps = { route: Route };

/** A page that is loaded when it is first opened, because charts need more script. */
function Usage(props: PageProps) {
  const [Page, setPage] = useState<ComponentType<PageProps> | null>(null);
  useEffect(() => void import("../pages/usage/page").then((found) => setPage(() => found.UsagePage)), []);
  return Page ? <Page {...props} /> : <Loading />;
}

function NoPage({ route }: PageProps) {
  return (
    <div class="view narrow">
      <State title="There is no such page" steps={<a class="btn main" href="/">All sessions</a>}>
        <p class="mono">{route.path}</p>
      </State>
    </div>
  );
}

function pageOf(route: Route): ComponentType<PageProps> {
  const [, first = "", id, tab] = route.path.split("/");
  if (first === "") return Sessions;
  if (first === "search") return Search;
  if (first === "files") return Files;
  if (first === "usage") return Usage;
  if (first === "sessions" && id && tab === undefined) return Reader;
  if (first === "sessions" && id && (tab === "tree" || tab === "calls" || tab === "files" || tab === "usage")) return Table;
  return TABLES[first] && (id === undefined || first === "cowork") ? Table : NoPage;
}

function Lost() {
  const since = useLost();
  if (!since) return null;
  return (
    <div class="strip" role="status">
      <span>The server has stopped. This page shows the state of {clock(since)}.</span>
      <button class="link end" type="button" onClick={() => location.reload()}>Try again</button>
    </div>
  );
}

export function App() {
  const route = useRoute();
  const main = useRef<HTMLElement>(null);
  const [areKeysShown, setKeysShown] = useState(false);
  const Page = pageOf(route);
  useKeys({ "?": () => setKeysShown(true) });
  useEffect(() => {
    if (route.path === "/") document.title = "backscroll";
  }, [route.path]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>Skip to the content</a>
      <Bar route={route} onKeys={() => setKeysShown(true)} />
      <Lost />
      <main id="main" tabIndex={-1} ref={main}>
        <Page key={route.path} route={route} />
      </main>
      <Status />
      {areKeysShown && <KeysDialog onClose={() => setKeysShown(false)} />}
    </>
  );
}
