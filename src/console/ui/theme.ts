import { useSyncExternalStore } from "react";

/** Color scheme that the user chose. `system` follows the device. */
export type Theme = "system" | "light" | "dark";

const STORED = "causeway.theme";
const systemDark = window.matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();
let chosen = readChoice();

/** Applies the color scheme to the page, now and whenever the device's scheme changes. Call it once per page. */
export function followTheme(): void {
  const apply = () => {
    document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
    for (const listener of listeners) listener();
  };
  systemDark.addEventListener("change", apply);
  apply();
}

/**
 * Applies a color scheme and stores the choice in the browser. If storage is not available, the choice lasts until the
 * page is closed.
 */
export function chooseTheme(theme: Theme): void {
  chosen = theme;
  // Storage may be refused, in private windows for example; the choice then lasts as long as the page.
  try {
    localStorage.setItem(STORED, theme);
  } catch {}
  document.documentElement.dataset["theme"] = isDark() ? "dark" : "light";
  for (const listener of listeners) listener();
}

/** Returns the chosen color scheme, and whether the page is currently dark. */
export function useTheme(): { theme: Theme; dark: boolean } {
  const version = useSyncExternalStore(subscribe, () => `${chosen} ${isDark()}`);
  const [theme = "system", dark] = version.split(" ");
  return { theme: theme as Theme, dark: dark === "true" };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const isDark = (): boolean => (chosen === "system" ? systemDark.matches : chosen === "dark");

function readChoice(): Theme {
  try {
    const stored = localStorage.getItem(STORED);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}
