// Charts: how often each group gets each class, before and after the rule.
import { dumbbell } from "../dumbbell.js";
import { legend } from "../legend.js";
import { change, largest } from "../people.js";
import { strip } from "../strip.js";
import { count, fromTo, label, measured, percent } from "../text.js";

const MOST_ROWS = 40;
const FEW_ROWS = 4;
const MOST_STATISTICS = 24;

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
    return { ...heading, gaps, note: `gap ${gaps}`, rows, band: true };
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

// Returns the tables of rates that a reader can choose to see: [{ word, text, table, columns,
// heading, axis }]. The rates that the model makes equal come first.
export function tables(data) {
    const { classes, class_rates: perClass } = data;
    const byClass = (words) => ({
        columns: "classes",
        heading: (k) => ({ heading: words(classes[k]), short: classes[k] }),
    });
    const pick = (rows, word) => rows?.map((row) => row.map((rates) => rates[word])) ?? null;
    const of = (word) =>
        perClass && { before: pick(perClass.before, word), after: pick(perClass.after, word) };
    return [
        {
            word: "compared",
            text: "the rates that the model makes equal",
            table: data.statistic_rates,
            columns: "statistics",
            heading: (s) => ({ heading: data.statistics[s].text, short: data.statistics[s].text }),
            axis: "% of the group’s people with that label",
        },
        {
            word: "given",
            text: "how often each class is given",
            table: data.rates,
            ...byClass((k) => `gets ${k}`),
            axis: "% of the group",
        },
        {
            word: "true_positive",
            text: "true positive rate",
            table: of("true_positive"),
            ...byClass((k) => `gets ${k} among people labelled ${k}`),
            axis: "% of the group’s people with that label",
        },
        {
            word: "false_positive",
            text: "false positive rate",
            table: of("false_positive"),
            ...byClass((k) => `gets ${k} among people labelled otherwise`),
            axis: "% of the group’s people with another label",
        },
        {
            word: "precision",
            text: "precision",
            table: of("precision"),
            ...byClass((k) => `is labelled ${k} among people who get ${k}`),
            axis: "% of the group’s people who get the class",
        },
    ].filter(
        ({ table, word }) =>
            table && (word !== "compared" || data.model.criterion !== "demographic_parity"),
    );
}

function draw(data, chosen, columns, groups, width) {
    const blocks = columns.map((column) =>
        block(data, chosen.table, column, chosen.heading(column), groups),
    );
    const title = `${chosen.text}, by group`;
    const many = blocks.length * groups.length > MOST_ROWS;
    const svg = (many ? strip : dumbbell)({ blocks, width, axis: chosen.axis, title });
    return [
        many ? laneKeys(chosen.table) : keys(data, chosen.table),
        svg,
        ...(many ? ["Choose fewer classes or groups to see a row for each group."] : []),
    ];
}

// Returns the statistic that the page shows first: the rate in which groups differed most before
// the rule. If there are two classes, chooses a rate of class 1, since the rates of class 0 differ
// just as much.
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

// Returns words that say whose shares the picture shows: all people of a group, or the people of a
// group with certain labels.
function whom(data, { columns }, column) {
    const labels = columns === "statistics" ? data.statistics[column].labels : null;
    if (!labels) return "% of the group";
    return `% of people labelled ${labels.map((y) => label(data.classes[y], 20)).join(" or ")}`;
}

// Draws the only picture of the first screen. The caption of the picture serves as its heading, and
// links to the table of numbers.
export function decide(data, { figure }) {
    const [chosen] = tables(data);
    if (!chosen) return null;
    const groups = [...data.groups.keys()];
    const column = first(data, chosen);
    const { heading, gaps, rows, band } = block(
        data,
        chosen.table,
        column,
        chosen.heading(column),
        groups,
    );
    const many = rows.length > MOST_ROWS;
    const few = rows.length <= FEW_ROWS;
    figure.classList.toggle("small", few);
    figure.classList.toggle("tested", Boolean(data.test));
    const numbers = chosen.word === "given" ? "caption-rates" : "caption-statistics";
    if (document.getElementById(numbers))
        figure.querySelector("figcaption a")?.setAttribute("href", `#${numbers}`);
    return (width) => [
        many ? laneKeys(chosen.table) : keys(data, chosen.table, `gap: ${gaps}`),
        (many ? strip : dumbbell)({
            blocks: [many ? { heading, rows } : { rows, band }],
            width,
            axis: whom(data, chosen, column),
            title: `${heading}, by group`,
            big: few,
        }),
    ];
}

// Returns the statistics that change most, at most MOST_STATISTICS.
function statistics(data, people, table) {
    const shown = [...table.after[0].keys()].filter(
        (s) => data.classes.length === 2 || people.classes.includes(data.statistics[s].class),
    );
    const sizes = shown.map((s) => change(table, s));
    return largest(sizes, MOST_STATISTICS).map((i) => shown[i]);
}

function remarks(data, { word, columns }, shown) {
    const aim = data.unfairness?.criteria.find(({ promised }) => promised);
    if (word === "given" && aim && aim.name !== "demographic_parity")
        return [
            `The model aims at something else: ${aim.text}. The rates in this picture may ` +
                "differ between groups, and do not measure its aim.",
        ];
    return columns === "statistics" && shown.length === MOST_STATISTICS
        ? [`Only the ${MOST_STATISTICS} rates that change most are drawn; the table has all.`]
        : [];
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
        const shown =
            chosen.columns === "classes"
                ? people.classes
                : statistics(data, people, chosen.table);
        return [
            ...remarks(data, chosen, shown),
            ...draw(data, chosen, shown, people.groups, width),
        ];
    };
}
