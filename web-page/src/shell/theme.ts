// Light, dark or as the system has it; the choice stays in this browser.
const KEY = "backscroll-theme";
const ORDER = ["", "light", "dark"];

const stored = (): string => {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
};

export function applyTheme(theme = stored()): void {
  if (theme) document.documentElement.dataset["theme"] = theme;
  else delete document.documentElement.dataset["theme"];
}

/** Go to the next theme; return its name. */
export function nextTheme(): string {
  const next = ORDER[(ORDER.indexOf(stored()) + 1) % ORDER.length] ?? "";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // a browser that keeps nothing still shows the theme
  }
  applyTheme(next);
  dispatchEvent(new Event("backscroll-theme"));
  return next || "system";
}
