// Chart: error against unfairness in a sweep, with a line for each method and ε and a slider for ρ.
import { axisX, axisY, dot, gridX, gridY, line, link, text } from "@observablehq/plot";
import { h } from "../dom.js";
import { legend } from "../legend.js";
import { picture, tips } from "../picture.js";
import { measured, number, percent, points, rounded } from "../text.js";

const SHADES = 6;
const SYMBOLS = ["circle", "square", "triangle", "diamond", "wye", "star"];

// Rounds a privacy cost up to three digits, so that the rounded cost is still true.
function up(x) {
    const scale = 10 ** (2 - Math.floor(Math.log10(x)));
    return number(Math.ceil(x * scale - 1e-6) / scale);
}

// Writes the requested ε, and after it the ε that is really guaranteed ("none" if there is none).
// Writes only the requested ε if the guaranteed ε is not larger and the paper claims no ε.
export function epsilonText({ epsilon, epsilon_holds: holds, epsilon_claimed: claimed }) {
    if (!measured(epsilon)) return "no noise";
    const asked = `ε = ${number(epsilon)}`;
    const found = measured(holds) ? `${up(holds)} holds` : "none holds";
    if (measured(claimed)) return `${asked} claimed, ${found}`;
    return measured(holds) && holds <= epsilon ? asked : `${asked} per phase, ${found}`;
}

// Groups the points into the lines of the chart, one for each method, solver and ε of the sweep.
export function lines(points_) {
    const found = new Map();
    const several = (field) => new Set(points_.map((point) => point[field])).size > 1;
    for (const point of points_) {
        const key = JSON.stringify([
            point.method,
            point.solver,
            point.epsilon,
            point.epsilon_holds,
            point.epsilon_claimed,
        ]);
        if (!found.has(key)) {
            const words = [
                ...(several("method") ? [point.method] : []),
                ...(several("solver") ? [point.solver] : []),
                epsilonText(point),
            ];
            found.set(key, { name: words.join(", "), index: found.size, shown: true, points: [] });
        }
        found.get(key).points.push(point);
    }
    for (const { points: own } of found.values()) own.sort((a, b) => a.rho - b.rho);
    return [...found.values()];
}

const color = (series) => `var(--series-${series.index % SHADES})`;

function pointTip(series, point) {
    const sd = (x) => (measured(x) && point.runs > 1 ? ` ± ${rounded(x)}` : "");
    return [
        `${series.name}, ρ = ${number(point.rho)}`,
        `Unfairness: ${points(point.unfairness.mean)}${sd(point.unfairness.sd)}`,
        `Error: ${percent(point.error.mean)}${sd(point.error.sd)}`,
        `${point.runs} runs`,
    ].join("\n");
}

function whiskers(rows, rho) {
    const known = rows.filter(({ point }) => point.runs > 1);
    const base = {
        stroke: ({ series }) => color(series),
        strokeOpacity: ({ point }) => (point.rho === rho ? 0.9 : 0.22),
        strokeWidth: 1.4,
    };
    const mid =
        (field) =>
        ({ point }) =>
            point[field].mean;
    const end =
        (field, sign) =>
        ({ point }) =>
            Math.max(0, point[field].mean + sign * point[field].sd);
    return [
        link(known, {
            x1: end("unfairness", -1),
            x2: end("unfairness", 1),
            y1: mid("error"),
            y2: mid("error"),
            ...base,
        }),
        link(known, {
            x1: mid("unfairness"),
            x2: mid("unfairness"),
            y1: end("error", -1),
            y2: end("error", 1),
            ...base,
        }),
    ];
}

function thisModel(data) {
    const x = data.unfairness?.after?.value;
    const y = data.error?.after?.value;
    return measured(x) && measured(y)
        ? [{ x, y, tip: `This model\nUnfairness: ${points(x)}\nError: ${percent(y)}` }]
        : [];
}

