// Empty, failed and loading: each says what is, why, and the next step.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../api";
import { Command } from "./copy";

interface Stated {
  title: string;
  children?: ComponentChildren;
  steps?: ComponentChildren;
}

export function State({ title, children, steps }: Stated) {
  return (
    <section class="state">
      <h2>{title}</h2>
      {children}
      {steps && <div class="go">{steps}</div>}
    </section>
  );
}

const commandIn = (text: string | null): string | null => /`([^`]+)`/.exec(text ?? "")?.[1] ?? null;

/** Say why a document did not come; `isElsewhere` if the page without its parameters may still be there. */
export function Failed({ error, isElsewhere = false }: { error: Failure; isElsewhere?: boolean }) {
  const command = commandIn(error.remedy);
  const isSignedOut = error.status === 401;
  const title = isSignedOut ? "This browser is not signed in" : error.what.charAt(0).toUpperCase() + error.what.slice(1);
  return (
    <State
      title={title}
      steps={
        <>
          {isElsewhere ? <a class="btn main" href={location.pathname}>Open the session</a> : command && <Command text={command} />}
          {!isSignedOut && <a class="btn" href="/">All sessions</a>}
        </>
      }
    >
      {isSignedOut && <p>Each link signs in one browser. Ask for a new one in the terminal.</p>}
      {error.where && <p class="mono">{error.where}</p>}
      {error.remedy && !isSignedOut && !isElsewhere && <p>{error.remedy.replaceAll("`", "")}</p>}
    </State>
  );
}

/** Show nothing for 150 ms, then grey lines. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="skel" aria-busy="true">
      <span class="vh">Loading</span>
      {isSlow && Array.from({ length: rows }, (_, n) => <i key={n} />)}
    </div>
  );
}
