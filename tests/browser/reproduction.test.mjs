// The page of the reproduction in a real browser, made from invented numbers: every screen, and
// every control.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibility, drawn, launch, open, SCREENS } from "./browser.mjs";

const folder = join(process.env.DP2DP_BUILD_DIR, "browser", "reproduction");
const source = process.env.DP2DP_SOURCE_DIR;
const venv = join(process.env.DP2DP_VENV ?? "", "bin", "python");
const python = existsSync(venv) ? venv : "python3";
const file = (name) => join(folder, `${name}.html`);
let browser;
let still; // the usual page on a desktop, for tests that only look

before(async () => {
    mkdirSync(folder, { recursive: true });
    for (const name of ["usual", "hostile"])
        execFileSync(python, [join(source, "tests/experiments/invented.py"), name, file(name)]);
    browser = await launch();
    still = (await open(browser, file("usual"))).page;
    await drawn(still);
});
after(() => browser?.close());

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const outside = (page) =>
    page.locator(".panel svg text").evaluateAll((all) =>
        all
            .filter((text) => {
                const frame = text.closest("figure").getBoundingClientRect();
                const { left, right } = text.getBoundingClientRect();
                return left < frame.left || right > frame.right;
            })
            .map((text) => text.textContent),
    );
const charts = (page, id) => page.locator(`#${id} .panel svg[role=img]`);
const drawing = (page, id) =>
    charts(page, id).evaluateAll((all) => all.map((svg) => svg.outerHTML).join("\n"));
const box = (page, id, name) =>
    page.locator(`#${id} .series-key li`).filter({ hasText: name }).locator("input");

async function using(name, screen, work) {
    const { page, faults, close } = await open(browser, file(name), screen);
    await drawn(page);
    await work(page);
    assert.deepEqual(faults, [], name);
    await close();
}

for (const name of ["usual", "hostile"])
    test(`${name}: nothing is wrong on any screen`, async () => {
        // What is hostile differs in its texts alone: two screens are enough. axe takes seconds
        // where all folds are open: on one screen they are.
        for (const screen of name === "usual" ? SCREENS : [SCREENS[1], SCREENS[2]])
            await using(name, screen, async (page) => {
                const where = `${name}-${screen.width}-${screen.colorScheme}`;
                await page.screenshot({
                    path: join(folder, `${where}.png`),
                    fullPage: screen.colorScheme === "light",
                });
                assert.ok((await overflow(page)) <= 0, `${where} is wider than the screen`);
                if (name === "usual") assert.deepEqual(await outside(page), [], where);
                await page.evaluate((all) => {
                    const folds = [...document.querySelectorAll("details")];
                    for (const fold of folds.slice(0, all ? folds.length : 1)) fold.open = true;
                }, screen === SCREENS[1]);
                assert.ok((await overflow(page)) <= 0, `${where} is too wide when folds are open`);
                assert.deepEqual(await accessibility(page), [], where);
            });
    });

test("panels stand side by side on a desktop and below each other on a phone", async () => {
    for (const [width, same] of [
        [1440, true],
        [390, false],
    ])
        await using("usual", { width }, async (page) => {
            const [a, b] = await Promise.all(
                [0, 1].map((i) => charts(page, "adult").nth(i).boundingBox()),
            );
            assert.equal(a.y === b.y, same);
            assert.equal(a.x === b.x, !same);
        });
});

test("the legend has every series once, with its privacy and its kind in words", async () => {
    const texts = await still.locator("#adult .series-key li").allInnerTexts();
    const said = texts.join("\n").replaceAll("\u00a0", " ");
    const data = await still.evaluate(
        () => JSON.parse(document.getElementById("dp2dp-data").textContent).figures,
    );
    const all = data[0].panels.flatMap((panel) => panel.series);
    assert.equal(
        await still.locator("#adult .series-key li").count(),
        new Set(all.map(({ name }) => name)).size,
    );
    for (const { name, privacy } of all) {
        assert.ok(said.includes(name), name);
        assert.ok(said.includes(privacy), privacy);
    }
    assert.match(said, /^DP-FERMI other data/m);
    assert.match(said, /rival/);
});

