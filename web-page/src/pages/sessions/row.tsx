// One session as a row: the whole row is one link.
import { useLayoutEffect, useRef } from "preact/hooks";
import { bytes, count, dollars, expiry, grouped, modelName } from "../../format";
import { Icon } from "../../parts/icon";
import { sessionHref } from "../../shell/route";
import type { Session } from "../../types";
import type { Activity } from "./activity";
import { projectName, worktreeOf } from "./filter";
import { lastTime } from "./order";

const DOTS = { work: "working", wait: "waiting for you", cutoff: "ended inside a call" };
const STORES: Record<string, string> = { cowork: "Cowork", desktop: "Desktop", browser: "Browser", archive: "Archive" };

function Tag({ icon, text, label, isBad }: { icon?: string; text: string; label?: string; isBad?: boolean }) {
  return (
    <span class={isBad ? "tag bad" : "tag"} title={label}>
      {icon && <Icon name={icon} />}
      {text}
      {label && <span class="vh"> {label}</span>}
    </span>
  );
}

function Tags({ session }: { session: Session }) {
  const store = session.stores.includes("code") ? undefined : session.stores.map((one) => STORES[one]).find(Boolean);
  return (
    <>
      {session.branches > 1 && <Tag icon="fork" text={String(session.branches)} label="branches" />}
      {session.agents > 0 && <Tag icon="agent" text={String(session.agents)} label="agents" />}
      {store && <Tag text={store} />}
      {session.state !== "live" && <Tag text={session.state} />}
      {session.marks?.pinned && <Tag icon="pin" text="" label="pinned in Desktop" />}
      {session.damage > 0 && <Tag icon="alert" text={count(session.damage, "damaged place")} isBad />}
    </>
  );
}

interface RowOfSession {
  session: Session;
  activity: Activity | null;
  isCurrent: boolean;
  isTabStop: boolean;
  isBelowDay: boolean;
  isIndented: boolean;
  /** True while a key has chosen the current row, and the row has not taken the focus yet. */
  isMoving: { current: boolean };
  onFocus: () => void;
}

export function SessionRow({ session, activity, isCurrent, isTabStop, isBelowDay, isIndented, isMoving, onFocus }: RowOfSession) {
  const link = useRef<HTMLAnchorElement>(null);
  // Before the next key can arrive: a focus that came later would take the list back to an older row.
  useLayoutEffect(() => {
    if (isCurrent && isMoving.current) link.current?.focus({ preventScroll: true });
  }, [isCurrent]);
  const left = expiry(session.expires);
  const worktree = worktreeOf(session);
  const last = activity?.text ?? lastTime(session, isBelowDay);
  const tone = activity?.text ? (activity.state === "work" ? "acc" : activity.state === "wait" ? "warn" : "bad") : "q";
  return (
    <a ref={link} class={`row${isCurrent ? " on" : ""}${isIndented && worktree ? " step" : ""}`} href={sessionHref(session.id)} data-session={session.id} tabIndex={isTabStop ? 0 : -1} onFocus={onFocus}>
      {activity ? <span class={`dot ${activity.state}`}><span class="vh">{DOTS[activity.state]}</span></span> : <span />}
      <span class="ttl"><b class={session.title ? "cut" : "cut none"}>{session.title ?? "(no prompt yet)"}</b><Tags session={session} /></span>
      <span class="proj"><span class="cut">{projectName(session.project)}</span><span class="b cut">{worktree ?? session.branch ?? ""}</span></span>
      <span class="s cut">{modelName(session.model)}</span>
      <span class="num s hide">{session.messages ? grouped(session.messages) : ""}</span>
      <span class="num s hide">{session.bytes ? bytes(session.bytes) : ""}</span>
      <span class="num">{session.usage.messages ? dollars(session.usage.cost) : ""}</span>
      <span class="num warn">{left}</span>
      <span class={`num at ${tone}`}>{last}</span>
      <span class="two" aria-hidden="true">
        <span class="cut">{projectName(session.project)}</span><span>{modelName(session.model)}</span>
        {left && <span class="warn">{left}</span>}
        {session.damage > 0 && <span class="bad">{count(session.damage, "damaged place")}</span>}
        <span class="cost">{session.usage.messages ? dollars(session.usage.cost) : ""}</span>
      </span>
    </a>
  );
}
