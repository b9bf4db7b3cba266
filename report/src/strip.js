// Draws the same blocks as dumbbell.js, for data with too many groups to give each group a row.
// Here each heading has one row, and each group is a tick in that row.
import { axisX, gridX, link, ruleX, text } from "@observablehq/plot";
import { labelRoom, picture, round, steps, tips } from "./picture.js";
import { fromTo, label, measured } from "./text.js";

const ROW = 40;
const LANE = 7;

function range(block, side) {
    const rates = block.rows.map((row) => row[side]?.rate).filter(measured);
    return rates.length ? { low: Math.min(...rates), high: Math.max(...rates) } : null;
}

function lay(blocks, top, row) {
    return blocks.map((block, i) => {
        const y = top + row * (i + 1) - ROW / 2;
        const before = range(block, "before");
        return {
            ...block,
            y,
            before,
            after: range(block, "after"),
            lanes: { before: y - LANE, after: before ? y + LANE : y },
        };
    });
}

const lanes = (blocks, side) =>
    blocks
        .filter((block) => block[side])
        .map((block) => ({ ...block[side], y: block.lanes[side] }));
const ticks = (blocks, side) =>
    blocks.flatMap((block) =>
        block.rows
            .filter((row) => measured(row[side]?.rate))
            .map((row) => ({
                x: row[side].rate,
                y: block.lanes[side],
                tip: `${block.heading}\n${row.tip}`,
            })),
    );

function sideMarks(blocks, side) {
    const color = `var(--${side})`;
    return [
        link(lanes(blocks, side), {
            x1: "low",
            x2: "high",
            y1: "y",
            y2: "y",
            stroke: color,
            strokeOpacity: 0.35,
            strokeWidth: 8,
            strokeLinecap: "round",
        }),
        ruleX(ticks(blocks, side), {
            x: "x",
            y1: (tick) => tick.y - 5,
            y2: (tick) => tick.y + 5,
            stroke: color,
            strokeWidth: 1.6,
        }),
    ];
}

const spread = (range) => (range ? range.high - range.low : null);

export function strip({ blocks, width, axis = "", title }) {
    const top = 24;
    const room = labelRoom(
        width,
        blocks.map((block) => block.short ?? block.heading),
    );
    const row = room.stacked ? ROW + 18 : ROW;
    const placed = lay(blocks, top, row);
    const marginRight = 128;
    const all = [...ticks(placed, "before"), ...ticks(placed, "after")];
    const largest = Math.max(0.001, ...all.map((tick) => tick.x));
    const { domain, ticks: count } = round(0, 100 * largest, steps(width));
    return picture({
        width,
        height: top + row * blocks.length + 34,
        marginTop: top,
        marginBottom: 34,
        marginLeft: room.margin,
        marginRight,
        title,
        x: { domain, percent: true },
        y: { type: "identity", axis: null },
        marks: [
            gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks: count }),
            ruleX([0], { stroke: "var(--axis)" }),
            axisX({
                anchor: "bottom",
                label: axis,
                ticks: count,
                tickSize: 0,
                color: "var(--muted)",
                labelArrow: "none",
                labelAnchor: "center",
            }),
            text(placed, {
                y: "y",
                frameAnchor: "left",
                fill: "var(--ink)",
                ...(room.stacked
                    ? { dx: -room.margin, dy: -26, textAnchor: "start" }
                    : { dx: -10, textAnchor: "end" }),
                text: (block) => label(block.short ?? block.heading, room.characters),
            }),
            text(["gap"], {
                frameAnchor: "top-right",
                dx: marginRight,
                dy: -14,
                textAnchor: "end",
                text: (word) => word,
                fill: "var(--muted)",
            }),
            ...sideMarks(placed, "before"),
            ...sideMarks(placed, "after"),
            text(placed, {
                y: "y",
                frameAnchor: "right",
                dx: marginRight,
                textAnchor: "end",
                fill: "var(--ink)",
                fontVariant: "tabular-nums",
                text: (block) => fromTo(spread(block.before), spread(block.after), " points"),
            }),
            tips(all, { x: "x", y: "y", title: "tip" }),
        ],
    });
}
