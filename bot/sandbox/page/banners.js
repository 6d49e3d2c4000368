// What is wrong just now: the line to the sandbox is lost, or the bot is away.
import { ago } from "./clock.js";
import { connect } from "./ws.js";
import { h } from "./dom.js";
import { readingContext } from "./context.js";
import { showKeyed } from "./keyed.js";
import { state } from "./state.js";

function lost(ctx) {
  return {
    key: "lost",
    inputs: [ctx.words],
    draw: () =>
      h(
        "div",
        { class: "banner bad", role: "alert" },
        h("span", {}, ctx.words.lost),
        h("button", { type: "button", class: "button small", on: { click: connect } }, ctx.words.tryNow),
      ),
  };
}

function lastEventWords(ctx) {
  const { last_event_at: at } = state.bot;
  return at ? ctx.words.lastEvent(ago(Math.min(at, ctx.now), ctx.reader, ctx.now)) : "";
}

function away(ctx) {
  return {
    key: "away",
    inputs: [ctx.words, state.bot],
    draw: () =>
      h(
        "div",
        { class: "banner", role: "status" },
        h("span", {}, state.bot.ever_connected ? ctx.words.botAway : ctx.words.botNeverCame),
        // Not part of what is announced: it changes every second.
        h("span", { class: "age", "aria-live": "off" }, ` ${lastEventWords(ctx)}`),
      ),
  };
}

/** Gives `draw(ctx)`; the age of the last event moves on by itself. */
export function makeBanners(container) {
  setInterval(() => {
    const age = container.querySelector(".age");
    if (age) age.textContent = ` ${lastEventWords(readingContext())}`;
  }, 1000);
  return (ctx) => {
    const banners = [];
    if (!state.online && state.phase === "ready") banners.push(lost(ctx));
    else if (!state.bot.connected) banners.push(away(ctx));
    showKeyed(container, banners);
  };
}