test("a series that is unticked is not drawn, and comes back", async () => {
    await using("usual", {}, async (page) => {
        const first = await drawing(page, "adult");
        const dots = charts(page, "adult").first().locator("g.dot path");
        const before_ = await dots.count();
        await box(page, "adult", "dp2dp (dpgd + counts)").uncheck();
        await drawn(page);
        assert.equal(await dots.count(), before_ - 9);
        assert.ok(!(await drawing(page, "adult")).includes("var(--series-0)"));
        await box(page, "adult", "dp2dp (dpgd + counts)").check();
        await drawn(page);
        assert.equal(await drawing(page, "adult"), first);
        for (const input of await page.locator("#credit .series-key input").all())
            await input.uncheck();
        await drawn(page);
        assert.equal(await charts(page, "credit").count(), 0);
        assert.match(await page.locator("#credit .panel .note").textContent(), /Nothing to draw/);
    });
});

test("whiskers and points on other data can be hidden; axes then fit the rest", async () => {
    await using("usual", {}, async (page) => {
        const links = charts(page, "adult").first().locator("g.link path");
        const whiskers = await links.count();
        await page.locator("#adult .controls input").uncheck();
        await drawn(page);
        assert.equal(await links.count(), 1, "the mark at ρ = 0.02 stays");
        assert.ok(whiskers > 50);
        const ticks = () =>
            charts(page, "adult").first().locator("[aria-label='y-axis tick label']").innerHTML();
        const old = await ticks();
        const button = page.locator("#credit .controls button");
        await button.click();
        assert.equal(await box(page, "credit", "DP-FERMI other data").isChecked(), false);
        assert.equal(await button.textContent(), "Show other data");
        await button.click();
        assert.equal(await box(page, "credit", "DP-FERMI other data").isChecked(), true);
        await box(page, "adult", "in the manner of DP-FERMI").uncheck();
        await page.locator("#adult .controls button").click();
        await drawn(page);
        assert.notEqual(await ticks(), old);
    });
});

test("each kind has its own look: other data are hollow, unfair is grey", async () => {
    const chart = charts(still, "adult").first();
    const hollow = "path[fill='var(--surface)'][stroke='var(--muted)']";
    const count = (selector) => chart.locator(selector).count();
    assert.equal(await count(`g.dot ${hollow}, g.dot[fill='var(--surface)'] path`), 3);
    assert.equal(await count("g.dot path[stroke='var(--before)']"), 1);
    assert.equal(await count("g.dot path[fill='var(--series-0)']"), 9);
    assert.equal(await count("g.dot path[fill='var(--bound)']"), 9);
});

test("no two of sixteen series look alike", async () => {
    const looks = await still.locator("#credit .series-key .swatch svg").evaluateAll((all) =>
        all.map((svg) => {
            const path = svg.querySelector("g.dot > *");
            const of = (name) => path.getAttribute(name) ?? path.parentNode.getAttribute(name);
            return ["d", "fill", "stroke"].map(of).join(" ");
        }),
    );
    assert.equal(looks.length, 16);
    assert.equal(new Set(looks).size, 16);
});

test("a series that is in several figures looks the same in each", async () => {
    const look = (id) =>
        still
            .locator(`#${id} .series-key li`)
            .filter({ hasText: "dp2dp (dpgd + counts)" })
            .locator("svg g.dot")
            .evaluate((dot) => dot.outerHTML);
    assert.equal(await look("adult"), await look("credit"));
});

test("panels with the same axes span the same, so that they compare", async () => {
    const ticks = (i, axis) =>
        charts(still, "adult").nth(i).locator(`[aria-label='${axis}-axis tick label']`).innerHTML();
    for (const axis of ["x", "y"]) assert.equal(await ticks(0, axis), await ticks(1, axis));
});

test("points that cannot be drawn are counted, not dropped in silence", async () => {
    const note = await still.locator("#growth .panel .note").first().textContent();
    assert.match(note, /1 point without a value; 1 point not above zero/);
});

test("fitted lines are drawn, and named with their slope", async () => {
    const panel = still.locator("#growth .panel").first();
    assert.equal(await panel.locator(".fits li").count(), 2);
    assert.match(await panel.locator(".fits").textContent(), /slope -0.52 .95 % interval/);
    assert.equal(
        await panel.locator("svg[role=img] g.line[stroke-dasharray='3 3']").count() +
            (await panel.locator("svg[role=img] g.line[stroke-dasharray='9 4']").count()),
        2,
    );
});

