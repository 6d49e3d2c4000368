// What goes over the wire: the bot's calls, the deliveries to it, and the payload of one message.
import { change, state } from "./state.js";
import { h, icon } from "./dom.js";
import { showKeyed } from "./keyed.js";

const TABS = ["calls", "deliveries", "payload"];

/** Opens or closes the drawer. */
export function toggleInspector() {
  change((s) => {
    s.inspector = { ...s.inspector, open: !s.inspector.open };
  });
}

/** Opens the drawer on one message. */
export function showPayload(channel, message) {
  change((s) => {
    s.inspector = { open: true, tab: "payload", message: { channel, ts: message.ts } };
  });
}

function show(tab) {
  change((s) => {
    s.inspector = { ...s.inspector, tab };
  });
}

const json = (value) => h("pre", { class: "json", tabindex: "0" }, JSON.stringify(value, null, 2));

function entry(key, item, { title, good, verdict }, body) {
  return {
    key,
    inputs: [item],
    draw: () =>
      h(
        "details",
        { class: "wire" },
        h("summary", {}, h("span", { class: "wire-n" }, `${item.n}`), h("span", { class: "wire-title" }, title), h("span", { class: good ? "ok" : "bad" }, verdict)),
        json(body),
      ),
  };
}

const remark = (text) => [{ key: "none", inputs: [text], draw: () => h("p", { class: "remark" }, text) }];

const CONTENT = {
  calls(words) {
    if (!state.calls.length) return remark(words.noCalls);
    return state.calls.toReversed().map((call) => entry(`call ${call.n}`, call, { title: call.method, good: call.ok, verdict: call.ok ? "ok" : call.error ?? "error" }, call.args));
  },
  deliveries(words) {
    if (!state.deliveries.length) return remark(words.noDeliveries);
    return state.deliveries.toReversed().map((delivery) => {
      const { n, kind, attempt, acked, payload } = delivery;
      const inner = payload?.event?.type ?? payload?.payload?.event?.type ?? payload?.type ?? "";
      const title = [kind, inner && inner !== kind ? inner : "", attempt > 1 ? `×${attempt}` : ""].filter(Boolean).join(" · ");
      return entry(`delivery ${n} ${attempt ?? ""}`, delivery, { title, good: acked, verdict: acked ? words.acked : words.notAcked }, payload);
    });
  },
  payload(words) {
    const { message: at } = state.inspector;
    const message = at && state.messages.get(at.channel)?.get(at.ts);
    return message ? [{ key: "payload", inputs: [message], draw: () => json(message) }] : remark(words.noPayload);
  },
};

/** Fills the drawer and gives `draw(ctx)`. */
export function makeInspector(drawer) {
  const tabs = h("div", { class: "tabs", role: "tablist" });
  const close = h("button", { type: "button", class: "tool", on: { click: toggleInspector } }, icon("close", 18));
  const body = h("div", { class: "inspector-body", role: "tabpanel" });
  drawer.replaceChildren(h("header", { class: "pane-head" }, tabs, close), body);
  drawer.addEventListener("keydown", (event) => {
    if (event.key === "Escape") toggleInspector();
  });
  return (ctx) => {
    const { open, tab } = state.inspector;
    drawer.hidden = !open;
    if (!open) return;
    const { words } = ctx;
    drawer.setAttribute("aria-label", words.inspector);
    close.setAttribute("aria-label", words.close);
    showKeyed(
      tabs,
      TABS.map((name) => ({
        key: name,
        inputs: [name === tab, words],
        draw: () =>
          h("button", { type: "button", role: "tab", "aria-selected": String(name === tab), "data-focus-key": name, on: { click: () => show(name) } }, words[name]),
      })),
    );
    showKeyed(body, CONTENT[tab](words));
  };
}
