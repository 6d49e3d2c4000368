// What the page may ask of the server: the documented control API, and nothing else.

const ACK_LIMIT_MS = 3500; // the server itself answers after 3 s; this catches a server that does not
const SEND_LIMIT_MS = 8000;

/** A request the server refused, or never answered (`status` 0). `code` is the server's error word. */
export class Refused extends Error {
  constructor({ status, code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function ask(path, options, limit) {
  let response;
  try {
    response = await fetch(`/sandbox/${path}`, { ...options, signal: AbortSignal.timeout(limit) });
  } catch (error) {
    throw new Refused({
      status: 0,
      code: error.name === "TimeoutError" ? "timeout" : "unreachable",
      message: String(error.message),
    });
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const code = typeof answer.error === "string" ? answer.error : `http_${response.status}`;
    throw new Refused({ status: response.status, code, message: String(answer.message ?? answer.detail ?? code) });
  }
  return answer;
}

function post(path, body, limit = SEND_LIMIT_MS) {
  return ask(
    path,
    { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) },
    limit,
  );
}

const given = (body) =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined && value !== null && value !== ""));

export const sendMessage = ({ user, channel, text, thread }) =>
  post("messages", given({ user, channel, text, thread_ts: thread }));

export const changeMessage = ({ user, channel, ts, text }) => post("messages/edit", { user, channel, ts, text });

export const deleteMessage = ({ user, channel, ts }) => post("messages/delete", { user, channel, ts });

export const sendCommand = ({ user, channel, command, text, thread }) =>
  post("commands", { ...given({ user, channel, command, thread_ts: thread }), text: text ?? "" }, ACK_LIMIT_MS);

export const pressInMessage = ({ user, channel, ts, actionId, blockId, value }) =>
  post(
    "actions",
    given({ user, channel, message_ts: ts, action_id: actionId, block_id: blockId, value }),
    ACK_LIMIT_MS,
  );

export const pressInView = ({ user, viewId, actionId, blockId, value }) =>
  post(
    `views/${encodeURIComponent(viewId)}/actions`,
    given({ user, action_id: actionId, block_id: blockId, value }),
    ACK_LIMIT_MS,
  );

export const closeView = ({ user, viewId }) => post(`views/${encodeURIComponent(viewId)}/close`, { user });

export const dismissNote = ({ user, channel, ts }) => post("private_notes/dismiss", { user, channel, ts });

/** Tells the app that a person looks at its Home or at its messages. */
export const openApp = ({ user, tab }) => post("home", { user, tab });

/** Moves the sandbox's time, and the bot's with it, forward. */
export const moveClock = (seconds) => post("clock", { advance_s: seconds });

/** Sets a fault, or with an empty one looks: {faults}. */
export const postFaults = (fault) => post("faults", fault);

/** The log of the bot's calls ("calls") or of what was delivered to it ("deliveries"). */
export const readLog = async (name) => (await ask(name, {}, SEND_LIMIT_MS))[name] ?? [];

/** Submits a modal: {acked, response_action?, errors?, error?}. Field errors are an answer, not a failure. */
export async function submitView({ user, viewId, values }) {
  try {
    return await post(`views/${encodeURIComponent(viewId)}/submit`, { user, values }, ACK_LIMIT_MS);
  } catch (error) {
    if (error instanceof Refused && error.code === "timeout") return { acked: false };
    throw error;
  }
}
