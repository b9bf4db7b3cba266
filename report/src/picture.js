// What all pictures share: one look, one kind of tip.
import { plot, pointer, pointerY, tip } from "@observablehq/plot";

// Plot labels the element of each mark with its kind, where a label has no meaning: the picture as
// a whole has one. The kind becomes the element's class. Axes keep theirs: Plot finds them by it,
// and hides them from readers of the screen.
function unlabelled(marks) {
    const flat = marks.flat(Infinity).filter(Boolean);
    for (const mark of flat.filter(({ ariaLabel }) => !/axis|grid/.test(ariaLabel))) {
        mark.className ??= mark.ariaLabel;
        mark.ariaLabel = undefined;
    }
    return flat;
}

export function picture({ fontSize = 12, marks, title, ...options }) {
    const svg = plot({
        className: "dp2dp-plot",
        ariaLabel: `Chart: ${title}. Tables on this page hold the numbers.`,
        style: {
            fontFamily: "inherit",
            fontSize: `${fontSize}px`,
            background: "none",
            overflow: "visible",
        },
        ...options,
        marks: unlabelled(marks),
    });
    svg.setAttribute("role", "img");
    return svg;
}

const LOOK = { fontSize: 13, lineHeight: 1.3, lineWidth: 26, textPadding: 9 };

// What is nearest to the pointer, or, in a picture of rows, what is in the pointer's row.
export const tips = (data, options) => tip(data, pointer({ maxRadius: 60, ...LOOK, ...options }));
export const rowTips = (data, options) =>
    tip(data, pointerY({ maxRadius: 20, ...LOOK, ...options }));

// An axis that holds low to high and ends at ticks, in at most `most` steps of 1, 2 or 5 times a
// power of ten.
export function round(low, high, most) {
    const slack = 1e-9;
    const unit = 10 ** Math.floor(Math.log10((high - low) / most));
    const ends = (step) => [Math.floor(low / step + slack), Math.ceil(high / step - slack)];
    const fits = ([first, last]) => last - first <= most;
    const step = [1, 2, 5, 10, 20].map((f) => f * unit).find((s) => fits(ends(s)));
    const [first, last] = ends(step);
    return { domain: [first * step, last * step], ticks: last - first };
}

// A picture's room for steps.
export const steps = (width) => (width < 520 ? 5 : 8);

// How many characters of a label fit, and the margin they take. Where the picture is narrow, long
// labels are stacked: each stands above its row. So are all if the row's value, of valueLength
// characters, stands there too: the picture then has the whole width.
export function labelRoom(width, labels, { fontSize = 12, valueLength = 0 } = {}) {
    const narrow = width < 520;
    const letter = 0.58 * fontSize;
    const longest = Math.max(3, ...labels.map((text) => [...text].length));
    if (narrow && (longest > 12 || valueLength))
        return {
            characters: Math.max(12, Math.floor(width / letter) - valueLength - 2),
            margin: 10,
            stacked: true,
        };
    const characters = Math.min(longest, narrow ? 12 : 30);
    return { characters, margin: Math.round(18 + letter * characters), stacked: false };
}
