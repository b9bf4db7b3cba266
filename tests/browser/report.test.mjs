// The page of `dp2dp report` in a real browser: every page on every screen, and every control.
import assert from "node:assert/strict";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { accessibility, drawn, launch, open, SCREENS } from "./browser.mjs";
import { HOSTILE, pages } from "./pages.mjs";

const folder = join(process.env.DP2DP_BUILD_DIR, "browser");
const screenshots = join(folder, "screenshots");
let browser;
let made;

before(async () => {
    made = pages(join(folder, "pages"));
    mkdirSync(screenshots, { recursive: true });
    browser = await launch();
});
after(() => browser?.close());

// axe takes seconds on a page of 2,000 rows, and the other pages have all its parts.
const LARGE_AXE = ["large-390-dark"];

// For pages whose parts are all in another page, and for what colours cannot change: narrow and
// dark, wide and light.
const FEW_SCREENS = SCREENS.filter(
    ({ width, colorScheme }) => (width === 390) === (colorScheme === "dark"),
);

const NAMES = ["two", "odds", "large", "hostile", "certified", "bare"];
const CONTROLS = "select, input, button, summary";

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
// What is written in a picture and leaves its frame.
const outside = (page) =>
    page.locator("figure.chart svg text").evaluateAll((all) =>
        all
            .filter((text) => {
                const frame = text.closest("figure").getBoundingClientRect();
                const { left, right } = text.getBoundingClientRect();
                return left < frame.left || right > frame.right;
            })
            .map((text) => text.textContent),
    );
const dataOf = (page) =>
    page.evaluate(() => JSON.parse(document.getElementById("dp2dp-data").textContent));
const figures = (page) => page.locator("figure.chart:visible");
const pictureOf = (page, chart) =>
    page.locator(`#explore figure[data-chart=${chart}] svg.dp2dp-plot`);
const drawing = (page, chart) => pictureOf(page, chart).evaluate((svg) => svg.outerHTML);

// The drawing is another one after `action`.
async function changes(page, chart, action) {
    const old = await drawing(page, chart);
    await action();
    await drawn(page);
    assert.notEqual(await drawing(page, chart), old, `${chart} did not change`);
}

for (const name of NAMES)
    test(`${name}: nothing is wrong on any screen`, async () => {
        for (const screen of ["certified", "bare"].includes(name) ? FEW_SCREENS : SCREENS) {
            const { page, faults, close } = await open(browser, made[name], screen);
            await drawn(page);
            const where = `${name}-${screen.width}-${screen.colorScheme}`;
            await page.screenshot({
                path: join(screenshots, `${where}.png`),
                fullPage: screen.colorScheme === "light",
            });
            assert.ok((await overflow(page)) <= 0, `${where} is wider than the screen`);
            for (const figure of await figures(page).all())
                assert.equal(await figure.locator("svg.dp2dp-plot[role=img]").count(), 1);
            assert.deepEqual(await outside(page), [], `${where}: text outside its picture`);
            await page.evaluate(() => {
                for (const details of document.querySelectorAll("details")) details.open = true;
            });
            if (name !== "large" || LARGE_AXE.includes(where))
                assert.deepEqual(await accessibility(page), [], where);
            assert.ok(
                (await overflow(page)) <= 0,
                `${where} is wider than the screen when all is open`,
            );
            assert.deepEqual(faults, [], where);
            await close();
        }
    });

test("each input has its pictures, and nothing is drawn that was not measured", async () => {
    const wanted = {
        two: ["rates", "rates", "changes", "rule", "tradeoff", "errors", "criteria"],
        odds: ["rates", "rates", "changes", "rule", "errors", "criteria"],
        certified: ["rates", "rates", "rule"],
        bare: ["rule"],
    };
    for (const [name, charts] of Object.entries(wanted)) {
        const { page, close } = await open(browser, made[name]);
        assert.deepEqual(
            await figures(page).evaluateAll((all) => all.map((f) => f.dataset.chart)),
            charts,
            name,
        );
        await close();
    }
});

test("rates of a certificate say that they have noise", async () => {
    for (const [name, words] of [
        ["certified", /after, counted with noise/],
        ["two", /after(?!, counted)/],
    ]) {
        const { page, close } = await open(browser, made[name]);
        assert.match(await page.locator("#fig-decide .legend").textContent(), words);
        await close();
    }
});

