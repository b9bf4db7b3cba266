// Chart: the gap between groups under each notion of fairness, before and after the rule.
import { dumbbell } from "../dumbbell.js";
import { legend } from "../legend.js";
import { atMost, measured, points } from "../text.js";

const asRate = (gap) => gap && { rate: gap.value, low: gap.low, high: gap.high };

const words = (name) => name.replaceAll("_", " ");

export function criteria(data) {
    const found = (data.unfairness?.criteria ?? []).filter(({ after, before }) => after ?? before);
    if (!found.length) return null;
    const tolerance = data.model.effective_tolerance ?? data.model.rho;
    const aims = measured(tolerance);
    const bounds = (data.certificate?.criteria ?? []).map((bound) => ({
        name: bound.name,
        at: bound.unfairness_upper_strict,
    }));
    const drawn = bounds.filter(({ name }) => found.some((notion) => notion.name === name));
    const boundOf = (name) => drawn.find((bound) => bound.name === name);
    const rows = found.map(({ name, promised, before, after }) => ({
        name: `${words(name)}${promised ? " (the aim)" : ""}`,
        strong: promised,
        marks: [
            ...(promised && aims ? [{ at: tolerance, color: "var(--mark)" }] : []),
            ...(boundOf(name) ? [{ at: boundOf(name).at, color: "var(--bound)" }] : []),
        ],
        before: asRate(before),
        after: asRate(after),
        tip: [
            words(name),
            ...(promised ? ["what the model aims at"] : []),
            `Before: ${points(before?.value)}`,
            `After: ${points(after?.value)}`,
            ...(boundOf(name) ? [`Certificate: at most ${atMost(boundOf(name).at)}`] : []),
        ].join("\n"),
    }));
    const promise = drawn.map(({ at }) => atMost(at)).join(", ");
    return (width) => [
        legend([
            ["before", "before"],
            ["after", "after"],
            ...(aims ? [["mark", `the model's aim: a gap of at most ${points(tolerance)}`]] : []),
            ...(promise ? [["bound", `promised by the certificate: at most ${promise}`]] : []),
        ]),
        dumbbell({
            blocks: [{ rows }],
            width,
            unit: " points",
            axis: "gap, in points",
            title: "gap under each notion of fairness",
        }),
    ];
}
