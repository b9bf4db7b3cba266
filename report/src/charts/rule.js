// Chart: the rule, as a threshold for each group or as the offsets that are subtracted from scores.
import { bars } from "../bars.js";
import { dumbbell } from "../dumbbell.js";
import { legend } from "../legend.js";
import { matrix } from "../matrix.js";
import { label, measured, number, percent } from "../text.js";

const MOST_ROWS = 40;

const stratumName = (data, { group, label: y }) =>
    y == null ? data.groups[group] : `${data.groups[group]}, labelled ${data.classes[y] ?? y}`;

function threshold(data, strata) {
    const inside = (x) => Math.min(1, Math.max(0, x));
    const words = (x) => (x >= 1 ? "nobody" : percent(measured(x) ? inside(x) : x));
    const rows = strata.map((stratum) => {
        const { threshold_before: before, threshold_after: after } = stratum;
        const name = stratumName(data, stratum);
        return {
            name,
            before: measured(before) ? { rate: inside(before) } : null,
            after: { rate: inside(after) },
            value: measured(before) ? `${words(before)} → ${words(after)}` : words(after),
            tip: `${label(name, 40)}\nBefore: ${words(before)}\nAfter: ${words(after)}`,
        };
    });
    return (width) => [
        legend([
            ["before", "before"],
            ["after", "after"],
        ]),
        dumbbell({
            blocks: [{ heading: `gets ${data.classes[1]} if its score is above`, rows }],
            width,
            whole: true,
            axis: "score, %",
            title: "threshold of each group",
        }),
    ];
}

const signs = () =>
    legend([
        ["plus", "subtracted: the class is given less easily"],
        ["minus", "added: the class is given more easily"],
    ]);

function offsets(data, strata, people, width) {
    const blocks = people.classes.map((k) => ({
        heading: (longest) =>
            `subtracted from the score of ${label(data.classes[k], longest - 28)}`,
        rows: strata.map((stratum) => {
            const name = stratumName(data, stratum);
            const value = stratum.offsets[k];
            return {
                name,
                value,
                text: number(value),
                tip: `${label(name, 40)}\n${label(data.classes[k], 40)}: ${number(value)}`,
            };
        }),
    }));
    if (blocks.length * strata.length <= MOST_ROWS)
        return [
            signs(),
            bars({
                blocks,
                width,
                percent: false,
                axis: "subtracted from the score",
                title: "what the rule subtracts from each class's score",
            }),
        ];
    return [
        signs(),
        matrix({
            cells: blocks.flatMap(({ rows }, row) =>
                rows.map(({ value, tip }, column) => ({ row, column, value, tip })),
            ),
            rows: people.classes.map((k) => data.classes[k]),
            columns: strata.map((stratum) => stratumName(data, stratum)),
            width,
            print: (x) => x.toFixed(2),
            diverging: true,
            title: "what the rule subtracts from each class's score, stronger colour for more",
        }),
    ];
}

export function rule(data, { people }) {
    const strata = data.rule?.strata;
    if (!strata?.length) return null;
    if (strata.every((stratum) => measured(stratum.threshold_after)))
        return threshold(data, strata);
    if (!strata[0].offsets?.length) return null;
    return (width) =>
        offsets(
            data,
            strata.filter(({ group }) => people.groups.includes(group)),
            people,
            width,
        );
}
