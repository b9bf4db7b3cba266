// Adds the charts to the page, and makes its tables sort. The page is complete without this script.
import { links } from "../../../report/src/links.js";
import { print } from "../../../report/src/print.js";
import { mount } from "./figure.js";
import { frequencies } from "./looks.js";
import { tables } from "./tables.js";

const { figures } = JSON.parse(document.getElementById("dp2dp-data").textContent);
document.documentElement.classList.add("js");
const often = frequencies(figures);
for (const figure of figures)
    mount(document.querySelector(`[data-figure="${figure.id}"]`), figure, often);
tables();
links();
print();
