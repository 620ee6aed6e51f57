// The head of a session: title, one line of facts, tabs, and the things to copy or to download.
import { useEffect, useRef, useState } from "preact/hooks";
import { bytes, count, day, dayAndClock, dollars, expiry, grouped, modelName, moment, sentence, tokens } from "../../format";
import { copy } from "../../parts/copy";
import { Icon } from "../../parts/icon";
import { sessionHref } from "../../shell/route";
import type { Session } from "../../types";
import { projectName, worktreeOf } from "../sessions/filter";

export const allTokens = (session: Session): number =>
  (session.usage.input ?? 0) + (session.usage.output ?? 0) + (session.usage.cache_write ?? 0) + (session.usage.cache_read ?? 0);

function times(session: Session): string {
  const [start, end] = [moment(session.started), moment(session.updated)];
  if (!start || !end) return "";
  const isOneDay = start.toDateString() === end.toDateString();
  return `${dayAndClock(session.started)} – ${isOneDay ? dayAndClock(session.updated).split(", ")[1] : dayAndClock(session.updated)}`;
}

function Facts({ session, isLive }: { session: Session; isLive: boolean }) {
  const left = expiry(session.expires);
  const until = moment(session.expires);
  return (
    <div class="facts">
      {isLive && <span class="tail"><span class="dot work" />live</span>}
      {session.state !== "live" && <span class="warn">{session.state}</span>}
      <span><b>{projectName(session.project)}</b> <span class="mono q">{worktreeOf(session) ?? session.branch ?? ""}</span></span>
      <span>{modelName(session.model)}</span>
      <span>{times(session)}</span>
      <span><b>{grouped(session.messages)}</b> messages</span>
      {session.calls > 0 && <span><b>{grouped(session.calls)}</b> calls</span>}
      {session.agents > 0 && <span><b>{grouped(session.agents)}</b> {session.agents === 1 ? "agent" : "agents"}</span>}
      {allTokens(session) > 0 && <span><b>{tokens(allTokens(session))}</b> tokens</span>}
      {session.usage.messages > 0 && <span><b>{dollars(session.usage.cost)}</b></span>}
      <span>{bytes(session.bytes)}</span>
      {session.damage > 0 && <span class="bad">{count(session.damage, "damaged place")}</span>}
      {left ? <span class="warn">{left}</span> : until && <span class="q">kept until {day(until)}</span>}
    </div>
  );
}

function MoreMenu({ session }: { session: Session }) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const onOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", onOutside);
    return () => removeEventListener("pointerdown", onOutside);
  }, []);
  const id = encodeURIComponent(session.id);
  const item = (name: string, text: string) => (
    <button type="button" onClick={() => (void copy(text, name), setOpen(false))}>Copy {name}</button>
  );
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault();
    event.stopPropagation();
    setOpen(false);
    opener.current?.focus();
  };
  return (
    <div class="menu right" ref={box} onKeyDown={onKeyDown}>
      <button class="btn" type="button" ref={opener} aria-label="More: id, path, link, Markdown, HTML, JSON" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}><Icon name="dots" /></button>
      {isOpen && (
        <div class="pop">
          {item("the id", session.id)}
          {session.transcripts[0] && item("the path", session.transcripts[0])}
          {item("the link", location.origin + sessionHref(session.id))}
          <a href={`/api/show/${id}?format=md`} download>Download Markdown</a>
          <a href={`/api/show/${id}?format=html`} download>Download HTML</a>
          <a href={`/api/show/${id}`}>JSON</a>
        </div>
      )}
    </div>
  );
}

export const TABS = [["", "Conversation"], ["tree", "Tree"], ["calls", "Calls"], ["files", "Files"], ["usage", "Usage"]] as const;

export function Tabs({ session, tab, children }: { session: Session; tab: string; children?: preact.ComponentChildren }) {
  const base = sessionHref(session.id);
  return (
    <div class="tabs">
      <nav aria-label="Views of the session">
        {TABS.map(([name, label]) => (
          <a key={name} href={name ? `${base}/${name}` : base} aria-current={tab === name ? "page" : undefined}>{label}{name === "calls" && session.calls ? <span class="q"> {grouped(session.calls)}</span> : null}</a>
        ))}
      </nav>
      {children}
    </div>
  );
}

export function SessionHead({ session, isLive = false, tab, children }: { session: Session; isLive?: boolean; tab: string; children?: preact.ComponentChildren }) {
  return (
    <div class="rhead">
      <div class="head">
        <h1>{session.title ?? "(no prompt yet)"}</h1>
        <span class="end">
          {session.resume && <button class="btn main" type="button" title={session.resume_note ?? session.resume} onClick={() => void copy(session.resume ?? "", "the resume command")}><Icon name="copy" />Copy resume command</button>}
          <MoreMenu session={session} />
        </span>
      </div>
      <Facts session={session} isLive={isLive} />
      {session.resume_note && <p class="note q">{sentence(session.resume_note)}</p>}
      <Tabs session={session} tab={tab}>{children}</Tabs>
    </div>
  );
}
