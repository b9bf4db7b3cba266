// Draws the numbers of many groups as a heat map: a column for each group, a row for each heading.
//     cells: [{ row, column, value, tip }]
//     columns: labels
//     rows: labels, or functions (longest) => text that return a label of at most `longest` letters
//     alone: indices of the rows that each have a colour scale of their own
import { axisX, axisY, cell, text } from "@observablehq/plot";
import { picture, tips } from "./picture.js";
import { label } from "./text.js";

const LONGEST_COLUMN = 14;

export function matrix({
    cells,
    rows,
    columns,
    width,
    print,
    diverging = false,
    alone = [],
    title,
}) {
    const written = (row, longest) =>
        typeof row === "function" ? row(longest) : label(row, longest);
    const longestRow = width < 520 ? 15 : 30;
    const characters = Math.min(
        longestRow,
        Math.max(...rows.map((row) => [...written(row, longestRow)].length)),
    );
    const marginLeft = Math.round(16 + 6.9 * characters);
    const longest = Math.min(LONGEST_COLUMN, Math.max(...columns.map((name) => [...name].length)));
    const top = Math.round(18 + 6.4 * longest);
    const largest = rows.map((_, i) =>
        Math.max(
            1e-12,
            ...cells
                .filter(({ row }) => (alone.includes(i) ? row === i : !alone.includes(row)))
                .map((c) => Math.abs(c.value)),
        ),
    );
    const size = (width - marginLeft) / columns.length;
    const shade = (c) => Math.abs(c.value) / largest[c.row];
    const color = (c) => (diverging && c.value < 0 ? "var(--minus)" : "var(--plus)");
    return picture({
        width,
        height: top + 26 * rows.length + 6,
        marginTop: top,
        marginBottom: 6,
        marginLeft,
        marginRight: 14,
        title,
        x: { type: "band", domain: columns.keys(), padding: 0.06 },
        y: { type: "band", domain: rows.keys(), padding: 0.06 },
        marks: [
            axisX({
                anchor: "top",
                tickSize: 0,
                fontSize: Math.min(12, Math.max(8, size - 0.5)),
                tickRotate: size < 18 ? -90 : -60,
                textAnchor: "start",
                dy: -4,
                color: "var(--ink)",
                label: null,
                tickFormat: (i) => label(columns[i], LONGEST_COLUMN),
            }),
            axisY({
                tickSize: 0,
                color: "var(--ink)",
                label: null,
                marginLeft,
                tickFormat: (i) => written(rows[i], characters),
            }),
            cell(cells, { x: "column", y: "row", fill: "var(--cell)" }),
            cell(cells, { x: "column", y: "row", fill: color, fillOpacity: shade }),
            size < 38
                ? null
                : text(cells, {
                      x: "column",
                      y: "row",
                      text: (c) => print(c.value),
                      fontSize: 11,
                      fill: (c) => (shade(c) > 0.55 ? "var(--surface)" : "var(--ink)"),
                  }),
            tips(cells, { x: "column", y: "row", title: "tip" }),
        ],
    });
}
