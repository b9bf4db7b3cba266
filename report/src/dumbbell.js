// Draws the rates of each group before and after the rule, a row for each group, under headings:
//     blocks: [{ heading, note, rows: [{ name, before, after, tip, … }], band }]
// `before` and `after` are null or { rate, low, high }. A row may also have `strong` (a bold name),
// `value` (a text to write instead of its rates) and `marks`: [{ at, color }] (lines across the
// row, for example at a bound).
import { axisX, dot, gridX, link, rect, ruleX, ruleY, text } from "@observablehq/plot";
import { labelRoom, picture, round, rowTips, steps } from "./picture.js";
import { fromTo, label, measured } from "./text.js";

const SIZES = {
    usual: { row: 27, heading: 36, font: 12, dot: 5.5, bar: 7 },
    big: { row: 44, heading: 42, font: 14, dot: 8, bar: 10 },
};
const SECOND_LINE = 17;

// Places every row and heading from top to bottom, in pixels.
function lay(blocks, size, room, narrow) {
    const placed = { rows: [], headings: [], bands: [], extents: [], bottom: 2 };
    const above = room.stacked ? SECOND_LINE : 0;
    const height = room.stacked ? Math.min(size.row, 32) : size.row;
    for (const block of blocks) {
        if (block.heading) {
            placed.headings.push({ ...block, y: placed.bottom + size.heading / 2 + 3 });
            placed.bottom += size.heading + (narrow && block.note ? SECOND_LINE : 0);
        }
        const first = placed.bottom;
        for (const row of block.rows) {
            placed.rows.push({ ...row, y: placed.bottom + above + height / 2 });
            placed.bottom += height + above;
        }
        placed.extents.push({ top: first, bottom: placed.bottom });
        const rates = block.rows.map((row) => row.after?.rate).filter(measured);
        if (block.band && rates.length > 1)
            placed.bands.push({
                low: Math.min(...rates),
                high: Math.max(...rates),
                top: first,
                bottom: placed.bottom,
            });
    }
    return placed;
}

const ends = (rows) =>
    rows.flatMap(({ before, after, marks = [] }) =>
        [before, after]
            .filter(Boolean)
            .flatMap((r) => [r.low, r.high, r.rate])
            .concat(marks.map(({ at }) => at))
            .filter(measured),
    );

const having = (rows, side) => rows.filter((row) => measured(row[side]?.rate));
const bounded = (rows, side) =>
    having(rows, side).filter((row) => measured(row[side].low) && measured(row[side].high));
const rateOf = (side) => (row) => row[side].rate;

function headingMarks(headings, { width, room, narrow, size, marginRight }) {
    const halo = { stroke: "var(--surface)", strokeWidth: 5 };
    const longest = Math.floor((width - (narrow ? 10 : 190)) / (0.6 * (size.font + 1)));
    const note = { text: (block) => block.note ?? "", fill: "var(--muted)", ...halo };
    return [
        text(headings, {
            y: "y",
            frameAnchor: "left",
            dx: -room.margin,
            textAnchor: "start",
            fontWeight: 600,
            fontSize: size.font + 1,
            fill: "var(--ink)",
            ...halo,
            text: (block) => label(block.heading, longest),
        }),
        text(
            headings,
            narrow
                ? {
                      y: "y",
                      frameAnchor: "left",
                      dx: -room.margin,
                      dy: SECOND_LINE,
                      textAnchor: "start",
                      ...note,
                  }
                : { y: "y", frameAnchor: "right", dx: marginRight, textAnchor: "end", ...note },
        ),
    ];
}

function nameMarks(rows, room) {
    const place = room.stacked
        ? { dx: -room.margin, dy: -SECOND_LINE, textAnchor: "start" }
        : { dx: -10, textAnchor: "end" };
    const names = (strong) =>
        text(
            rows.filter((row) => Boolean(row.strong) === strong),
            {
                y: "y",
                frameAnchor: "left",
                ...place,
                fill: "var(--ink)",
                fontWeight: strong ? 700 : 400,
                stroke: "var(--surface)",
                strokeWidth: 4,
                text: (row) => label(row.name, room.characters),
            },
        );
    return [names(false), names(true)];
}

