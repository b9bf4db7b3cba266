// Before and after, a row for each group, rows gathered under headings:
//     blocks: [{ heading, note, rows: [{ name, before, after, tip, strong }] }]
// where before and after are null or { rate, low, high }.
import { axisX, dot, gridX, link, rect, ruleX, ruleY, text } from "@observablehq/plot";
import { labelRoom, picture, tips } from "./picture.js";
import { fromTo, label, measured } from "./text.js";

const ROW = 27;
const HEADING = 34;

// Places every row and heading from top to bottom, in pixels.
function lay(blocks, top) {
  const placed = { rows: [], headings: [], bands: [], bottom: top };
  for (const block of blocks) {
    if (block.heading) {
      placed.headings.push({ y: placed.bottom + HEADING / 2 + 2, ...block });
      placed.bottom += HEADING;
    }
    const first = placed.bottom;
    for (const row of block.rows) {
      placed.rows.push({ ...row, y: placed.bottom + ROW / 2 });
      placed.bottom += ROW;
    }
    const rates = block.rows.map((row) => row.after?.rate).filter(measured);
    if (block.band && rates.length > 1)
      placed.bands.push({ low: Math.min(...rates), high: Math.max(...rates), top: first,
                          bottom: placed.bottom });
  }
  return placed;
}

const ends = (rows) =>
  rows.flatMap(({ before, after }) =>
    [before, after].filter(Boolean).flatMap((r) => [r.low, r.high, r.rate]).filter(measured));

const having = (rows, side) => rows.filter((row) => measured(row[side]?.rate));
const bounded = (rows, side) =>
  having(rows, side).filter((row) => measured(row[side].low) && measured(row[side].high));

function values(rows, marginRight, unit) {
  return text(rows, {
    y: "y", frameAnchor: "right", dx: marginRight, textAnchor: "end", fontVariant: "tabular-nums",
    text: (row) => row.value ?? fromTo(row.before?.rate, row.after?.rate, unit),
    fill: "var(--ink)",
  });
}

export function dumbbell({ blocks, width, unit = " %", axis = "", marker, ariaLabel }) {
  const narrow = width < 520;
  const top = 24;
  const { rows, headings, bands, bottom } = lay(blocks, top);
  const room = labelRoom(width, rows.map((row) => row.name));
  const marginRight = unit === " points" ? 132 : 104;
  const largest = Math.max(0.001, ...ends(rows), ...(marker ? [marker.value] : []));
  const x1 = (side) => (row) => row[side].rate;
  return picture({
    width, height: bottom + 34, marginTop: top, marginBottom: 34, marginLeft: room.margin, marginRight,
    ariaLabel,
    x: { domain: [0, Math.min(100, 104 * largest)], percent: true, clamp: true },
    y: { type: "identity", axis: null },
    marks: [
      rect(bands, { x1: "low", x2: "high", y1: "top", y2: "bottom", fill: "var(--band)", inset: -1 }),
      gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: narrow ? 4 : 8 }),
      ruleX([0], { stroke: "var(--axis)" }),
      axisX({ anchor: "bottom", label: axis, ticks: narrow ? 4 : 8, tickSize: 0, color: "var(--muted)",
              labelArrow: "none", labelAnchor: "center" }),
      text(headings, { y: "y", frameAnchor: "left", dx: -room.margin, textAnchor: "start", fontWeight: 600,
                       fontSize: 13, fill: "var(--ink)",
                       text: (block) => label(block.heading, Math.floor((width - 10) / 7.4)) }),
      narrow ? null : text(headings, { y: "y", frameAnchor: "right", dx: marginRight, textAnchor: "end",
                                       fill: "var(--muted)", text: (block) => block.note ?? "" }),
      text(rows, { y: "y", frameAnchor: "left", dx: -10, textAnchor: "end", fill: "var(--ink)",
                   fontWeight: (row) => (row.strong ? 700 : 400),
                   text: (row) => label(row.name, room.characters) }),
      ruleY(bounded(rows, "before"), { y: "y", x1: (row) => row.before.low, x2: (row) => row.before.high,
                                       stroke: "var(--before)", strokeWidth: 7, strokeOpacity: 0.28,
                                       strokeLinecap: "round" }),
      ruleY(bounded(rows, "after"), { y: "y", x1: (row) => row.after.low, x2: (row) => row.after.high,
                                      stroke: "var(--after)", strokeWidth: 7, strokeOpacity: 0.32,
                                      strokeLinecap: "round" }),
      link(having(having(rows, "before"), "after"),
           { x1: x1("before"), x2: x1("after"), y1: "y", y2: "y", stroke: "var(--ink)",
             strokeOpacity: 0.55, strokeWidth: 1.5 }),
      dot(having(rows, "before"), { x: x1("before"), y: "y", r: 5, fill: "var(--surface)",
                                    stroke: "var(--before)", strokeWidth: 2 }),
      dot(having(rows, "after"), { x: x1("after"), y: "y", r: 5.5, fill: "var(--after)",
                                   stroke: "var(--surface)", strokeWidth: 1 }),
      marker ? ruleX(rows.filter((row) => row.strong), { x: () => marker.value, y1: (row) => row.y - 12,
                                                         y2: (row) => row.y + 12, stroke: "var(--mark)",
                                                         strokeWidth: 2.5 }) : null,
      values(rows, marginRight, unit),
      tips(rows.filter((row) => measured(row.after?.rate ?? row.before?.rate)),
           { x: (row) => row.after?.rate ?? row.before.rate, y: "y", title: "tip" }),
    ],
  });
}