function draw(data, shown, rho, width) {
    const narrow = width < 520;
    const rows = shown.flatMap((series) =>
        series.points.map((point) => ({ series, point, tip: pointTip(series, point) })),
    );
    const x = ({ point }) => point.unfairness.mean;
    const y = ({ point }) => point.error.mean;
    const model = thisModel(data);
    const ticks = narrow ? 4 : 7;
    const axis = { tickSize: 0, color: "var(--muted)", labelArrow: "none", ticks };
    return picture({
        width,
        height: narrow ? 320 : 400,
        marginLeft: 46,
        marginRight: 16,
        marginTop: 30,
        marginBottom: 42,
        title: "error against unfairness for each ρ",
        x: { percent: true, zero: true, nice: true },
        y: { percent: true, nice: true },
        marks: [
            gridX({ stroke: "var(--grid)", strokeOpacity: 1, ticks }),
            gridY({ stroke: "var(--grid)", strokeOpacity: 1, ticks }),
            axisX({ ...axis, label: "unfairness, in points", labelAnchor: "center" }),
            axisY({ ...axis, label: "error, %" }),
            ...whiskers(rows, rho),
            line(rows, {
                x,
                y,
                z: ({ series }) => series.index,
                stroke: ({ series }) => color(series),
                strokeWidth: 2,
            }),
            dot(rows, {
                x,
                y,
                r: 3.5,
                fill: ({ series }) => color(series),
                symbol: ({ series }) => SYMBOLS[series.index % SYMBOLS.length],
            }),
            dot(
                rows.filter(({ point }) => point.rho === rho),
                {
                    x,
                    y,
                    r: 9,
                    stroke: "var(--ink)",
                    strokeWidth: 2,
                    fill: ({ series }) => color(series),
                    fillOpacity: 0.25,
                },
            ),
            dot(model, {
                x: "x",
                y: "y",
                r: 9,
                symbol: "star",
                fill: "var(--ink)",
                stroke: "var(--surface)",
            }),
            text(model, {
                x: "x",
                y: "y",
                text: () => "this model",
                dx: 10,
                dy: -11,
                textAnchor: "start",
                fontWeight: 600,
                fill: "var(--ink)",
                stroke: "var(--surface)",
                strokeWidth: 4,
            }),
            tips([...rows.map((row) => ({ x: x(row), y: y(row), tip: row.tip })), ...model], {
                x: "x",
                y: "y",
                title: "tip",
            }),
        ],
    });
}

function reading(shown, rho) {
    const one = (series) => {
        const point = series.points.find((own) => own.rho === rho);
        if (!point) return `${series.name}: not in the sweep`;
        const { unfairness, error } = point;
        const costs = `unfairness ${points(unfairness.mean)}, error ${percent(error.mean)}`;
        return `${series.name}: ${costs}`;
    };
    return [
        h("p", {}, `At ρ = ${number(rho)}:`),
        h("ul", {}, ...shown.map((series) => h("li", {}, one(series)))),
    ];
}

export function tradeoff(data, { controls }) {
    if (!data.tradeoff?.points.length) return null;
    const all = lines(data.tradeoff.points);
    const steps = [...new Set(data.tradeoff.points.map((point) => point.rho))].sort(
        (a, b) => a - b,
    );
    const distance = (i) => Math.abs(steps[i] - data.model.rho);
    let chosen = [...steps.keys()].reduce(
        (best, i) => (distance(i) < distance(best) ? i : best),
        0,
    );
    if (steps.length > 1)
        controls.slider(
            "Tolerance",
            steps.map((rho) => `ρ = ${number(rho)}`),
            chosen,
            (i) => {
                chosen = i;
            },
        );
    if (all.length > 1)
        controls.checks(
            "Lines",
            all.map((series) => [series.name, `series-${series.index % SHADES}`]),
            (i, on) => {
                all[i].shown = on;
            },
        );
    const said = h("div", { class: "reading", "aria-live": "polite" });
    return (width) => {
        const shown = all.filter((series) => series.shown);
        said.replaceChildren(...reading(shown, steps[chosen]));
        return [
            draw(data, shown, steps[chosen], width),
            said,
            legend([
                ["ring", "the chosen ρ"],
                ["whisker", "one standard deviation over the runs"],
                ...(thisModel(data).length ? [["star", "this model"]] : []),
            ]),
        ];
    };
}
