// Shares of people as bars, a row for each group, rows gathered under headings:
//     blocks: [{ heading: (longest) => text, rows: [{ name, value, text, tip }] }]
// A value below zero points left.
import { axisX, gridX, rect, ruleX, text } from "@observablehq/plot";
import { labelRoom, picture, rowTips } from "./picture.js";
import { label } from "./text.js";

const ROW = 26;
const HEADING = 34;

function lay(blocks, top) {
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
            placed.rows.push({ ...row, y: placed.bottom + ROW / 2 });
            placed.bottom += ROW;
        }
        heading.bottom = placed.bottom;
    }
    return placed;
}

export function bars({ blocks, width, percent, axis = "", marginRight = 128, title }) {
    const narrow = width < 520;
    const top = 2;
    const { rows, headings, bottom } = lay(blocks, top);
    const room = labelRoom(
        width,
        rows.map((row) => row.name),
    );
    const scale = percent ? 100 : 1;
    const low = Math.min(0, ...rows.map((row) => row.value)) * scale;
    const high = Math.max(1e-6, ...rows.map((row) => row.value)) * scale;
    return picture({
        width,
        height: bottom + 34,
        marginTop: top,
        marginBottom: 34,
        marginLeft: room.margin,
        marginRight,
        title,
        x: { domain: [low * 1.02, high * 1.02], percent },
        y: { type: "identity", axis: null },
        marks: [
            gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: narrow ? 3 : 8 }),
            axisX({
                anchor: "bottom",
                label: axis,
                ticks: narrow ? 3 : 8,
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
                dx: -10,
                textAnchor: "end",
                fill: "var(--ink)",
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
                textAnchor: "end",
                fill: "var(--ink)",
                fontVariant: "tabular-nums",
                text: "text",
            }),
            rowTips(rows, { x: "value", y: "y", title: "tip" }),
        ],
    });
}
