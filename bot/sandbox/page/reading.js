// What the acting person is reading now: the newest message of each pane they can see counts as seen.
import { channelItems, threadItems } from "./conversation.js";
import { isShown } from "./layout.js";
import { markRead, placeKey } from "./unread.js";
import { state } from "./state.js";

function note(items, place) {
  const newest = items.findLast((item) => !item.note);
  if (newest) markRead(state.acting, place, newest.ts);
}

/** Takes note of what is in sight, before it is drawn, so that nothing in sight is drawn as new. */
export function noteReading() {
  if (isShown("channel") && !state.homeTab)
    note(channelItems(state.channel, state.acting), placeKey(state.channel, null));
  if (state.thread && isShown("thread"))
    note(threadItems(state.channel, state.thread, state.acting), placeKey(state.channel, state.thread));
}
