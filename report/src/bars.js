// Draws a bar for each row, under headings:
//     blocks: [{ heading: (longest) => text, rows: [{ name, value, text, tip }] }]
// `heading` returns a text of at most `longest` letters.
// The bar of a negative value points left.
import { axisX, gridX, rect, ruleX, text } from "@observablehq/plot";
import { labelRoom, picture, round, rowTips, steps } from "./picture.js";
import { label } from "./text.js";

const ROW = 26;
const HEADING = 34;
const SECOND_LINE = 17;

// Places every row and heading from top to bottom, in pixels. If `stacked`, the name and the text
// of a row are above its bar, not beside it.
function lay(blocks, top, stacked) {
    const above = stacked ? SECOND_LINE : 0;
    const placed = { rows: [], headings: [], bottom: top };
    for (const block of blocks) {
        const heading = {
            ...block,
            y: placed.bottom + HEADING / 2 + 2,
            top: placed.bottom + HEADING,
        };
        placed.headings.push(heading);
        placed.bottom = heading.top;
        for (const row of block.rows) {
            placed.rows.push({ ...row, y: placed.bottom + above + ROW / 2 });
            placed.bottom += ROW + above;
        }
        heading.bottom = placed.bottom;
    }
    return placed;
}

export function bars({ blocks, width, percent, axis = "", title }) {
    const top = 2;
    const everyRow = blocks.flatMap((block) => block.rows);
    const valueLength = Math.max(...everyRow.map((row) => row.text.length));
    const room = labelRoom(
        width,
        everyRow.map((row) => row.name),
        { valueLength },
    );
    const marginRight = room.stacked ? 10 : Math.round(16 + 7 * valueLength);
    const dy = room.stacked ? -SECOND_LINE : 0;
    const { rows, headings, bottom } = lay(blocks, top, room.stacked);
    const scale = percent ? 100 : 1;
    const low = Math.min(0, ...rows.map((row) => row.value)) * scale;
    const high = Math.max(1e-6, ...rows.map((row) => row.value)) * scale;
    const { domain, ticks } = round(low, high, steps(width));
    return picture({
        width,
        height: bottom + 34,
        marginTop: top,
        marginBottom: 34,
        marginLeft: room.margin,
        marginRight,
        title,
        x: { domain, percent },
        y: { type: "identity", axis: null },
        marks: [
            gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks }),
            axisX({
                anchor: "bottom",
                label: axis,
                ticks,
                tickSize: 0,
                color: "var(--muted)",
                labelArrow: "none",
                labelAnchor: "center",
            }),
            text(headings, {
                y: "y",
                frameAnchor: "left",
                dx: -room.margin,
                textAnchor: "start",
                fontWeight: 600,
                fontSize: 13,
                fill: "var(--ink)",
                stroke: "var(--surface)",
                strokeWidth: 5,
                text: (block) => block.heading(Math.floor((width - 10) / 7.4)),
            }),
            text(rows, {
                y: "y",
                frameAnchor: "left",
                dx: room.stacked ? -room.margin : -10,
                dy,
                textAnchor: room.stacked ? "start" : "end",
                fill: "var(--ink)",
                stroke: "var(--surface)",
                strokeWidth: 4,
                text: (row) => label(row.name, room.characters),
            }),
            rect(rows, {
                x1: 0,
                x2: "value",
                y1: (row) => row.y - 8,
                y2: (row) => row.y + 8,
                fill: (row) => (row.value < 0 ? "var(--minus)" : "var(--plus)"),
                r: 2,
            }),
            ruleX(headings, { x: () => 0, y1: "top", y2: "bottom", stroke: "var(--axis)" }),
            text(rows, {
                y: "y",
                frameAnchor: "right",
                dx: marginRight,
                dy,
                textAnchor: "end",
                fill: "var(--ink)",
                stroke: "var(--surface)",
                strokeWidth: 4,
                fontVariant: "tabular-nums",
                text: "text",
            }),
            rowTips(rows, { x: "value", y: "y", title: "tip" }),
        ],
    });
}
