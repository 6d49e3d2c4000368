// Which panes the window has room for.
import { state } from "./state.js";

const NARROW = matchMedia("(max-width: 699px)");
const MEDIUM = matchMedia("(min-width: 700px) and (max-width: 899px)");

/** Whether a pane (list, channel, thread) can be seen now; a hidden browser tab shows none. */
export function isShown(pane) {
  if (document.hidden) return false;
  if (NARROW.matches) return state.view === pane;
  if (pane === "channel" && MEDIUM.matches) return !state.thread;
  return pane !== "thread" || Boolean(state.thread);
}

/** Calls `listener` when the window takes another layout or the tab is seen again. */
export function onLayout(listener) {
  NARROW.addEventListener("change", listener);
  MEDIUM.addEventListener("change", listener);
  document.addEventListener("visibilitychange", listener);
}
