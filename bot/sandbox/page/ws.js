// The one line on which the page listens: it opens, tells, and opens again when lost.
import { applyFrame } from "./frames.js";
import { change, state } from "./state.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const PATIENCE_MS = 5000; // a snapshot comes at once on loopback; longer means nobody is there

let wait = FIRST_WAIT_MS;
let timer = null;
let socket = null;

function lost() {
  socket = null;
  change((s) => {
    s.online = false;
  });
  timer = setTimeout(connect, wait);
  wait = Math.min(wait * 2, LONGEST_WAIT_MS);
}

/** Opens the line now, without waiting for the next try. */
export function connect() {
  clearTimeout(timer);
  if (socket) return;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/ui/ws`);
  const patience = setTimeout(() => {
    if (state.phase === "loading") {
      change((s) => {
        s.phase = "silent";
      });
    }
  }, PATIENCE_MS);
  socket.addEventListener("message", ({ data }) => {
    const frame = JSON.parse(data);
    change((s) => {
      if (frame.type === "snapshot") {
        clearTimeout(patience);
        wait = FIRST_WAIT_MS;
        s.online = true;
      }
      applyFrame(s, frame);
    });
  });
  socket.addEventListener("close", () => {
    clearTimeout(patience);
    if (state.phase === "loading") {
      change((s) => {
        s.phase = "silent";
      });
    }
    lost();
  });
}
