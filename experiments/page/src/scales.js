// The axis of a panel: what it spans, where its ticks are, and how its numbers are written.
import { round, steps } from "../../../report/src/picture.js";
import { measured } from "../../../report/src/text.js";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
const fine = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
const twoDigits = new Intl.NumberFormat("en", {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
});

// A number of the axis as a tip shows it.
export function written(axis, x) {
    if (axis.percent) return `${twoDigits.format(100 * x)}\u00a0%`;
    if (x !== 0 && Math.abs(x) < 1e-4) return x.toExponential(2);
    return (Number.isInteger(x) ? whole : fine).format(x);
}

// The ends of a point's whisker: its interval, else one standard deviation, else none.
export function ends(point, axis) {
    const low = point[`${axis}_low`];
    const high = point[`${axis}_high`];
    if (measured(low) && measured(high)) return [low, high];
    const sd = point[`${axis}_sd`];
    return measured(sd) && sd > 0 ? [point[axis] - sd, point[axis] + sd] : null;
}

export const drawable = (axis, x) => measured(x) && (axis.scale !== "log" || x > 0);

function logTicks([low, high]) {
    const found = [];
    const decades = Math.log10(high / low);
    const factors = decades > 2.5 ? [1] : decades > 1.2 ? [1, 3] : [1, 2, 5];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
        for (const factor of factors) found.push(factor * 10 ** power);
    const inside = found.filter((x) => x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9));
    return inside.length > 7 ? inside.filter((_, i) => i % 2 === 0) : inside;
}

const logText = (x) => (Math.abs(x) >= 1e4 ? compact.format(x) : fine.format(x));

function logScale(axis, values, factor) {
    const positive = values.filter((x) => x > 0).map((x) => factor * x);
    const domain = [Math.min(...positive) / 1.15, Math.max(...positive) * 1.15];
    return { type: "log", domain, ticks: logTicks(domain), tickFormat: logText };
}

// `points` decide what the axis spans, whiskers too as far as they are drawn: on a log scale a
// whisker that reaches zero ends below the smallest point, and shares do not go below zero.
export function scale(axis, values, whiskers, width) {
    const factor = axis.percent ? 100 : 1;
    const least = Math.min(...values);
    if (axis.scale === "log") {
        const kept = whiskers.filter((x) => x >= least / 2);
        return logScale(axis, [...values, ...kept], factor);
    }
    const all = [...values, ...(least >= 0 ? whiskers.map((x) => Math.max(0, x)) : whiskers)];
    const high = Math.max(...all);
    const low = Math.min(...all);
    const start = low > 0 && low < 0.25 * high ? 0 : low;
    const last = high > start ? high : start + (Math.abs(start) || 1);
    const { domain, ticks } = round(factor * start, factor * last, steps(width));
    return { type: "linear", domain, ticks };
}

// Panels of one figure with the same axis are easier to compare if it spans the same in each, as
// long as none of them becomes small.
export function shared(scales) {
    if (scales.length < 2 || scales.some(({ type }) => type !== scales[0].type)) return null;
    const size = ([low, high]) =>
        scales[0].type === "log" ? Math.log(high / low) : high - low;
    const domain = [
        Math.min(...scales.map((own) => own.domain[0])),
        Math.max(...scales.map((own) => own.domain[1])),
    ];
    return scales.every((own) => size(own.domain) > 0.6 * size(domain)) ? domain : null;
}

// From a value, in the units of the domain, to its share of the way along the axis.
export const position = ({ type, domain: [low, high] }, x) =>
    type === "log" ? Math.log(x / low) / Math.log(high / low) : (x - low) / (high - low);

export const retick = (own, domain, width) =>
    own.type === "log"
        ? { ...own, domain, ticks: logTicks(domain) }
        : { ...own, ...round(...domain, steps(width)) };
