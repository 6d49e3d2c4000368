// The bar on top: who one acts as, what time it is there, the theme and the inspector.
import { chosenTheme, nextTheme } from "./theme.js";
import { makeClockChip } from "./clock_chip.js";
import { drawPeople, makePeople } from "./people.js";
import { h, icon } from "./dom.js";
import { readingContext } from "./context.js";
import { toggleInspector } from "./inspector.js";
import { state } from "./state.js";

/** Fills the bar and gives `draw(ctx)`. */
export function makeTopbar(bar) {
  const people = makePeople();
  const label = h("span", { class: "acting-label" });
  const team = h("span", { class: "team" });
  const clock = makeClockChip();
  const theme = h("button", { type: "button", class: "tool" });
  const inspector = h("button", { type: "button", class: "tool" }, icon("tools", 18));
  bar.replaceChildren(team, h("div", { class: "acting" }, label, people), clock.node, theme, inspector);

  const drawTheme = (words) => {
    theme.replaceChildren(icon(chosenTheme(), 18));
    theme.setAttribute("aria-label", words.theme[chosenTheme()]);
    theme.title = words.theme[chosenTheme()];
  };
  theme.addEventListener("click", () => {
    nextTheme();
    drawTheme(readingContext().words);
  });
  inspector.addEventListener("click", toggleInspector);

  setInterval(() => state.phase === "ready" && clock.draw(readingContext()), 1000);

  return (ctx) => {
    team.textContent = state.team?.name ?? "";
    label.textContent = ctx.words.actingAs;
    drawTheme(ctx.words);
    clock.draw(ctx);
    // Last, as the row of people takes the room that is left.
    drawPeople(people, ctx);
    inspector.setAttribute("aria-label", ctx.words.inspector);
    inspector.title = ctx.words.inspector;
    inspector.setAttribute("aria-expanded", String(state.inspector.open));
  };
}
