// Puts tables that belong to a picture into closed <details> elements. Without this script the
// tables are always visible.
import { h } from "./dom.js";

const LONG = 80;
const ONE_LINE = 20;

function fold(box) {
    const name = box.querySelector("caption")?.textContent.trim() || "All numbers";
    const details = h(
        "details",
        { class: "numbers" },
        h("summary", {}, `Table: ${name.slice(0, LONG)}`),
    );
    box.before(details);
    details.append(box);
}

export function tables() {
    for (const name of document.querySelectorAll("bdi, code"))
        if (name.textContent.length <= ONE_LINE) name.classList.add("one-line");
    for (const box of document.querySelectorAll("#explore .table-box"))
        if (box.closest("section").querySelector("figure.chart:not([hidden])")) fold(box);
    for (const label of document.querySelectorAll("bdi")) {
        if (label.textContent.length <= LONG) continue;
        label.classList.add("long");
        label.tabIndex = 0;
    }
}
