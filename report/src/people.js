// Which classes and groups the pictures show. Charts listen; the controls set.
import { measured } from "./text.js";

export const MOST_AT_FIRST = 12;

function spread(values) {
    const known = values.filter(measured);
    return known.length ? Math.max(...known) - Math.min(...known) : 0;
}

// How much a class changes: the largest change of a group's rate, or, where nothing was measured
// before, the gap between groups.
export function change(table, column) {
    if (!table) return 0;
    const after = table.after.map((row) => row[column]?.rate);
    if (!table.before) return spread(after);
    const before = table.before.map((row) => row[column]?.rate);
    return Math.max(0, ...after.map((x, g) => Math.abs(x - before[g])).filter(measured));
}

// The indices of the n largest, in their own order.
export function largest(sizes, n) {
    const order = [...sizes.keys()].sort((a, b) => sizes[b] - sizes[a] || a - b);
    return order.slice(0, n).sort((a, b) => a - b);
}

export function selection(data) {
    const { classes, groups } = data;
    const sizes = classes.map((_, k) => change(data.rates, k));
    const first = classes.length === 2 ? [1] : largest(sizes, MOST_AT_FIRST);
    const listeners = [];
    return {
        classes: first,
        groups: [...groups.keys()],
        firstClasses: first,
        onchange: (listener) => listeners.push(listener),
        set(kind, indices) {
            this[kind] = indices;
            for (const listener of listeners) listener();
        },
    };
}
