// Chart: the share of wrong decisions in each group, before and after the rule.
import { dumbbell } from "../dumbbell.js";
import { fromTo } from "../text.js";
import { gap, keys, rateTip } from "./rates.js";

export function errors(data, { people }) {
    const groups = data.error?.groups;
    if (!groups?.after) return null;
    const table = { before: groups.before, after: [groups.after] };
    return (width) => {
        const rows = people.groups.map((g) => {
            const before = groups.before?.[g] ?? null;
            const after = groups.after[g];
            return {
                name: data.groups[g],
                before,
                after,
                tip: rateTip(data.groups[g], before, after),
            };
        });
        const note = `gap ${fromTo(gap(rows, "before"), gap(rows, "after"), " points")}`;
        return [
            keys(data, table, "gap after"),
            dumbbell({
                blocks: [{ heading: "gets the wrong class", note, rows, band: true }],
                width,
                axis: "% of the group",
                title: "error of each group",
            }),
        ];
    };
}
