// One chart: points with whiskers, lines through them, fitted lines and marks.
import { axisX, axisY, dot, gridX, gridY, line, link, text } from "@observablehq/plot";
import { picture, tips } from "../../../report/src/picture.js";
import { label as cut, measured } from "../../../report/src/text.js";
import { drawable, ends, position, scale, written } from "./scales.js";

const MARGIN = { marginLeft: 50, marginRight: 18, marginTop: 32, marginBottom: 42 };
const HALO = { stroke: "var(--surface)", strokeWidth: 4, paintOrder: "stroke" };

// What is drawn of a panel: rows of shown series, and how many points are not.
export function rowsOf(panel, shown) {
    const rows = [];
    let missing = 0;
    let notPositive = 0;
    // Ours is drawn last, on top.
    for (const entry of [...shown].reverse())
        for (const { series } of entry.in.filter((own) => own.panel === panel))
            for (const point of series.points) {
                if (!measured(point.x) || !measured(point.y)) missing += 1;
                else if (!drawable(panel.x, point.x) || !drawable(panel.y, point.y))
                    notPositive += 1;
                else rows.push({ entry, series, point, x: point.x, y: point.y });
            }
    return { rows, missing, notPositive };
}

function spread(axis, point, name) {
    const value = `${axis.label}: ${written(axis, point[name])}`;
    const low = point[`${name}_low`];
    const high = point[`${name}_high`];
    const sd = point[`${name}_sd`];
    const parts = [
        ...(measured(sd) ? [` ± ${written(axis, sd)}`] : []),
        ...(measured(low) && measured(high)
            ? [` (${written(axis, low)} to ${written(axis, high)})`]
            : []),
    ];
    return value + parts.join("");
}

function tipOf(panel, { entry, series, point }) {
    return [
        entry.kind === "other-data" ? `${entry.name} (other data)` : entry.name,
        ...(point.label ? [point.label] : []),
        spread(panel.x, point, "x"),
        spread(panel.y, point, "y"),
        ...(measured(point.runs) ? [point.runs === 1 ? "1 run" : `${point.runs} runs`] : []),
        `Privacy: ${series.privacy}`,
    ].join("\n");
}

// The scales of a panel, or null where nothing is drawn.
export function scalesOf(panel, rows, shown, width) {
    if (!rows.length) return null;
    const axis = (name) => {
        const values = [
            ...rows.map((row) => row.point[name]),
            ...(panel.lines ?? []).flatMap((own) => own.points.map((end) => end[name])),
            ...(panel.marks ?? []).filter((own) => own.axis === name).map((own) => own.value),
        ];
        const whiskers_ = shown ? rows.flatMap((row) => ends(row.point, name) ?? []) : [];
        return scale(panel[name], values, whiskers_, width);
    };
    return { x: axis("x"), y: axis("y") };
}

function whiskers(panel, rows, scales) {
    const across = (name, other) => {
        const unit = panel[name].percent ? 100 : 1;
        const [least, most] = scales[name].domain.map((end) => end / unit);
        const known = rows
            .map((row) => ({ ...row, ends: ends(row.point, name) }))
            .filter((row) => row.ends);
        return link(known, {
            [`${name}1`]: ({ ends: [low] }) => Math.max(least, low),
            [`${name}2`]: ({ ends: [, high] }) => Math.min(most, high),
            [`${other}1`]: other,
            [`${other}2`]: other,
            stroke: ({ entry }) => entry.look.color,
            strokeWidth: 1.2,
            strokeOpacity: rows.length > 50 ? 0.3 : 0.45,
        });
    };
    return [across("x", "y"), across("y", "x")];
}

function symbols(rows) {
    const common = { x: "x", y: "y", symbol: ({ entry }) => entry.look.symbol };
    const filled = (row) => !row.entry.look.hollow && !row.entry.look.thin;
    const color = ({ entry }) => entry.look.color;
    return [
        dot(
            rows.filter((row) => row.entry.look.thin),
            { ...common, r: 5, stroke: color, strokeWidth: 2.2 },
        ),
        dot(
            rows.filter((row) => row.entry.look.hollow),
            { ...common, r: 4.5, stroke: color, strokeWidth: 1.7, fill: "var(--surface)" },
        ),
        dot(rows.filter(filled), {
            ...common,
            r: ({ entry }) => entry.look.r,
            fill: color,
            stroke: "var(--surface)",
            strokeWidth: 0.8,
        }),
    ];
}

