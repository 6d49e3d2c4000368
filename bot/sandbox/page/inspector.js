// What goes over the wire: the bot's calls, the deliveries to it, and the payload of one message.
import { change, state } from "./state.js";
import { h, icon } from "./dom.js";
import { readLog } from "./api.js";
import { faultEntries, setFault } from "./faults.js";
import { showKeyed } from "./keyed.js";

const TABS = ["calls", "deliveries", "payload", "faults"];

function merged(older, newer) {
  const known = new Set(newer.map(({ n }) => n));
  return [...older.filter(({ n }) => !known.has(n)), ...newer];
}

/** Fetches what happened before this page was opened. Without an answer the drawer shows what the page has seen itself. */
async function readBack() {
  for (const name of ["calls", "deliveries"]) {
    const entries = await readLog(name).catch(() => []);
    change((s) => {
      s[name] = merged(entries, s[name]);
    });
  }
}

/** Opens or closes the drawer. */
export function toggleInspector() {
  change((s) => {
    s.inspector = { ...s.inspector, open: !s.inspector.open };
  });
  if (state.inspector.open) readBack();
  if (state.inspector.open && state.inspector.tab === "faults") setFault();
}

/** Opens the drawer on one message. */
export function showPayload(channel, message) {
  change((s) => {
    s.inspector = { open: true, tab: "payload", message: { channel, ts: message.ts } };
  });
  readBack();
}

function show(tab) {
  change((s) => {
    s.inspector = { ...s.inspector, tab };
  });
  if (tab === "faults") setFault();
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
        h(
          "summary",
          {},
          h("span", { class: "wire-n" }, `${item.n}`),
          h("span", { class: "wire-title" }, title),
          h("span", { class: good ? "ok" : "bad" }, verdict),
        ),
        json(body),
      ),
  };
}

const remark = (text) => [{ key: "none", inputs: [text], draw: () => h("p", { class: "remark" }, text) }];

const CONTENT = {
  faults: faultEntries,
  calls(words) {
    if (!state.calls.length) return remark(words.noCalls);
    return state.calls
      .toReversed()
      .map((call) =>
        entry(
          `call ${call.n}`,
          call,
          { title: call.method, good: call.ok, verdict: call.ok ? "ok" : (call.error ?? "error") },
          call.args,
        ),
      );
  },
  deliveries(words) {
    if (!state.deliveries.length) return remark(words.noDeliveries);
    return state.deliveries.toReversed().map((delivery) => {
      const { n, kind, type, attempt, acked, payload } = delivery;
      const title = [kind, type === kind ? "" : type, attempt ? `${words.attempt} ${attempt + 1}` : ""]
        .filter(Boolean)
        .join(" · ");
      const verdict = acked ? words.acked : acked === false ? words.notAcked : "…";
      return entry(`delivery ${n}`, delivery, { title, good: acked !== false, verdict }, payload);
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
          h(
            "button",
            {
              type: "button",
              role: "tab",
              "aria-selected": String(name === tab),
              "data-focus-key": name,
              on: { click: () => show(name) },
            },
            words.tabs[name],
          ),
      })),
    );
    showKeyed(body, CONTENT[tab](words));
  };
}
