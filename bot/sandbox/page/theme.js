// Which theme is shown: the system's, until a person chooses; the choice is remembered.
import { remember } from "./memory.js";

const KEY = "sandbox.theme";
export const THEMES = ["system", "light", "dark"];

/** The chosen theme: system, light or dark. */
export function chosenTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

/** Chooses the next theme in the circle and remembers it. */
export function nextTheme() {
  const theme = THEMES[(THEMES.indexOf(chosenTheme()) + 1) % THEMES.length];
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  remember(KEY, theme === "system" ? null : theme);
  return theme;
}
