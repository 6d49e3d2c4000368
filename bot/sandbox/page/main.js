// How the page comes together: listen, settle on a person and place, and draw every pane after each change.
import { connect } from "./ws.js";
import { h } from "./dom.js";
import { languageOf } from "./words.js";
import { makeBanners } from "./banners.js";
import { makeChannel } from "./channel.js";
import { makeInspector } from "./inspector.js";
import { makeModal } from "./modal.js";
import { makeSidebar } from "./sidebar.js";
import { makeThread } from "./thread.js";
import { makeTopbar } from "./topbar.js";
import { onLayout } from "./layout.js";
import { noteReading } from "./reading.js";
import { readingContext } from "./context.js";
import { recallReads } from "./unread.js";
import { change, state, subscribe } from "./state.js";
import { settle } from "./navigate.js";
import { titleOf } from "./conversation.js";

const part = (id) => document.getElementById(id);
let panes = null;

function makePanes() {
  const modal = makeModal();
  const channel = makeChannel(part("channel"));
  const thread = makeThread(part("thread"));
  const sidebar = makeSidebar(part("sidebar"));
  const topbar = makeTopbar(part("topbar"));
  const banners = makeBanners(part("banners"));
  const inspector = makeInspector(part("inspector"));
  return [banners, channel, thread, sidebar, topbar, inspector, modal];
}

function drawSilence() {
  const { words } = readingContext();
  part("channel").replaceChildren(
    h(
      "div",
      { class: "loading", role: "alert" },
      h("strong", {}, words.silent),
      h("span", {}, words.silentHint),
      h("button", { type: "button", class: "button primary", on: { click: () => location.reload() } }, words.tryNow),
    ),
  );
}

function draw() {
  if (state.phase === "loading") return;
  if (state.phase === "silent") {
    drawSilence();
    return;
  }
  settle();
  noteReading();
  panes ??= makePanes();
  const ctx = readingContext();
  document.documentElement.lang = languageOf(ctx.reader.locale);
  document.title = `${titleOf(state.channels.get(state.channel), state.acting, ctx.userName)} · ${state.team?.name ?? ""}`;
  part("app").dataset.view = state.view;
  part("app").dataset.thread = state.thread ? "open" : "closed";
  for (const drawPane of panes) drawPane(ctx);
}

subscribe(draw);
onLayout(() => change(() => {}));
recallReads();
connect();