test("pointing at a point shows its name, privacy, label, numbers and runs", async () => {
    const chart = charts(still, "adult").nth(1);
    await chart.scrollIntoViewIfNeeded();
    const dot = chart.locator("g.dot path[fill='var(--series-0)']").nth(4);
    const at = await dot.boundingBox();
    await still.mouse.move(at.x + at.width / 2 - 4, at.y + at.height / 2);
    await still.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
    await drawn(still);
    const tip = await chart.locator("g.tip").textContent();
    for (const words of [
        "dp2dp (dpgd + counts)",
        "ρ = 0.08",
        /unfairness: \d+\.\d\d\s% ± \d/,
        /error: \d+\.\d\d\s% ± \d/,
        "15 runs",
        "Privacy: ε = 1, δ = 1e-5, replace-one, both phases",
    ])
        assert.ok(
            words instanceof RegExp ? words.test(tip) : tip.includes(words),
            `${words}: ${tip}`,
        );
});

test("a table sorts by the head that is pressed, both ways; empty cells stay last", async () => {
    await using("usual", {}, async (page) => {
        const table = page.locator("#rival-points table");
        const column = (n) =>
            table.locator(`tbody tr td:nth-child(${n})`).evaluateAll((all) =>
                all.map((cell) => cell.querySelector("data")?.value ?? null),
            );
        const head = table.locator("thead th").nth(6);
        for (const [direction, sign] of [
            ["ascending", 1],
            ["descending", -1],
        ]) {
            await head.locator("button").click();
            assert.equal(await head.getAttribute("aria-sort"), direction);
            const values = await column(7);
            const known = values.filter((value) => value !== null).map(Number);
            assert.deepEqual(
                known,
                [...known].sort((a, b) => sign * (a - b)),
            );
            assert.deepEqual(values.slice(known.length), Array(60 - known.length).fill(null));
        }
        await table.locator("thead th").last().locator("button").focus();
        await page.keyboard.press("Enter");
        assert.match(await table.locator("tbody tr").first().textContent(), /loss/);
        assert.equal(await table.locator("th[aria-sort]").count(), 1);
    });
});

test("rows of one verdict can be shown alone, and a link still reaches the others", async () => {
    await using("usual", {}, async (page) => {
        const rows = page.locator("#rival-points tbody tr:visible");
        const button = page.locator("#rival-points .verdicts button").nth(1);
        assert.match(await button.textContent(), /losses/);
        await button.click();
        assert.ok((await rows.count()) < 60);
        for (const text of await rows.allTextContents()) assert.match(text, /loss/);
        const hidden = await page.locator("#rival-points tr[data-verdict=win]").first();
        await page.evaluate((id) => (location.hash = id), await hidden.getAttribute("id"));
        await drawn(page);
        assert.ok(await hidden.isVisible());
        assert.equal(await rows.count(), 60);
    });
});

test("the row that a link names is in sight and stands out", async () => {
    await using("usual", { reducedMotion: "reduce" }, async (page) => {
        const color = (row) =>
            row.locator("td").first().evaluate((cell) => getComputedStyle(cell).backgroundColor);
        const row = page.locator("#rival-20");
        const plain = await color(row);
        await page.evaluate(() => (location.hash = "rival-20"));
        await drawn(page);
        assert.notEqual(await color(row), plain);
        // The cells of the head stay at the top of the table's box.
        const head = await page.locator("#rival-points thead th").first().boundingBox();
        const { y, height } = await row.boundingBox();
        assert.ok(y >= head.y + head.height, "hidden by the table's head");
        assert.ok(y + height <= 900, "below the screen");
    });
});

test("without JavaScript all numbers are readable, and no control is dead", async () => {
    const { page, faults, close } = await open(browser, file("usual"), {
        javaScriptEnabled: false,
    });
    assert.equal(await page.locator("svg.dp2dp-plot, button, input").count(), 0);
    assert.ok(await page.locator("#rival-20").isVisible());
    await page.locator("#adult details summary").click();
    assert.ok(await page.locator("#numbers-adult table").first().isVisible());
    assert.ok(await page.locator("#adult .without-script").isVisible());
    assert.deepEqual(faults, []);
    await close();
});
