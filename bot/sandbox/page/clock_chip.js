// What time it is in the sandbox, and steps by which it is moved: buttons where there is room, else a menu.
import { clockTime, dayOf, fullMoment } from "./clock.js";
import { h, icon } from "./dom.js";
import { moveClock } from "./api.js";
import { nextDeadline } from "./deadline.js";
import { openMenu } from "./menu.js";
import { readingContext } from "./context.js";

const FIVE_MINUTES = 300;
const HOUR = 3600;
const PAST_IT = 1; // a deadline shown in whole seconds may lie a fraction later

let isMoving = false;

/** One step at a time: a second press before the first has come back would be meant for the time it still shows. */
async function move(seconds) {
  if (isMoving) return;
  isMoving = true;
  try {
    await moveClock(seconds);
  } catch {
    // The time stays as it is and can be seen to; that the sandbox is away is said by the banner.
  } finally {
    isMoving = false;
  }
}

function moveToDeadline() {
  const { now } = readingContext();
  const deadline = nextDeadline(now);
  if (deadline !== null) move(deadline - now + PAST_IT);
}

/** A moment as short as can be: the time, and the day where it is another one. */
function whenShort(unix, ctx) {
  const isToday = dayOf(unix, ctx.reader) === dayOf(ctx.now, ctx.reader);
  return isToday ? clockTime(unix, ctx.reader) : fullMoment(unix, ctx.reader);
}

/** The steps there are now: {label, description?, choose}. */
function steps(ctx) {
  const { words } = ctx;
  const deadline = nextDeadline(ctx.now);
  const list = [
    { label: words.clock.fiveMinutes, choose: () => move(FIVE_MINUTES) },
    { label: words.clock.hour, choose: () => move(HOUR) },
  ];
  if (deadline !== null)
    list.push({ label: words.clock.deadline, description: whenShort(deadline, ctx), choose: moveToDeadline });
  return list;
}

function makeStep() {
  return h("button", { type: "button", class: "clock-step" });
}

/** The chip with `draw(ctx)`, which may be called every second. */
export function makeClockChip() {
  const time = h("time", {});
  const menuTime = h("time", {});
  const opener = h(
    "button",
    { type: "button", class: "clock-menu", "aria-haspopup": "menu", "aria-expanded": "false" },
    menuTime,
    icon("expand", 12),
  );
  const buttons = [makeStep(), makeStep(), makeStep()];
  const node = h("div", { class: "clock-chip", role: "group" }, icon("clock", 14), time, ...buttons, opener);
  buttons.forEach((button, index) => button.addEventListener("click", () => steps(readingContext())[index]?.choose()));
  opener.addEventListener("click", () => {
    const ctx = readingContext();
    openMenu(opener, steps(ctx), ctx.words.clock.move);
  });

  const set = (part, text) => {
    if (part.textContent !== text) part.textContent = text;
  };
  return {
    node,
    draw(ctx) {
      const { words } = ctx;
      const now = clockTime(ctx.now, ctx.reader);
      set(time, now);
      set(menuTime, now);
      node.setAttribute("aria-label", words.sandboxTime);
      node.title = `${words.sandboxTime}: ${fullMoment(ctx.now, ctx.reader)} (${ctx.reader.tz})`;
      opener.setAttribute("aria-label", `${words.sandboxTime}, ${now}. ${words.clock.move}`);
      const list = steps(ctx);
      buttons.forEach((button, index) => {
        const step = list[index];
        button.hidden = !step;
        if (!step) return;
        set(button, step.label);
        button.title = step.description ?? "";
      });
    },
  };
}
