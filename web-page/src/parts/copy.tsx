// Copying: to the clipboard, with a word that it was done.
import { useState } from "preact/hooks";
import { say } from "../shell/status";
import { Icon } from "./icon";

export async function copy(text: string, name: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`Copied ${name}.`);
  } catch {
    say(`The browser does not let this page copy. ${name}: ${text}`);
  }
}

export function Command({ text }: { text: string }) {
  const [isDone, setDone] = useState(false);
  const onClick = (): void => {
    void copy(text, "the command");
    setDone(true);
  };
  return (
    <button class="cmd" type="button" onClick={onClick} aria-label={`Copy the command ${text}`}>
      <code>{text}</code>
      {isDone ? <span class="q">copied</span> : <Icon name="copy" />}
    </button>
  );
}
