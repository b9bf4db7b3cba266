// Tables scroll in their own box; those beside a picture fold away under it. Without this script they are
// simply there.
import { h } from "./dom.js";

const LONG = 80;

function box(table) {
  const inside = table.closest(".scroll");
  if (inside) return inside;
  const made = h("div", { class: "scroll" });
  table.before(made);
  made.append(table);
  return made;
}

export function tables() {
  for (const table of document.querySelectorAll("table")) {
    const scroll = box(table);
    const caption = table.querySelector("caption")?.textContent.trim() || "Table";
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", caption.slice(0, LONG));
    const part = table.closest("#explore section, #explore > div");
    if (!part?.querySelector("figure.chart:not([hidden])")) continue;
    const fold = h("details", { class: "numbers" }, h("summary", {}, "All numbers"));
    scroll.before(fold);
    fold.append(scroll);
  }
  for (const label of document.querySelectorAll("bdi")) {
    if (label.textContent.length <= LONG) continue;
    label.classList.add("long");
    label.tabIndex = 0;
  }
}
