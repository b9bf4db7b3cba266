// Draws the page's pictures from the data in the page. Without this script, the page still has all
// numbers, as tables.
import { changes } from "./charts/changes.js";
import { criteria } from "./charts/criteria.js";
import { errors } from "./charts/errors.js";
import { decide, rates } from "./charts/rates.js";
import { rule } from "./charts/rule.js";
import { tradeoff } from "./charts/tradeoff.js";
import { filter, toolbar } from "./controls.js";
import { h } from "./dom.js";
import { links } from "./links.js";
import { MOST_AT_FIRST, selection } from "./people.js";
import { print } from "./print.js";
import { tables } from "./tables.js";

const charts = { changes, criteria, errors, rates, rule, tradeoff };

function mount(figure, data, people) {
    const controls = toolbar(() => redraw());
    const holder = h("div", { class: "plot" });
    const make = figure.id === "fig-decide" ? decide : charts[figure.dataset.chart];
    const draw = make?.(data, { figure, people, controls });
    figure.hidden = !draw;
    if (!draw) return;
    figure.append(...(controls.element.hasChildNodes() ? [controls.element] : []), holder);
    let width = 0;
    const redraw = () => {
        const parts =
            people.groups.length && people.classes.length
                ? draw(width)
                : ["Nothing is chosen: tick at least one class and one group."];
        holder.replaceChildren(
            ...parts.map((part) =>
                typeof part === "string" ? h("p", { class: "note" }, part) : part,
            ),
        );
    };
    people.onchange(redraw);
    new ResizeObserver(() => {
        const now = Math.floor(holder.clientWidth);
        if (!now || now === width) return;
        width = now;
        redraw();
    }).observe(holder);
}

function filters(data, people) {
    const { classes, groups } = data;
    const all = (labels) => ["All", [...labels.keys()]];
    const made = [
        ...(classes.length > 2
            ? [
                  filter(
                      "Classes",
                      classes,
                      people.classes,
                      [
                          ...(classes.length > MOST_AT_FIRST
                              ? [["Largest changes", people.firstClasses]]
                              : []),
                          all(classes),
                          ["None", []],
                      ],
                      (picked) => people.set("classes", picked),
                  ),
              ]
            : []),
        ...(groups.length > 2
            ? [
                  filter("Groups", groups, people.groups, [all(groups), ["None", []]], (picked) =>
                      people.set("groups", picked),
                  ),
              ]
            : []),
    ];
    if (!made.length) return;
    const bar = h(
        "div",
        { class: "filters", role: "group", "aria-label": "What the pictures show" },
        ...made,
    );
    document.querySelector("#explore h2")?.after(bar);
}

const source = document.getElementById("dp2dp-data").textContent;
const data = JSON.parse(source);
const people = selection(data);
document.documentElement.classList.add("js");
for (const figure of document.querySelectorAll("figure.chart")) mount(figure, data, people);
filters(data, people);
tables();
links();
print();