test("a picture has one axis in each direction", async () => {
    for (const name of ["two", "odds", "large"]) {
        const { page, close } = await open(browser, made[name]);
        for (const figure of await figures(page).all()) {
            const axis = figure.locator("svg [aria-label='x-axis tick label']");
            await axis.first().waitFor({ state: "attached" }); // a slow machine still draws
            assert.ok((await axis.count()) === 1, name);
            assert.ok(
                (await figure.locator("svg [aria-label='y-axis tick label']").count()) <= 1,
                name,
            );
            assert.doesNotMatch(await figure.locator("svg").textContent(), /\(%\)|↑/, name);
        }
        await close();
    }
});

test("the first picture shows what its caption says", async () => {
    for (const name of ["two", "odds", "large", "certified"]) {
        const { page, close } = await open(browser, made[name]);
        const plain = (text) => text.replace(/[\u2066-\u2069]/g, "").replace(/\s+/g, " ");
        const caption = plain(await page.locator("#fig-decide figcaption").textContent());
        const title = plain(await page.locator("#fig-decide svg").getAttribute("aria-label"));
        const [, heading] = title.match(/^Chart: (gets .*), by group/);
        assert.ok(caption.includes(heading), `${name}: ${heading}: ${caption}`);
        const [, labels] = heading.match(/(?: among people labelled (.*))?$/);
        const texts = (await page.locator("#fig-decide svg text").allTextContents()).map(plain);
        assert.ok(
            texts.includes(labels ? `% of people labelled ${labels}` : "% of the group"),
            `${name}: ${texts}`,
        );
        await close();
    }
});

test("the link under the first picture opens the table with its numbers", async () => {
    for (const [name, path] of [
        ["two", "/rates/after/0/1/rate"],
        ["odds", "/statistic_rates/after/0/1/rate"],
    ]) {
        const { page, close } = await open(browser, made[name]);
        const number = page.locator(`#rates td data[data-path="${path}"]`);
        const link = page.locator("#fig-decide figcaption a");
        for (const time of ["first", "second"]) {
            assert.ok(await number.isHidden(), `${name}, ${time} time`);
            await link.click();
            assert.ok(await number.isVisible(), `${name}, ${time} time`);
            assert.equal(await page.locator("#rates details[open]").count(), 1);
            await page.locator("#rates details[open] > summary").click();
        }
        await close();
    }
});

test("rates that the model does not make equal say so", async () => {
    const { page, close } = await open(browser, made.odds);
    const select = page.locator("#rates select");
    assert.equal(await select.inputValue(), "compared");
    assert.equal(await page.locator("#rates .note").count(), 0);
    await select.selectOption("given");
    await drawn(page);
    assert.match(
        await page.locator("#rates .note").textContent(),
        /among people with the same label.*do not measure its aim/,
    );
    await close();
});

test("the certificate's bound is drawn where it is, and rounded up", async () => {
    const { page, close } = await open(browser, made.two);
    const { certificate, unfairness } = await dataOf(page);
    const bound = certificate.unfairness_upper_strict;
    assert.match(
        await page.locator("#criteria .legend").textContent(),
        new RegExp(`certificate: at most ${(Math.ceil(1000 * bound) / 10).toFixed(1)}\u00a0points`),
    );
    const picture = pictureOf(page, "criteria");
    const at = (found) => found.evaluate((e) => Number(e.getAttribute("x1")));
    const line = await at(picture.locator("line[stroke='var(--bound)']"));
    const aim = await at(picture.locator("line[stroke='var(--mark)']"));
    const dots = await picture
        .locator("circle")
        .evaluateAll((all) => all.map((c) => Number(c.getAttribute("cx"))));
    const { rho } = (await dataOf(page)).model;
    const scale = (dots[0] - aim) / (unfairness.criteria[0].before.value - rho);
    assert.ok(Math.abs(line - aim - scale * (bound - rho)) < 0.01);
    await close();
});

const boxOf = (page) => async (id) => await page.locator(id).boundingBox();

