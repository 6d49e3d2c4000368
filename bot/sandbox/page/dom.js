// How nodes are made: elements and text nodes only, so no text can become markup.

/** An element. props: `class`, `dataset`, `on` ({event: listener}), DOM attributes; null, undefined and false are left out. */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "dataset") Object.assign(node.dataset, value);
    else if (name === "on")
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    else if (name === "value") node.value = value;
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  back: "M15 5l-7 7 7 7",
  close: "M6 6l12 12M18 6L6 18",
  reply: "M4 5h16v11H11l-5 4v-4H4z",
  code: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  send: "M4 4l17 8-17 8 3-8zM7 12h8",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  down: "M12 5v14M6 13l6 6 6-6",
  expand: "M6 9l6 6 6-6",
  eye: "M3 12c4-7 14-7 18 0-4 7-14 7-18 0zM12 9.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light:
    "M12 8a4 4 0 1 1 0 8 4 4 0 0 1 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5",
  dark: "M20 14A8.5 8.5 0 0 1 10 4a8.5 8.5 0 1 0 10 10z",
  tools: "M4 5h16v14H4zM8 9.5l3 2.5-3 2.5M13 15h3.5",
  check: "M5 12.5l5 5L19.5 7",
  clock: "M12 3a9 9 0 1 1 0 18 9 9 0 0 1 0-18M12 7v5.5l3.5 2",
};

/** A line icon, hidden from screen readers: the control around it carries the name. */
export function icon(name, size = 18) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({
    viewBox: "0 0 24 24",
    width: size,
    height: size,
    "aria-hidden": "true",
  })) {
    svg.setAttribute(key, value);
  }
  svg.setAttribute("class", `icon icon-${name}`);
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
