// Chromium, and a page opened in it that writes down whatever it should not do.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const npm = process.env.DP2DP_NPM;
const require = createRequire(join(npm, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const SCREENS = [390, 1440].flatMap((width) =>
    ["light", "dark"].map((colorScheme) => ({ width, colorScheme })),
);

export const launch = () =>
    chromium.launch({ executablePath: process.env.DP2DP_CHROMIUM, args: ["--no-sandbox"] });

// Everything that is wrong in any page: messages, requests, dialogs, violations of the policy.
export async function open(browser, file, { width = 1440, colorScheme = "light", ...rest } = {}) {
    const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme,
        reducedMotion: "reduce", // else a smooth scroll moves a control away from a click
        ...rest,
    });
    context.setDefaultTimeout(120_000); // a busy machine is no fault of the page
    const page = await context.newPage();
    const faults = [];
    const address = pathToFileURL(file).href;
    page.on("console", (message) => faults.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
        faults.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    page.on("request", (request) => {
        if (request.url().split("#")[0] !== address)
            faults.push(`request: ${request.url().slice(0, 100)}`);
    });
    await page.addInitScript(() =>
        document.addEventListener("securitypolicyviolation", (event) =>
            console.log(`policy: ${event.violatedDirective} ${event.blockedURI}`),
        ),
    );
    await page.goto(address);
    return { page, faults, close: () => context.close() };
}

// axe's findings, one line each. The policy keeps scripts out of the page, so axe comes through the
// debugger, which does not ask it.
export async function accessibility(page) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() =>
        globalThis.axe.run(document, { resultTypes: ["violations"] }),
    );
    return violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

// Two frames: what was asked for is drawn.
export const drawn = (page) =>
    page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
