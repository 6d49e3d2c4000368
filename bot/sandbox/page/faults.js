// What may go wrong on purpose: one button per fault, and what is set just now.
import { postFaults } from "./api.js";
import { h } from "./dom.js";
import { change, state } from "./state.js";

/** The faults a person can set here; the control API knows more. */
const FAULTS = [
  ["loseAck", { delivery: "drop_ack", times: 1 }],
  ["lateAck", { delivery: "delay_ack", times: 1, seconds: 4 }],
  ["twice", { delivery: "duplicate", times: 1 }],
  ["swapTwins", { delivery: "swap_twins", times: 1 }],
  ["cutLine", { delivery: "close_socket", times: 1 }],
  ["failPost", { method: "chat.postMessage", times: 1, fault: "http_500" }],
  ["failAfterPost", { method: "chat.postMessage", times: 1, fault: "http_500_after_write" }],
  ["failUpdate", { method: "chat.update", times: 1, fault: "http_500" }],
];

const SWITCHES = ["edit_window_closed", "rate_limits", "plan_upgrade_required"];

/** Asks for `fault` (nothing: only looks) and shows what is set then. */
export async function setFault(fault = {}) {
  const answer = await postFaults(fault).catch(() => null);
  change((s) => {
    s.faults = answer?.faults ?? s.faults;
  });
}

function listed(fault) {
  const { times, ...rest } = fault;
  return `${Object.values(rest).join(" · ")} ×${times}`;
}

function drawSwitch(name, words) {
  const isOn = Boolean(state.faults?.switches?.[name]);
  const box = h("input", { type: "checkbox", role: "switch", checked: isOn, "data-focus-key": name });
  box.addEventListener("change", () => setFault({ switch: name, on: box.checked }));
  return h("label", { class: "choice" }, box, words.faults[name]);
}

/** The entries of the Faults tab. */
export function faultEntries(words) {
  const set = [...(state.faults?.deliveries ?? []), ...(state.faults?.methods ?? [])];
  const draw = () =>
    h(
      "div",
      { class: "faults" },
      h(
        "div",
        { class: "actions" },
        ...FAULTS.map(([name, fault]) =>
          h(
            "button",
            { type: "button", class: "button small", "data-focus-key": name, on: { click: () => setFault(fault) } },
            words.faults[name],
          ),
        ),
      ),
      h("div", { class: "actions" }, ...SWITCHES.map((name) => drawSwitch(name, words))),
      h(
        "div",
        { class: "actions" },
        h("strong", {}, words.faults.set),
        set.length ? set.map((fault) => h("code", {}, listed(fault))) : h("span", { class: "hint" }, words.faults.none),
        set.length
          ? h(
              "button",
              {
                type: "button",
                class: "link-button",
                "data-focus-key": "clear",
                on: { click: () => setFault({ clear: true }) },
              },
              words.faults.clear,
            )
          : null,
      ),
    );
  return [{ key: "faults", inputs: [state.faults, words], draw }];
}
