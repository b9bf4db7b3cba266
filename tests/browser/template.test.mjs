// The committed templates are what their sources make, byte for byte, and keep what is said of
// them.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const source = process.env.DP2DP_SOURCE_DIR;
const read = (...path) => readFileSync(join(source, ...path), "utf8");
// Where each template is, and the script that makes it.
const TEMPLATES = {
    "src/report/template.html": "report/build.mjs",
    "experiments/page/template.html": "experiments/page/build.mjs",
};

for (const [name, script] of Object.entries(TEMPLATES)) {
    const template = read(name);

    test(`${name} is what its source makes (renew it with: make report)`, async () => {
        const { build } = await import(join(source, script));
        const made = await build(join(process.env.DP2DP_NPM, "node_modules"));
        assert.ok(made === template, `${name} is out of date`);
    });

    test(`the policy of ${name} allows nothing but what is in the page`, () => {
        const policy = template.match(/Content-Security-Policy" content="([^"]+)"/)[1];
        assert.match(policy, /^default-src 'none'; /);
        assert.doesNotMatch(policy, /unsafe|http|\*|data:|blob:/);
        const hash = (text) => createHash("sha256").update(text).digest("base64");
        for (const tag of ["script", "style"])
            assert.ok(
                policy.includes(hash(template.match(new RegExp(`<${tag}>([^]*?)</${tag}>`))[1])),
                tag,
            );
    });

    test(`${name} is small, has each mark once and the licence of everything in it`, () => {
        assert.ok(Buffer.byteLength(template) < 330_000);
        for (const mark of ["title", "body", "data"])
            assert.equal(template.split(`<!--dp2dp:${mark}-->`).length, 2);
        for (const package_ of ["@observablehq/plot", "d3-selection", "d3-scale", "isoformat"])
            assert.match(template, new RegExp(`<h3>[^<]*${package_} \\d`));
        assert.match(template, /Permission to use, copy, modify/);
    });
}

test("no registry is named", () => {
    assert.doesNotMatch(read("report/package-lock.json"), /https?:|"resolved"/);
});

// WCAG: text has 4.5 to 1 against what it stands on, marks of a picture 3 to 1.
test("colours have enough contrast, in light and dark", () => {
    const css = read("report/style.css");
    const themes = [...css.matchAll(/:root \{([^}]*)\}/g)].map(([, body]) =>
        Object.fromEntries(
            [...body.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, value]) => [
                name,
                value,
            ]),
        ),
    );
    assert.equal(themes.length, 2);
    const light = (hex) => {
        const [r, g, b] = [1, 3, 5]
            .map((i) => parseInt(hex.slice(i, i + 2), 16) / 255)
            .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => {
        const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
        return (high + 0.05) / (low + 0.05);
    };
    for (const theme of themes) {
        for (const name of ["ink", "muted", "accent"])
            for (const under of ["surface", "page", "care-soft", "stop-soft", "good-soft"])
                assert.ok(contrast(theme[name], theme[under]) >= 4.5, `${name} on ${under}`);
        for (const name of ["care", "stop", "good"])
            assert.ok(contrast(theme[name], theme[`${name}-soft`]) >= 4.5, name);
        for (const name of [
            "before",
            "after",
            "mark",
            "plus",
            "minus",
            ...[0, 1, 2, 3, 4, 5].map((i) => `series-${i}`),
        ])
            assert.ok(contrast(theme[name], theme.surface) >= 3, name);
    }
});
