// One part of a message.  Its HTML is made, and made safe, by the server; folds are filled when they open.
import { useLayoutEffect, useRef } from "preact/hooks";
import { count, seconds } from "../../format";
import { href } from "../../shell/route";
import type { ShownMessage, ShownPart } from "./messages";

const KEPT_BACK = 30;

/** Take the content of a closed fold out of the page until somebody opens it. */
function holdBack(fold: HTMLDetailsElement): void {
  if (fold.open || fold.querySelectorAll("*").length < KEPT_BACK) return;
  const rest = document.createDocumentFragment();
  while (fold.lastElementChild && fold.children.length > 1) rest.prepend(fold.lastElementChild);
  fold.addEventListener("toggle", () => fold.append(rest), { once: true });
}

function link(to: string, text: string): HTMLAnchorElement {
  const made = document.createElement("a");
  made.className = "link";
  made.href = to;
  made.textContent = text;
  return made;
}

const fileOf = (part: ShownPart): string | null => {
  const input = part.input as Record<string, unknown> | null | undefined;
  const path = input?.["file_path"] ?? input?.["notebook_path"];
  return typeof path === "string" ? path : null;
};

/** Add to a call how long it took, and the ways to its file and its record. */
function finishCall(fold: HTMLDetailsElement, part: ShownPart, message: ShownMessage, took: number | null): void {
  const summary = fold.querySelector("summary");
  const time = document.createElement("small");
  time.className = "dur";
  time.textContent = took === null ? "" : seconds(took);
  summary?.append(time);
  const path = fileOf(part);
  if (!path) return;
  const more = document.createElement("p");
  more.className = "more";
  more.append(link(href("/files", { path, message: message.id }), "As it was here"), link(href("/files", { path }), "All versions"));
  fold.append(more);
}

/** Show the name of an image that the browser cannot show. */
function nameBroken(image: HTMLImageElement): void {
  image.addEventListener("error", () => image.replaceWith(image.alt), { once: true });
}

interface OfPart {
  part: ShownPart;
  message: ShownMessage;
  took: number | null;
}

export function PartHtml({ part, message, took }: OfPart) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!box.current) return;
    box.current.innerHTML = part.html ?? "";
    for (const block of box.current.querySelectorAll<HTMLElement>("pre, table")) block.tabIndex = 0;
    const fold = box.current.querySelector<HTMLDetailsElement>(":scope > details.call");
    if (fold && part.kind === "call") finishCall(fold, part, message, took);
    for (const image of box.current.querySelectorAll("img")) nameBroken(image);
    if (part.kind === "thinking") shorten(box.current, part.text ?? "");
    for (const one of box.current.querySelectorAll<HTMLDetailsElement>("details")) holdBack(one);
  }, [part.html, took]);
  return (
    <>
      <div class={`html of-${part.kind}`} ref={box} />
      {part.cut ? <p class="note q">{count(part.cut, "more character")} are not shown. The download has them.</p> : null}
    </>
  );
}

/** Show the first words of a thought beside its name. */
function shorten(box: HTMLElement, text: string): void {
  const summary = box.querySelector("summary");
  const first = document.createElement("span");
  first.className = "cut";
  first.textContent = text.slice(0, 200).replace(/\s+/g, " ");
  summary?.append(" ", first);
}