test("the first screen is a block of cards without a hole", async () => {
    const near = (a, b, message) => assert.ok(Math.abs(a - b) < 1, `${message}: ${a}, ${b}`);
    const bottom = ({ y, height }) => y + height;
    const right = ({ x, width }) => x + width;
    for (const name of ["two", "odds", "large", "certified"]) {
        const { page, close } = await open(browser, made[name]);
        const parts = ["#card-change", "#card-cost", "#fig-decide", "#card-promise"];
        const [change, cost, picture, promise] = await Promise.all(parts.map(boxOf(page)));
        near(cost.y, change.y, name);
        if (name === "certified") {
            near(picture.y, change.y, name);
            for (const other of [cost, picture]) near(bottom(other), bottom(change), name);
            near(right(promise), right(picture), name);
        } else {
            near(promise.y, change.y, name);
            near(bottom(promise), bottom(change), name);
            if (name === "large") near(bottom(cost), bottom(change), name);
            else near(bottom(picture), bottom(change), name);
            near(picture.x, name === "large" ? change.x : cost.x, name);
        }
        await close();
    }
});

test("a phone: links in one line, the promise second, axes beyond the data", async () => {
    const { page, close } = await open(browser, made.two, { width: 390 });
    const tops = await page
        .locator("nav a")
        .evaluateAll((all) => all.map((a) => a.getBoundingClientRect().top));
    assert.equal(new Set(tops).size, 1);
    const parts = ["#card-change", "#card-promise", "#card-cost", "#fig-decide"];
    const ys = (await Promise.all(parts.map(boxOf(page)))).map(({ y }) => y);
    assert.deepEqual(
        ys,
        ys.toSorted((a, b) => a - b),
    );
    const { rates } = await dataOf(page);
    const ticks = await page
        .locator("#fig-decide [aria-label='x-axis tick label'] text")
        .allTextContents();
    const largest = 100 * Math.max(...[...rates.before, ...rates.after].map(([, yes]) => yes.rate));
    assert.ok(Number(ticks.at(-1)) >= largest, `${ticks}: ${largest}`);
    await close();
});

const tenths = (x) =>
    (100 * x).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const people = (part, whole) =>
    `${part.toLocaleString("en")} people, ${tenths(part / whole)}\u00a0%`;
const both = (one, other, unit) => `${tenths(one)} → ${tenths(other)}${unit}`;

test("pictures write and draw the numbers of the page", async () => {
    const { page, close } = await open(browser, made.two);
    const data = await dataOf(page);
    const written = async (chart) => await pictureOf(page, chart).locator("text").allTextContents();
    const rates = data.groups.map((_, g) => [
        data.rates.before[g][1].rate,
        data.rates.after[g][1].rate,
    ]);
    const errors = data.groups.map((_, g) => [
        data.error.groups.before[g].rate,
        data.error.groups.after[g].rate,
    ]);
    for (const pair of rates)
        assert.ok((await written("rates")).includes(both(...pair, " %")), "rates");
    for (const pair of errors)
        assert.ok((await written("errors")).includes(both(...pair, " %")), "errors");
    for (const { before, after } of data.unfairness.criteria.filter((c) => c.after))
        assert.ok(
            (await written("criteria")).includes(both(before.value, after.value, " points")),
            "criteria",
        );
    for (const { threshold_before: one, threshold_after: other } of data.rule.strata)
        assert.ok(
            (await written("rule")).includes(`${tenths(one)}\u00a0% → ${tenths(other)}\u00a0%`),
            "rule",
        );
    for (const [[kept0, up], [down, kept1]] of data.changes)
        for (const part of [up, down, up + down])
            assert.ok(
                (await written("changes")).includes(people(part, kept0 + up + down + kept1)),
                "changes",
            );
    // All dots of a picture are at one and the same scale.
    const dots = await pictureOf(page, "rates")
        .locator("circle")
        .evaluateAll((all) => all.map((c) => Number(c.getAttribute("cx"))));
    const wanted = [...rates.map(([x]) => x), ...rates.map(([, x]) => x)];
    assert.equal(dots.length, wanted.length);
    const scale = (dots[1] - dots[0]) / (wanted[1] - wanted[0]);
    dots.forEach((x, i) =>
        assert.ok(Math.abs(x - dots[0] - scale * (wanted[i] - wanted[0])) < 0.01, `dot ${i}`),
    );
    const points = await pictureOf(page, "tradeoff")
        .locator(".dot")
        .first()
        .locator("path, circle")
        .count();
    assert.equal(points, data.tradeoff.points.length);
    await close();
});

