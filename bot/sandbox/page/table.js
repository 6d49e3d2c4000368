// How a table looks: real rows and cells in a frame that scrolls by itself, so the page never does.
import { h } from "./dom.js";

/** A table of rows of {nodes, align}; the first row is its head. */
export function drawTableRows(rows) {
  const [head = [], ...body] = rows;
  const cell =
    (tag) =>
    ({ nodes, align }) =>
      h(tag, { class: `align-${align}`, scope: tag === "th" ? "col" : null }, ...nodes);
  return h(
    "div",
    { class: "table-frame", tabindex: "0", role: "group" },
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...head.map(cell("th")))),
      h("tbody", {}, ...body.map((row) => h("tr", {}, ...row.map(cell("td"))))),
    ),
  );
}
