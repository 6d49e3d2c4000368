// The app's Home as this person sees it.
import { dayOf } from "./clock.js";
import { drawBlocks } from "./blocks.js";
import { h } from "./dom.js";
import { pressInView } from "./api.js";
import { pressSignature } from "./press.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";

/** Draws the acting person's Home, or says that there is none. */
export function drawHome(container, ctx) {
  const view = state.homes.get(state.acting);
  const user = state.acting;
  if (!view?.blocks?.length) {
    const text = ctx.words.emptyHome(state.app?.name ?? "");
    showKeyed(container, [{ key: "none", inputs: [text], draw: () => h("p", { class: "remark" }, text) }]);
    return;
  }
  const key = `v:${view.id}`;
  const surface = {
    key,
    viewId: view.id,
    ctx,
    question: "",
    send: ({ actionId, blockId, value }) => pressInView({ user, viewId: view.id, actionId, blockId, value }),
  };
  const inputs = [view, user, ctx.words, dayOf(ctx.now, ctx.reader), pressSignature(key)];
  showKeyed(container, [
    { key: `${user} home`, inputs, draw: () => h("div", { class: "content" }, ...drawBlocks(view.blocks, surface)) },
  ]);
}