function rateMarks(rows, size) {
    const interval = (side) =>
        ruleY(bounded(rows, side), {
            y: "y",
            x1: (row) => row[side].low,
            x2: (row) => row[side].high,
            stroke: `var(--${side})`,
            strokeWidth: size.bar,
            strokeOpacity: 0.3,
            strokeLinecap: "round",
        });
    return [
        interval("before"),
        interval("after"),
        link(having(having(rows, "before"), "after"), {
            x1: rateOf("before"),
            x2: rateOf("after"),
            y1: "y",
            y2: "y",
            stroke: "var(--ink)",
            strokeOpacity: 0.55,
            strokeWidth: 1.5,
        }),
        dot(having(rows, "before"), {
            x: rateOf("before"),
            y: "y",
            r: size.dot - 0.5,
            fill: "var(--surface)",
            stroke: "var(--before)",
            strokeWidth: 2,
        }),
        dot(having(rows, "after"), {
            x: rateOf("after"),
            y: "y",
            r: size.dot,
            fill: "var(--after)",
            stroke: "var(--surface)",
            strokeWidth: 1,
        }),
    ];
}

// Writes the value of each row at the right. In a stacked row, whose name is above its picture, the
// value is on the line of the name.
function valueMark(rows, { stacked }, marginRight, value) {
    return text(rows, {
        y: "y",
        frameAnchor: "right",
        dx: marginRight,
        dy: stacked ? -SECOND_LINE : 0,
        textAnchor: "end",
        fontVariant: "tabular-nums",
        fill: "var(--ink)",
        stroke: "var(--surface)",
        strokeWidth: 4,
        text: value,
    });
}

const crossMarks = (rows) =>
    ruleX(
        rows.flatMap(({ y, marks = [] }) => marks.map((mark) => ({ y, ...mark }))),
        {
            x: "at",
            y1: ({ y }) => y - 12,
            y2: ({ y }) => y + 12,
            stroke: "color",
            strokeWidth: 2.5,
        },
    );

export function dumbbell({ blocks, width, unit = " %", axis = "", whole, big, title }) {
    const narrow = width < 520;
    const size = big ? SIZES.big : SIZES.usual;
    const value = (row) => row.value ?? fromTo(row.before?.rate, row.after?.rate, unit);
    const everyRow = blocks.flatMap((block) => block.rows);
    const valueLength = Math.max(...everyRow.map((row) => value(row).length));
    const room = labelRoom(
        width,
        everyRow.map((row) => row.name),
        { fontSize: size.font, valueLength },
    );
    const { rows, headings, bands, extents, bottom } = lay(blocks, size, room, narrow);
    const marginRight = room.stacked ? 10 : Math.round(16 + 0.58 * size.font * valueLength);
    const largest = whole ? 1 : Math.max(0.001, ...ends(rows));
    const { domain, ticks } = round(0, 100 * largest, steps(width));
    return picture({
        width,
        height: bottom + 38,
        marginTop: 2,
        marginBottom: 38,
        marginLeft: room.margin,
        marginRight,
        title,
        fontSize: size.font,
        x: { domain, percent: true, clamp: true },
        y: { type: "identity", axis: null },
        marks: [
            rect(bands, {
                x1: "low",
                x2: "high",
                y1: "top",
                y2: "bottom",
                fill: "var(--band)",
                inset: -1,
            }),
            gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks }),
            ruleX(extents, { x: () => 0, y1: "top", y2: "bottom", stroke: "var(--axis)" }),
            axisX({
                anchor: "bottom",
                label: axis,
                ticks,
                tickSize: 0,
                color: "var(--muted)",
                labelArrow: "none",
                labelAnchor: "center",
                labelOffset: 34,
            }),
            ...headingMarks(headings, { width, room, narrow, size, marginRight }),
            ...nameMarks(rows, room),
            ...rateMarks(rows, size),
            crossMarks(rows),
            valueMark(rows, room, marginRight, value),
            rowTips(
                rows.filter((row) => measured(row.after?.rate ?? row.before?.rate)),
                { x: (row) => row.after?.rate ?? row.before.rate, y: "y", title: "tip" },
            ),
        ],
    });
}