async function keyboardReaches(page) {
    const wanted = await page.locator(CONTROLS).evaluateAll((all) =>
        all
            .filter((c) => c.checkVisibility())
            .map((c, i) => {
                c.dataset.stop = i;
                return String(i);
            }),
    );
    const seen = new Set();
    await page.evaluate(() => document.body.focus());
    await page.evaluate(() => {
        globalThis.stops = [];
        addEventListener("focusin", ({ target }) => globalThis.stops.push(target.dataset.stop));
    });
    for (let i = 0; i < 400 && seen.size < wanted.length; i += 20) {
        for (let tab = 0; tab < 20; tab++) await page.keyboard.press("Tab");
        for (const stop of await page.evaluate(() => globalThis.stops)) if (stop) seen.add(stop);
    }
    assert.deepEqual(
        wanted.filter((stop) => !seen.has(stop)),
        [],
        "controls that Tab does not reach",
    );
}

async function driveFilter(page, name, label) {
    const filter = page.locator(".filter", { hasText: name });
    await filter.locator("summary").focus();
    await page.keyboard.press("Enter");
    await filter.getByRole("button", { name: "None" }).click();
    await pictureOf(page, "rates").waitFor({ state: "detached" });
    assert.match(await page.locator("#rates .note").textContent(), /Nothing is chosen/);
    const box = filter.getByRole("checkbox", { name: label, exact: false }).first();
    await box.focus();
    await page.keyboard.press("Space");
    await drawn(page);
    assert.match(await filter.locator("summary").textContent(), /: 1 of/);
    const one = await drawing(page, "rates");
    for (const button of await filter.getByRole("button").all()) await button.click();
    await filter.getByRole("button", { name: "All" }).click();
    await drawn(page);
    assert.notEqual(await drawing(page, "rates"), one);
    const search = filter.getByRole("searchbox");
    if (await search.count()) {
        await search.fill(label);
        const shown = await filter.getByRole("checkbox").count();
        assert.ok(shown >= 1 && shown < (await filter.locator("input[type=checkbox]").count()));
        await search.fill("");
    }
    await filter.locator("summary").click();
}

async function driveSelect(page) {
    const select = page.locator("#rates select");
    for (const value of (
        await select.locator("option").evaluateAll((all) => all.map((o) => o.value))
    ).slice(1))
        await changes(page, "rates", () => select.selectOption(value));
    await changes(page, "rates", () => select.selectOption("given"));
}

async function driveTradeoff(page) {
    const slider = page.locator("#tradeoff input[type=range]");
    const reading = page.locator("#tradeoff [aria-live]");
    await slider.focus();
    await page.keyboard.press("End");
    const last = await slider.getAttribute("aria-valuetext");
    assert.match(await reading.textContent(), new RegExp(`At ${last}:`));
    await changes(page, "tradeoff", () => page.keyboard.press("ArrowLeft"));
    assert.notEqual(await slider.getAttribute("aria-valuetext"), last);
    const lines = page.locator("#tradeoff input[type=checkbox]");
    const entries = () => reading.locator("li").count();
    const all = await entries();
    for (const line of await lines.all()) {
        await changes(page, "tradeoff", () => line.uncheck());
        assert.equal(await entries(), all - 1);
        await line.check();
        await drawn(page);
    }
    for (const line of await lines.all()) await line.uncheck();
    await drawn(page);
    assert.equal(await entries(), 0);
}

for (const screen of FEW_SCREENS)
    test(`every control works at ${screen.width} px, ${screen.colorScheme}`, async () => {
        for (const name of ["two", "odds", "large"]) {
            const { page, faults, close } = await open(browser, made[name], screen);
            await drawn(page);
            if (name === "two") await driveTradeoff(page);
            if (await page.locator("#rates select").count()) await driveSelect(page);
            if (name === "odds") await driveFilter(page, "Classes", "middle");
            if (name === "odds") await driveFilter(page, "Groups", "south");
            if (name === "large") await driveFilter(page, "Classes", "class number 17");
            if (name !== "large") await keyboardReaches(page);
            for (const summary of await page.locator("details.numbers > summary").all()) {
                await summary.focus();
                await page.keyboard.press("Enter");
                assert.equal(await summary.evaluate((s) => s.parentElement.open), true);
            }
            assert.deepEqual(faults, []);
            await close();
        }
    });

