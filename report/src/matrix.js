// Numbers of many groups at once: a column for each group, a row for each heading, the shade is the number.
//     cells: [{ row, column, value, tip }], rows and columns: labels
import { axisX, axisY, cell, text } from "@observablehq/plot";
import { labelRoom, picture, tips } from "./picture.js";
import { label } from "./text.js";

export function matrix({ cells, rows, columns, width, print, diverging = false, ariaLabel }) {
  const room = labelRoom(width, rows);
  const top = 92;
  const largest = Math.max(1e-12, ...cells.map((c) => Math.abs(c.value)));
  const size = (width - room.margin) / columns.length;
  const shade = (c) => Math.abs(c.value) / largest;
  const color = (c) => (diverging && c.value < 0 ? "var(--minus)" : "var(--plus)");
  return picture({
    width, height: top + 26 * rows.length + 6, marginTop: top, marginBottom: 6, marginLeft: room.margin,
    marginRight: 2, ariaLabel,
    x: { type: "band", domain: columns.keys(), padding: 0.06, tickFormat: (i) => label(columns[i], 12) },
    y: { type: "band", domain: rows.keys(), padding: 0.06 },
    marks: [
      axisX({ anchor: "top", tickSize: 0, tickRotate: -60, color: "var(--ink)", label: null }),
      axisY({ tickSize: 0, color: "var(--ink)", label: null, marginLeft: room.margin,
              tickFormat: (i) => label(rows[i], room.characters) }),
      cell(cells, { x: "column", y: "row", fill: "var(--cell)" }),
      cell(cells, { x: "column", y: "row", fill: color, fillOpacity: shade }),
      size < 44 ? null : text(cells, { x: "column", y: "row", text: (c) => print(c.value), fontSize: 11,
                                       fill: (c) => (shade(c) > 0.55 ? "var(--surface)" : "var(--ink)") }),
      tips(cells, { x: "column", y: "row", title: "tip" }),
    ],
  });
}
