// Tables sort by the column whose head is pressed, and show the rows of one verdict if asked to.
import { h } from "../../../report/src/dom.js";

const VERDICTS = ["fail", "loss", "open", "tie", "pass", "win"];
const LONG = 12;

const plural = { loss: "losses", tie: "ties", win: "wins", fail: "failed", pass: "passed" };

// What a cell is sorted by: a verdict's rank, a number, or a text; cells without a value are last.
function valueOf(cell) {
    const verdict = cell.querySelector(".verdict");
    if (verdict) return VERDICTS.findIndex((word) => verdict.classList.contains(word));
    const data = cell.querySelector("data");
    if (data) return Number(data.value);
    return cell.querySelector(".unseen") ? null : cell.textContent.trim().toLowerCase();
}

function compare(a, b) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return a - b;
    return typeof a === typeof b ? a.localeCompare(b) : typeof a === "number" ? -1 : 1;
}

function sort(table, column, direction) {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => ({ row, value: valueOf(row.cells[column]) }));
    rows.sort((a, b) =>
        a.value === null || b.value === null
            ? compare(a.value, b.value)
            : direction * compare(a.value, b.value),
    );
    body.append(...rows.map(({ row }) => row));
}

function sortable(table) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
        const button = h(
            "button",
            {
                type: "button",
                class: "sort",
                onclick: () => {
                    const down = head.getAttribute("aria-sort") === "ascending";
                    for (const other of heads) other.removeAttribute("aria-sort");
                    head.setAttribute("aria-sort", down ? "descending" : "ascending");
                    sort(table, column, down ? -1 : 1);
                },
            },
            ...head.childNodes,
        );
        head.append(button);
    });
}

function filterable(table) {
    const rows = [...table.tBodies[0].rows];
    const words = VERDICTS.filter((word) => rows.some((row) => row.dataset.verdict === word));
    if (rows.length < LONG || words.length < 2) return;
    const show = (word) => {
        for (const row of rows) row.hidden = word !== null && row.dataset.verdict !== word;
        for (const button of buttons)
            button.setAttribute("aria-pressed", button.dataset.verdict === (word ?? ""));
    };
    const button = (word, text) => {
        const onclick = () => show(word);
        return h("button", { type: "button", "data-verdict": word ?? "", onclick }, text);
    };
    const count = (word) => rows.filter((row) => row.dataset.verdict === word).length;
    const buttons = [
        button(null, `All ${rows.length}`),
        ...words.map((word) => button(word, `${count(word)} ${plural[word] ?? word}`)),
    ];
    show(null);
    table
        .closest(".table-box")
        .before(
            h(
                "div",
                { class: "buttons verdicts", role: "group", "aria-label": "Rows to show" },
                ...buttons,
            ),
        );
    // A link to a row leads to it whatever is shown.
    const reveal = () => {
        const target = location.hash && document.getElementById(location.hash.slice(1));
        if (target?.hidden && rows.includes(target)) {
            show(null);
            target.scrollIntoView();
        }
    };
    addEventListener("hashchange", reveal);
}

export function tables() {
    for (const table of document.querySelectorAll("table.sortable")) {
        sortable(table);
        filterable(table);
    }
}
