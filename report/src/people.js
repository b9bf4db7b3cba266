// Stores which classes and groups the pictures show. The controls change this choice; the charts
// are drawn again after each change.
import { measured } from "./text.js";

export const MOST_AT_FIRST = 12;

function spread(values) {
    const known = values.filter(measured);
    return known.length ? Math.max(...known) - Math.min(...known) : 0;
}

// Returns how much the rate in a column changes: the largest change in any group. If nothing was
// measured before the rule, returns the gap between groups instead.
export function change(table, column) {
    if (!table) return 0;
    const after = table.after.map((row) => row[column]?.rate);
    if (!table.before) return spread(after);
    const before = table.before.map((row) => row[column]?.rate);
    return Math.max(0, ...after.map((x, g) => Math.abs(x - before[g])).filter(measured));
}

// Returns the indices of the n largest sizes, in ascending order of the indices.
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
