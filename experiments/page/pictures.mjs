// Pictures of a page's figures, for the documents:
//     node pictures.mjs NODE_MODULES PAGE FOLDER FIGURE…
// writes FOLDER/reproduction-FIGURE.png: what a browser shows of the charts and their legend.
// DP2DP_CHROMIUM is the browser; else the first chromium of the PATH.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, file, folder, ...figures] = process.argv.slice(2);
if (!figures.length || ![modules, file, folder].every((path) => existsSync(path))) {
    console.error("usage: node pictures.mjs NODE_MODULES PAGE FOLDER FIGURE…");
    process.exit(2);
}
const { chromium } = createRequire(join(resolve(modules), "x.js"))("playwright-core");
const browser = await chromium.launch({
    executablePath:
        process.env.DP2DP_CHROMIUM ??
        execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim(),
    args: ["--no-sandbox"],
});
const page = await browser.newPage({
    viewport: { width: 1200, height: 900 },
    colorScheme: "light",
});
await page.goto(pathToFileURL(resolve(file)).href);
for (const figure of figures) {
    const found = page.locator(`[data-figure="${figure}"]`);
    if (!(await found.count())) {
        console.error(`pictures.mjs: ${file} has no charts of ${figure}`);
        process.exitCode = 1;
        continue;
    }
    await found.locator(".panel svg").first().waitFor();
    // A picture has nothing to press.
    await found.evaluate((element) => {
        for (const control of element.querySelectorAll(".controls, input")) control.remove();
    });
    const picture = join(folder, `reproduction-${figure}.png`);
    await found.screenshot({ path: picture });
    console.log(`${picture}: ${statSync(picture).size} bytes`);
}
await browser.close();