test("pointing at a picture shows the numbers of what is there", async () => {
    const { page, faults, close } = await open(browser, made.two);
    for (const figure of await figures(page).all()) {
        const mark = figure
            .locator("svg :is(.dot circle, .dot path, .rect rect, .rect path)")
            .last();
        await mark.scrollIntoViewIfNeeded();
        await mark.hover({ force: true });
        await drawn(page);
        assert.match(await figure.locator("svg .tip").textContent(), /\d/);
    }
    assert.deepEqual(faults, []);
    await close();
});

test("labels are shown as text, whatever is in them", async () => {
    const { page, faults, close } = await open(browser, made.hostile);
    await drawn(page);
    const shown = new Set(await page.locator("bdi").allTextContents());
    for (const label of [...HOSTILE.groups, ...HOSTILE.classes])
        assert.ok(
            shown.has(label) ||
                [...shown].some(
                    (text) => text.length > 100 && label.startsWith(text.slice(0, 100)),
                ),
            `not shown: ${label.slice(0, 40)}`,
        );
    assert.equal(await page.locator("script").count(), 2);
    assert.equal(await page.locator("img, iframe, object, embed, link, b").count(), 0);
    const drawnTexts = (await page.locator("svg text").allTextContents()).join("\n");
    assert.ok(
        drawnTexts.includes("‹U+202E›"),
        "a mark that reorders text is spelled out in pictures",
    );
    assert.ok(!drawnTexts.includes("\u202e"));
    assert.deepEqual(faults, []);
    await close();
});

test("without JavaScript everything is readable, and no control is dead", async () => {
    for (const name of NAMES) {
        const { page, faults, close } = await open(browser, made[name], {
            width: 390,
            javaScriptEnabled: false,
        });
        assert.equal(await page.locator("select, input, button, svg").count(), 0, name);
        assert.equal(await figures(page).count(), 0, name);
        for (const box of await page.locator("table").all()) assert.ok(await box.isVisible(), name);
        assert.ok((await overflow(page)) <= 0, `${name} is wider than the screen`);
        assert.deepEqual(faults, [], name);
        await close();
    }
});

test("on paper everything is open, and there are no controls", async () => {
    const { page, close } = await open(browser, made.odds, { colorScheme: "dark" });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    await drawn(page);
    for (const selector of [".controls", ".filters", "nav", "details.numbers > summary"])
        for (const found of await page.locator(selector).all())
            assert.ok(await found.isHidden(), selector);
    for (const table of await page.locator("table").all()) assert.ok(await table.isVisible());
    assert.equal(
        await page.evaluate(() =>
            getComputedStyle(document.documentElement).getPropertyValue("--surface"),
        ),
        "#ffffff",
    );
    await page.screenshot({ path: join(screenshots, "odds-print.png"), fullPage: true });
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("details[open]").count(), 0);
    await close();
});

test("fifty classes and twenty groups are readable at once", async () => {
    const { page, close } = await open(browser, made.large);
    const painted = await page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now();
    });
    console.log(
        `50 x 20: painted after ${painted.toFixed(0)} ms, ${statSync(made.large).size} bytes`,
    );
    assert.match(await page.locator(".filter").first().textContent(), /^Classes: 12 of 50/);
    assert.equal(await pictureOf(page, "rates").count(), 1);
    assert.ok((await pictureOf(page, "rates").boundingBox()).height < 1500);
    await close();
});

test("the page scrolls smoothly, but not for people who ask for less motion", async () => {
    for (const [reducedMotion, behavior] of [
        ["no-preference", "smooth"],
        ["reduce", "auto"],
    ]) {
        const { page, close } = await open(browser, made.bare, { reducedMotion });
        assert.equal(
            await page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior),
            behavior,
        );
        await close();
    }
});