const lines = (rows) =>
    [...new Set(rows.filter(({ series }) => series.line).map(({ series }) => series))].map(
        (series) => {
            const own = rows.filter((row) => row.series === series);
            const { look } = own[0].entry;
            return line(own, {
                x: "x",
                y: "y",
                stroke: look.color,
                strokeWidth: look.width,
                strokeDasharray: look.dash ?? undefined,
                strokeLinejoin: "round",
            });
        },
    );

// The fitted lines of a panel differ in their dash, and have the colour of their series if they
// name one.
export const fitsOf = (panel, all) =>
    (panel.lines ?? []).map((own, i) => ({
        ...own,
        dash: ["3 3", "9 4", "1 3", "9 3 2 3"][i % 4],
        color: all.find((entry) => entry.name === own.series)?.look.color ?? "var(--ink)",
    }));

const fitMarks = (fits) =>
    fits.map(({ points, dash, color }) =>
        line(points, {
            x: "x",
            y: "y",
            stroke: color,
            strokeWidth: 1.5,
            strokeDasharray: dash,
        }),
    );

// The marks of a panel: lines, and labels that stand above all that is drawn.
function marks(panel, scales, letters) {
    const unit = (name) => (panel[name].percent ? 100 : 1);
    const all = (panel.marks ?? []).map((mark, i) => {
        const other = mark.axis === "x" ? "y" : "x";
        const [low, high] = scales[other].domain.map((end) => end / unit(other));
        return { ...mark, other, low, high, i };
    });
    const far = (value) => position(scales.x, unit("x") * value) > 0.6;
    const place = ({ axis, value, i }) =>
        axis === "x"
            ? { textAnchor: far(value) ? "end" : "start", dx: far(value) ? -5 : 5, dy: 8 + 15 * i }
            : { textAnchor: "end", dy: -7 };
    const rules = all.map(({ axis, other, value, low, high }) =>
        link([0], {
            [`${axis}1`]: () => value,
            [`${axis}2`]: () => value,
            [`${other}1`]: () => low,
            [`${other}2`]: () => high,
            stroke: "var(--muted)",
            strokeWidth: 1.4,
            strokeDasharray: "5 3",
        }),
    );
    const labels = all.map((mark) =>
        text([0], {
            [mark.axis]: () => mark.value,
            [mark.other]: () => mark.high,
            text: () => cut(mark.label, letters),
            fill: "var(--muted)",
            ...place(mark),
            ...HALO,
        }),
    );
    return { rules, labels };
}

export function draw(panel, { rows, fits, scales, spread: shown, width }) {
    const height = Math.round(Math.min(500, Math.max(320, 0.7 * width)));
    const letters = Math.floor(width / 7);
    const axis = (name) => ({
        ticks: scales[name].ticks,
        ...(scales[name].tickFormat ? { tickFormat: scales[name].tickFormat } : {}),
    });
    const look = { tickSize: 0, color: "var(--muted)", labelArrow: "none" };
    const grid = { stroke: "var(--grid)", strokeOpacity: 1 };
    const unit = (name) => (panel[name].percent ? ", %" : "");
    const options = (name) => ({
        type: scales[name].type,
        domain: scales[name].domain,
        percent: panel[name].percent,
    });
    const { rules, labels } = marks(panel, scales, Math.floor(letters / 2));
    const tipped = rows.map((row) => ({ ...row, tip: tipOf(panel, row) }));
    return picture({
        width,
        height,
        ...MARGIN,
        title: `${panel.title}: ${panel.y.label} against ${panel.x.label}`,
        x: options("x"),
        y: options("y"),
        r: { type: "identity" },
        marks: [
            gridX({ ...grid, ticks: scales.x.ticks }),
            gridY({ ...grid, ticks: scales.y.ticks }),
            axisX({
                ...look,
                ...axis("x"),
                label: cut(panel.x.label + unit("x"), letters),
                labelAnchor: "center",
            }),
            axisY({ ...look, ...axis("y"), label: cut(panel.y.label + unit("y"), letters) }),
            ...rules,
            ...(shown ? whiskers(panel, rows, scales) : []),
            ...lines(rows),
            ...symbols(rows),
            ...fitMarks(fits),
            ...labels,
            tips(tipped, { x: "x", y: "y", title: "tip" }),
        ],
    });
}
