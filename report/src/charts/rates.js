// How often each group gets each class, before and after.
import { dumbbell } from "../dumbbell.js";
import { legend } from "../legend.js";
import { strip } from "../strip.js";
import { count, fromTo, label, measured, percent } from "../text.js";

const MOST_ROWS = 40;

function side(word, rate) {
    if (!measured(rate?.rate)) return `${word}: not measured`;
    const interval = measured(rate.low) ? ` (${percent(rate.low)} to ${percent(rate.high)})` : "";
    const people = measured(rate.whole) ? `, ${count(rate.part)} of ${count(rate.whole)}` : "";
    return `${word}: ${percent(rate.rate)}${interval}${people}`;
}

export function rateTip(name, before, after) {
    return [
        label(name, 40),
        ...(before ? [side("Before", before)] : []),
        side("After", after),
    ].join("\n");
}

export function gap(rows, when) {
    const rates = rows.map((row) => row[when]?.rate).filter(measured);
    return rates.length > 1 ? Math.max(...rates) - Math.min(...rates) : null;
}

function block(data, table, column, heading, groups) {
    const rows = groups.map((g) => {
        const before = table.before?.[g][column] ?? null;
        const after = table.after[g][column];
        return { name: data.groups[g], before, after, tip: rateTip(data.groups[g], before, after) };
    });
    const gaps = fromTo(gap(rows, "before"), gap(rows, "after"), " points");
    return { ...heading, note: `gap ${gaps}`, rows, band: true };
}

export function keys(data, table, band = "gap that is left") {
    const interval = `${count(100 * (data.rates?.confidence ?? 0.95))} % interval`;
    const noisy = data.rates?.source === "certificate";
    const some = table.after.flat().some((rate) => measured(rate?.low));
    return legend([
        ...(table.before ? [["before", "before"]] : []),
        ["after", noisy ? "after, counted with noise" : "after"],
        ...(some ? [["interval", interval]] : []),
        ["band", band],
    ]);
}

function laneKeys(table) {
    return legend([
        ...(table.before ? [["before-lane", "before, each tick is a group"]] : []),
        ["after-lane", "after, each tick is a group"],
    ]);
}

// The tables a reader can choose from: [{ word, text, table, columns, heading }].
export function tables(data) {
    const { classes, class_rates: perClass } = data;
    const byClass = {
        columns: "classes",
        heading: (k) => ({ heading: `gets ${classes[k]}`, short: classes[k] }),
    };
    const pick = (rows, word) => rows?.map((row) => row.map((rates) => rates[word])) ?? null;
    const of = (word) =>
        perClass && { before: pick(perClass.before, word), after: pick(perClass.after, word) };
    return [
        { word: "given", text: "how often each class is given", table: data.rates, ...byClass },
        {
            word: "compared",
            text: "the rates that the model makes equal",
            table: data.statistic_rates,
            columns: "statistics",
            heading: (s) => ({ heading: data.statistics[s].text, short: data.statistics[s].text }),
        },
        {
            word: "true_positive",
            text: "true positive rate",
            table: of("true_positive"),
            ...byClass,
        },
        {
            word: "false_positive",
            text: "false positive rate",
            table: of("false_positive"),
            ...byClass,
        },
        { word: "precision", text: "precision", table: of("precision"), ...byClass },
    ].filter(
        ({ table, word }) =>
            table && (word !== "compared" || data.model.criterion !== "demographic_parity"),
    );
}

function draw(data, chosen, columns, groups, width, big = false) {
    const blocks = columns.map((column) =>
        block(data, chosen.table, column, chosen.heading(column), groups),
    );
    const axis = "% of the group";
    const title = `${chosen.text}, by group`;
    const many = blocks.length * groups.length > MOST_ROWS;
    return { svg: (many ? strip : dumbbell)({ blocks, width, axis, title, big }), many };
}

// The statistic that the page speaks about first: the one in which groups differed most before
// the rule; of two classes, class 1.
function first(data, { table, columns }) {
    const of = (column) => table.before.map((row) => ({ before: row[column] }));
    const gaps = table.after[0].map((_, column) =>
        table.before ? (gap(of(column), "before") ?? 0) : 0,
    );
    const widest = gaps.indexOf(Math.max(...gaps));
    if (data.classes.length !== 2) return widest;
    if (columns === "classes") return 1;
    const { class: k, labels } = data.statistics[widest];
    const twin = data.statistics[widest + 1];
    return k === 0 && twin?.class === 1 && String(twin.labels) === String(labels)
        ? widest + 1
        : widest;
}

// The one picture of the first screen.
export function decide(data) {
    const all = tables(data);
    const chosen = all.find(({ word }) => word === "compared") ?? all[0];
    if (!chosen) return null;
    const groups = [...data.groups.keys()];
    const column = first(data, chosen);
    return (width) => {
        const { svg, many } = draw(data, chosen, [column], groups, width, groups.length <= 4);
        return [many ? laneKeys(chosen.table) : keys(data, chosen.table), svg];
    };
}

export function rates(data, { people, controls }) {
    const all = tables(data);
    if (!all.length) return null;
    let chosen = all[0];
    if (all.length > 1)
        controls.choice(
            "Show",
            all.map(({ word, text }) => [word, text]),
            (word) => {
                chosen = all.find((table) => table.word === word);
            },
        );
    return (width) => {
        const columns =
            chosen.columns === "classes"
                ? people.classes
                : [...chosen.table.after[0].keys()].filter(
                      (s) =>
                          data.classes.length === 2 ||
                          people.classes.includes(data.statistics[s].class),
                  );
        const { svg, many } = draw(data, chosen, columns, people.groups, width);
        return [
            many ? laneKeys(chosen.table) : keys(data, chosen.table),
            svg,
            ...(many ? ["Choose fewer classes or groups to see a row for each."] : []),
        ];
    };
}
