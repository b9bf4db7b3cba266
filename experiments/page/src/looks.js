// How each series of a figure is drawn. The kind decides: ours is strong and blue, what is exact
// and not private is black and dashed, points on other data are hollow, the classifier alone is
// grey.
// Series of one figure differ in colour as long as there are colours, and in symbol.

const COLORS = {
    ours: ["series-0", "series-2", "series-3", "series-4", "series-5", "series-1"],
    reference: ["bound"],
    paper: ["series-1", "series-3", "series-4", "series-5"],
    rival: ["series-2", "series-3", "series-4", "series-5", "series-1"],
    "other-data": ["muted"],
    unfair: ["before"],
};
const SYMBOLS = {
    ours: ["circle", "square", "triangle", "diamond", "star", "wye"],
    reference: ["diamond", "square", "triangle"],
    paper: ["square", "triangle", "star", "wye"],
    rival: ["triangle", "diamond", "star", "wye", "square"],
    "other-data": ["square", "triangle", "diamond", "circle", "star"],
    unfair: ["times", "plus", "asterisk"],
};
const MORE = {
    ours: { width: 2.6, r: 4.2 },
    reference: { dash: "6 4" },
    "other-data": { hollow: true, dash: "1 4" },
    unfair: { thin: true },
};

// The kinds, in the order of the legend, and what they are called there.
export const KINDS = {
    ours: null,
    paper: "the paper's",
    reference: "reference",
    rival: "rival",
    "other-data": "other data",
    unfair: null,
};

const rotated = (list, i) => list.map((_, j) => list[(i + j) % list.length]);

// A colour and a symbol that no other series of the figure has together; a new colour if there is
// one.
function look(kind, i, used) {
    const colors = rotated(COLORS[kind], i);
    const color = COLORS[kind].find((name) => !used.has(name));
    const pairs = (color ? [color] : colors).flatMap((name) =>
        rotated(SYMBOLS[kind], i).map((symbol) => ({ name, symbol, id: `${name} ${symbol}` })),
    );
    const { name, symbol, id } = pairs.find((pair) => !used.has(pair.id)) ?? pairs[0];
    used.add(name).add(id);
    return {
        width: 1.8,
        symbol,
        r: ["circle", "square"].includes(symbol) ? 3.6 : 4.4,
        ...MORE[kind],
        color: `var(--${name})`,
    };
}

// How many figures have a series of each name.
export function frequencies(figures) {
    const found = new Map();
    for (const { panels } of figures) {
        const names = panels.flatMap(({ series }) => series.map(({ name }) => name));
        for (const name of new Set(names)) found.set(name, (found.get(name) ?? 0) + 1);
    }
    return found;
}

// The figure's series, one for each name, with the panels that have them. What is in most figures
// comes first among those of its kind, so that it looks the same in nearly all of them.
export function seriesOf(figure, often) {
    const found = new Map();
    for (const panel of figure.panels)
        for (const series of panel.series) {
            const key = `${series.kind}\n${series.name}`;
            if (!found.has(key))
                found.set(key, { name: series.name, kind: series.kind, shown: true, in: [] });
            found.get(key).in.push({ panel, series });
        }
    const used = new Set();
    return Object.keys(KINDS).flatMap((kind) =>
        [...found.values()]
            .filter((entry) => entry.kind === kind)
            .sort((a, b) => often.get(b.name) - often.get(a.name))
            .map((entry, i) => ({
                ...entry,
                look: look(kind, i, used),
                line: entry.in.some(({ series }) => series.line),
            })),
    );
}
