// The gap between groups under each notion of fairness; the model aims at one of them.
import { dumbbell } from "../dumbbell.js";
import { legend } from "../legend.js";
import { measured, points } from "../text.js";

const asRate = (gap) => gap && { rate: gap.value, low: gap.low, high: gap.high };

const words = (name) => name.replaceAll("_", " ");

export function criteria(data) {
    const found = (data.unfairness?.criteria ?? []).filter(({ after, before }) => after ?? before);
    if (!found.length) return null;
    const rows = found.map(({ name, promised, before, after }) => ({
        name: `${words(name)}${promised ? " (the aim)" : ""}`,
        strong: promised,
        before: asRate(before),
        after: asRate(after),
        tip: [
            words(name),
            ...(promised ? ["what the model aims at"] : []),
            `Before: ${points(before?.value)}`,
            `After: ${points(after?.value)}`,
        ].join("\n"),
    }));
    const tolerance = data.model.effective_tolerance ?? data.model.rho;
    const marker = measured(tolerance) ? { value: tolerance } : null;
    return (width) => [
        legend([
            ["before", "before"],
            ["after", "after"],
            ...(marker ? [["mark", `the gap that the model aims at, ${points(tolerance)}`]] : []),
        ]),
        dumbbell({
            blocks: [{ rows }],
            width,
            unit: " points",
            axis: "gap, in points",
            marker,
            title: "gap under each notion of fairness",
        }),
    ];
}
