// The charts of a figure, side by side, under one legend.
import { h } from "../../../report/src/dom.js";
import { fitKey, key, settings } from "./key.js";
import { seriesOf } from "./looks.js";
import { draw, fitsOf, rowsOf, scalesOf } from "./panel.js";
import { retick, shared } from "./scales.js";

function remark({ rows, missing, notPositive }) {
    const count = (n, what) => (n ? [`${n} ${n === 1 ? "point" : "points"} ${what}`] : []);
    const parts = [
        ...(rows.length ? [] : ["Nothing to draw: no series with points is ticked"]),
        ...count(missing, "without a value"),
        ...count(notPositive, "not above zero, which a log scale cannot show"),
    ];
    return parts.length ? h("p", { class: "note" }, `${parts.join("; ")}.`) : "";
}

// Where panels have the same axis, it spans the same in all of them.
function align(panels, name, widths) {
    const groups = new Map();
    for (const own of panels.filter(({ scales }) => scales)) {
        const { label, scale, percent } = own.panel[name];
        const id = JSON.stringify([label, scale === "log", percent === true]);
        groups.set(id, [...(groups.get(id) ?? []), own]);
    }
    for (const group of groups.values()) {
        const domain = shared(group.map(({ scales }) => scales[name]));
        if (domain)
            for (const own of group)
                own.scales[name] = retick(own.scales[name], domain, widths.get(own.panel));
    }
}

export function mount(element, figure, often) {
    const all = seriesOf(figure, often);
    const view = { spread: true };
    const holders = new Map(figure.panels.map((panel) => [panel, h("div", { class: "plot" })]));
    const widths = new Map();
    const redraw = () => {
        const shown = all.filter((entry) => entry.shown);
        const panels = figure.panels
            .filter((panel) => widths.get(panel))
            .map((panel) => {
                const found = rowsOf(panel, shown);
                const width = widths.get(panel);
                return { panel, found, scales: scalesOf(panel, found.rows, view.spread, width) };
            });
        for (const name of ["x", "y"]) align(panels, name, widths);
        for (const { panel, found, scales } of panels)
            holders
                .get(panel)
                .replaceChildren(
                    scales
                        ? draw(panel, {
                              rows: found.rows,
                              fits: fitsOf(panel, all),
                              scales,
                              spread: view.spread,
                              width: widths.get(panel),
                          })
                        : "",
                    remark(found),
                );
    };
    const box = (panel) => {
        const fits = fitsOf(panel, all);
        return h(
            "div",
            { class: "panel" },
            h("h3", {}, panel.title),
            holders.get(panel),
            ...(fits.length ? [fitKey(fits)] : []),
        );
    };
    element.append(
        h(
            "div",
            { class: `drawn panels-${Math.min(figure.panels.length, 4)}` },
            h("div", {}, key(all, redraw), settings(element, all, view, redraw)),
            h("div", { class: "panel-grid" }, ...figure.panels.map(box)),
        ),
    );
    const observer = new ResizeObserver(() => {
        let changed = false;
        for (const [panel, holder] of holders) {
            const now = Math.floor(holder.clientWidth);
            changed ||= now !== widths.get(panel);
            widths.set(panel, now);
        }
        if (changed) redraw();
    });
    for (const holder of holders.values()) observer.observe(holder);
}
