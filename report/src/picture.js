// What all pictures share: one look, one kind of tip.
import { plot, pointer, tip } from "@observablehq/plot";

export function picture(options) {
  const svg = plot({
    className: "dp2dp-plot",
    style: { fontFamily: "inherit", fontSize: "12px", background: "none", overflow: "visible" },
    ...options,
  });
  svg.setAttribute("role", "img");
  return svg;
}

export function tips(rows, { x, y, title }) {
  return tip(rows, pointer({ x, y, title, maxRadius: 60, fontSize: 13, lineWidth: 26, textPadding: 9 }));
}

// How many characters of a label fit, and the margin they take.
export function labelRoom(width, labels) {
  const longest = Math.max(3, ...labels.map((text) => [...text].length));
  const characters = Math.min(longest, width < 520 ? 13 : 30);
  return { characters, margin: Math.round(18 + 6.7 * characters) };
}
