// Makes the template of the reproduction's page:
//     node build.mjs NODE_MODULES TEMPLATE
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as report from "../../report/build.mjs";

const folder = dirname(fileURLToPath(import.meta.url));

export const build = (modules) =>
    report.build(modules, { folder, styles: [join(folder, "style.css")] });

await report.command(import.meta.url, build);
