// What happens between a press and the app's answer: confirm, spinner, and a warning when nothing comes.
import { askConfirm } from "./confirm.js";
import { change, state } from "./state.js";

/** The key under which a press is remembered. */
export function pressKey(surface, blockId, actionId) {
  return `${surface.key}/${blockId ?? ""}/${actionId}`;
}

/** The state of one element: undefined, or {phase: busy | silent | refused, text?}. */
export function pressOf(surface, blockId, actionId) {
  return state.presses.get(pressKey(surface, blockId, actionId));
}

/** The press in a block that went wrong, if any. */
export function failedPressIn(surface, blockId) {
  const prefix = `${surface.key}/${blockId ?? ""}/`;
  for (const [key, press] of state.presses) if (key.startsWith(prefix) && press.phase !== "busy") return press;
  return undefined;
}

/** All presses of a surface as one text: redraw when it differs. */
export function pressSignature(surfaceKey) {
  let signature = "";
  for (const [key, press] of state.presses) if (key.startsWith(`${surfaceKey}/`)) signature += `${key}=${press.phase};`;
  return signature;
}

function forgetFailures(surface) {
  for (const [key, press] of state.presses) {
    if (key.startsWith(`${surface.key}/`) && press.phase !== "busy") state.presses.delete(key);
  }
}

/** Acts on an element: asks first where the element says so, then sends, then shows how it went. */
export async function press(surface, { blockId, element, value }) {
  const key = pressKey(surface, blockId, element.action_id);
  if (state.presses.get(key)?.phase === "busy") return false;
  if (element.confirm && !(await askConfirm(element.confirm))) return false;
  change(() => {
    forgetFailures(surface);
    state.presses.set(key, { phase: "busy" });
  });
  let outcome;
  try {
    const { acked } = await surface.send({ actionId: element.action_id, blockId, value });
    outcome = acked === false ? { phase: "silent" } : null;
  } catch (refusal) {
    outcome = refusal.status ? { phase: "refused", text: refusal.message } : { phase: "silent" };
  }
  change(() => {
    if (outcome) state.presses.set(key, outcome);
    else state.presses.delete(key);
  });
  return outcome === null;
}
