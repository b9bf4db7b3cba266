// Chart: who gets another class than before the rule.
import { bars } from "../bars.js";
import { matrix } from "../matrix.js";
import { largest } from "../people.js";
import { change, count, label, percent } from "../text.js";

const MOST_ROWS = 40;
const MOST_KINDS = 8;
const MATRIX_NOTE =
    "Each column is a group, and each row is a change: the stronger the colour, the larger the " +
    "share of the group's people with this change. The first row has its own colour scale.";

const sum = (values) => values.reduce((total, value) => total + value, 0);

// Returns every kind of change, such as from class A to class B. For each group, a kind has the
// share of the group's people whose class changes in this way.
function kinds(data, people) {
    const wholes = data.changes.map((rows) => sum(rows.map(sum)));
    const share = (g, part) => (wholes[g] ? part / wholes[g] : 0);
    const kind = (heading, part) => ({
        heading,
        cells: people.groups.map((g) => ({
            group: g,
            part: part(g),
            whole: wholes[g],
            value: share(g, part(g)),
        })),
    });
    const shown = new Set(people.classes);
    const binary = data.classes.length === 2;
    const found = [];
    data.classes.forEach((from, i) =>
        data.classes.forEach((to, j) => {
            if (i !== j && (binary || shown.has(i) || shown.has(j)))
                found.push(
                    kind(
                        (longest) => change(from, to, longest),
                        (g) => data.changes[g][i][j],
                    ),
                );
        }),
    );
    const kept = (g) => sum(data.classes.map((_, k) => data.changes[g][k][k]));
    return {
        any: kind(
            () => "any change",
            (g) => wholes[g] - kept(g),
        ),
        found,
    };
}

const size = ({ cells }) => Math.max(0, ...cells.map((cell) => cell.value));

function tip(data, heading, { group, part, whole, value }) {
    const share = `${count(part)} of ${count(whole)} people, ${percent(value)}`;
    return `${label(data.groups[group], 40)}\n${heading(60)}\n${share}`;
}

function drawBars(data, blocks, width) {
    const row = (heading) => (cell) => ({
        name: data.groups[cell.group],
        value: cell.value,
        tip: tip(data, heading, cell),
        text: `${count(cell.part)} people, ${percent(cell.value)}`,
    });
    return bars({
        blocks: blocks.map(({ heading, cells }) => ({ heading, rows: cells.map(row(heading)) })),
        width,
        percent: true,
        axis: "% of the group",
        title: "share of each group that gets another class",
    });
}

function drawMatrix(data, blocks, people, width) {
    return matrix({
        cells: blocks.flatMap(({ heading, cells }, row) =>
            cells.map((cell, column) => ({
                row,
                column,
                value: cell.value,
                tip: tip(data, heading, cell),
            })),
        ),
        rows: blocks.map(({ heading }) => heading),
        columns: people.groups.map((g) => data.groups[g]),
        width,
        print: percent,
        alone: [0],
        title: "share of each group that gets another class, stronger colour for more",
    });
}

export function changes(data, { people }) {
    if (!data.changes) return null;
    return (width) => {
        const { any, found } = kinds(data, people);
        const real = found.filter((kind) => size(kind) > 0);
        const blocks = [any, ...largest(real.map(size), MOST_KINDS).map((i) => real[i])];
        const left = real.length - (blocks.length - 1);
        const many = blocks.length * people.groups.length > MOST_ROWS;
        return [
            many ? drawMatrix(data, blocks, people, width) : drawBars(data, blocks, width),
            ...(many ? [MATRIX_NOTE] : []),
            ...(left > 0
                ? [`Shown: the largest ${blocks.length - 1} of ${real.length} kinds of change.`]
                : []),
        ];
    };
}
