// The start: sign in with the word in the fragment, then draw.
import { render } from "preact";
import { App } from "./shell/app";
import { listenToKeys } from "./shell/keys";
import { followLinks } from "./shell/route";
import { applyTheme } from "./shell/theme";

async function signIn(): Promise<void> {
  const link = location.hash.slice(1);
  if (!link) return;
  history.replaceState(null, "", location.pathname + location.search);
  await fetch("/sign-in", { method: "POST", body: link }).catch(() => undefined);
}

applyTheme();
await signIn();
history.scrollRestoration = "auto";
followLinks();
listenToKeys();
document.querySelector("noscript")?.remove();
const root = document.createElement("div");
root.className = "root";
document.body.append(root);
render(<App />, root);
