// What all pictures share: one look, one kind of tip.
import { plot, pointer, tip } from "@observablehq/plot";

export function picture({ fontSize = 12, ...options }) {
  const svg = plot({
    className: "dp2dp-plot",
    style: { fontFamily: "inherit", fontSize: `${fontSize}px`, background: "none", overflow: "visible" },
    ...options,
  });
  svg.setAttribute("role", "img");
  return svg;
}

export function tips(rows, { x, y, title }) {
  return tip(rows, pointer({ x, y, title, maxRadius: 60, fontSize: 13, lineWidth: 26, textPadding: 9 }));
}

// How many characters of a label fit, and the margin they take. Where the picture is narrow, long labels
// are stacked: each stands above its row.
export function labelRoom(width, labels, fontSize = 12) {
  const narrow = width < 520;
  const letter = 0.58 * fontSize;
  const longest = Math.max(3, ...labels.map((text) => [...text].length));
  if (narrow && longest > 12) return { characters: Math.floor(width / letter), margin: 10, stacked: true };
  const characters = Math.min(longest, narrow ? 12 : 30);
  return { characters, margin: Math.round(18 + letter * characters), stacked: false };
}
