// The legend of a figure: what each series is, what privacy it has, and whether it is shown.
import { dot, ruleY } from "@observablehq/plot";
import { h } from "../../../report/src/dom.js";
import { picture } from "../../../report/src/picture.js";
import { KINDS } from "./looks.js";
import { ends } from "./scales.js";

function swatch({ look, line, name }) {
    const paint = look.thin
        ? { stroke: look.color, strokeWidth: 2.2 }
        : look.hollow
          ? { stroke: look.color, strokeWidth: 1.7, fill: "var(--surface)" }
          : { fill: look.color, stroke: "var(--surface)", strokeWidth: 0.8 };
    const svg = picture({
        width: 34,
        height: 14,
        margin: 0,
        title: name,
        x: { type: "identity", axis: null },
        y: { type: "identity", axis: null },
        marks: [
            ...(line
                ? [
                      ruleY([7], {
                          x1: 1,
                          x2: 33,
                          stroke: look.color,
                          strokeWidth: look.width,
                          strokeDasharray: look.dash ?? undefined,
                      }),
                  ]
                : []),
            dot([[17, 7]], { symbol: look.symbol, r: look.r, ...paint }),
        ],
    });
    svg.setAttribute("aria-hidden", "true");
    return h("span", { class: "swatch" }, svg);
}

// "ε = 1" stays in one line.
const unbroken = (text) => text.replaceAll(" = ", "\u00a0=\u00a0");

const LONG = 34;

// The titles of panels, cut short where they still differ.
function shortTitles(panels) {
    const cut = (title) => (title.length > LONG ? `${title.slice(0, LONG).trimEnd()}…` : title);
    const titles = [...new Set(panels.map(({ title }) => title))];
    const distinct = new Set(titles.map(cut)).size === titles.length;
    return (title) => (distinct ? cut(title) : title);
}

// The privacy of a series, once if it is the same in all panels.
function privacy(entry) {
    const texts = new Map();
    for (const { panel, series } of entry.in)
        texts.set(series.privacy, [...(texts.get(series.privacy) ?? []), panel.title]);
    if (texts.size === 1)
        return [h("span", { class: "privacy" }, unbroken(`Privacy: ${[...texts.keys()][0]}`))];
    const short = shortTitles(entry.in.map(({ panel }) => panel));
    return [...texts].map(([text, titles]) => {
        const where = titles.map(short).join("; ");
        return h("span", { class: "privacy" }, unbroken(`Privacy (${where}): ${text}`));
    });
}

// What each fitted line of a panel is, with its slope.
export const fitKey = (fits) =>
    h(
        "ul",
        { class: "fits" },
        ...fits.map(({ name, color, dash }) => {
            const look = { color, dash, width: 1.5, r: 0, symbol: "circle" };
            return h("li", {}, swatch({ look, line: true, name }), name);
        }),
    );

let made = 0;

export function key(all, onchange) {
    const item = (entry) => {
        const id = `series-${++made}`;
        const input = h("input", {
            type: "checkbox",
            id,
            checked: true,
            onchange: () => {
                entry.shown = input.checked;
                onchange();
            },
        });
        const kind = KINDS[entry.kind];
        const word = kind && !entry.name.includes(kind) ? kind : null;
        return h(
            "li",
            { class: entry.kind },
            input,
            h(
                "label",
                { for: id },
                swatch(entry),
                h(
                    "span",
                    {},
                    h("strong", {}, entry.name),
                    ...(word ? [" ", h("span", { class: "kind" }, word)] : []),
                    ...privacy(entry),
                ),
            ),
        );
    };
    return h(
        "ul",
        { class: "series-key", "aria-label": "Series; untick one to hide it" },
        ...all.map(item),
    );
}

// What else can be set: whiskers on or off, and all series on other data at once.
export function settings(element, all, view, onchange) {
    const id = `series-${++made}`;
    const box = h("input", {
        type: "checkbox",
        id,
        checked: true,
        onchange: () => {
            view.spread = box.checked;
            onchange();
        },
    });
    const points = all.flatMap((entry) => entry.in.flatMap(({ series }) => series.points));
    const spread = points.some((point) => ends(point, "x") || ends(point, "y"));
    const others = all.filter(({ kind }) => kind === "other-data");
    const button = h("button", { type: "button" }, "Hide other data");
    button.addEventListener("click", () => {
        const shown = !others.some((entry) => entry.shown);
        for (const entry of others) entry.shown = shown;
        for (const input of element.querySelectorAll("li.other-data input")) input.checked = shown;
        button.textContent = shown ? "Hide other data" : "Show other data";
        onchange();
    });
    return h(
        "div",
        { class: "controls" },
        ...(spread
            ? [
                  h(
                      "span",
                      { class: "check" },
                      box,
                      h("label", { for: id }, "whiskers: ± one standard deviation, or an interval"),
                  ),
              ]
            : []),
        ...(others.length ? [button] : []),
    );
}
