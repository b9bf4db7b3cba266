// Makes the legend of a picture, as HTML.
import { h } from "./dom.js";

export function legend(entries) {
    const entry = ([symbol, text]) =>
        h("li", {}, h("span", { class: `key ${symbol}`, "aria-hidden": "true" }), text);
    return h("ul", { class: "legend" }, ...entries.map(entry));
}
