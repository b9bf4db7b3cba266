// What all pictures share: their look, tips, axes and room for labels.
import { plot, pointer, pointerY, tip } from "@observablehq/plot";

// Plot gives each mark an aria-label such as "dot". Here the picture as a whole has a label, so the
// label of each mark becomes a class instead. Axes and grids keep their labels, because Plot needs
// these labels to hide axes and grids from screen readers.
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

// Shows a tip about the nearest point (tips), or about the row under the pointer (rowTips).
export const tips = (data, options) => tip(data, pointer({ maxRadius: 60, ...LOOK, ...options }));
export const rowTips = (data, options) =>
    tip(data, pointerY({ maxRadius: 20, ...LOOK, ...options }));

// Returns a range for an axis. The range contains low and high, begins and ends at a tick, and has
// at most `most` steps. A step is 1, 2 or 5 times a power of ten.
export function round(low, high, most) {
    const slack = 1e-9;
    const unit = 10 ** Math.floor(Math.log10((high - low) / most));
    const ends = (step) => [Math.floor(low / step + slack), Math.ceil(high / step - slack)];
    const fits = ([first, last]) => last - first <= most;
    const step = [1, 2, 5, 10, 20].map((f) => f * unit).find((s) => fits(ends(s)));
    const [first, last] = ends(step);
    return { domain: [first * step, last * step], ticks: last - first };
}

// Returns how many steps of the axis a picture has room for.
export const steps = (width) => (width < 520 ? 5 : 8);

// Returns how many characters of a label fit, and the margin that the labels need. In a narrow
// picture, labels are stacked (written above their rows) if they are long, or if each row has a
// value. The value, of valueLength characters, is written on the same line as the label.
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
