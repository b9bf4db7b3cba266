// Writes the page's template, one HTML file that loads no other file:
//     node build.mjs NODE_MODULES TEMPLATE
// The same sources and package versions give the same bytes.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const read = (...path) => readFileSync(join(...path), "utf8");

async function bundle(esbuild, modules, folder) {
    const result = await esbuild.build({
        absWorkingDir: folder,
        entryPoints: ["src/main.js"],
        bundle: true,
        minify: true,
        format: "iife",
        target: "es2020",
        charset: "utf8",
        legalComments: "none",
        nodePaths: [modules],
        metafile: true,
        write: false,
    });
    const [output] = Object.values(result.metafile.outputs);
    const used = Object.entries(output.inputs).filter(([, input]) => input.bytesInOutput > 0);
    const names = used.map(([path]) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]);
    return {
        code: result.outputFiles[0].text.trim(),
        packages: [...new Set(names.filter(Boolean))].sort(),
    };
}

// Returns the style sheet that Observable Plot puts into every picture, for the hash in the policy.
// Its class name is the one that src/picture.js gives to Plot.
function plotStyle(modules) {
    const source = read(modules, "@observablehq/plot/src/plot.js");
    const text = source.match(/append\("style"\)\.text\(\s*`([^`]*)`/)?.[1];
    const name = read(here, "src/picture.js").match(/className: "([^"]+)"/)?.[1];
    if (!text || !name) throw new Error("the style element of Observable Plot was not found");
    return text.replaceAll("${className}", name);
}

const escape = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

// Returns the licence of each package in the bundle. A text that several packages have comes once.
function licences(modules, packages) {
    const texts = new Map();
    for (const name of packages) {
        const folder = join(modules, name);
        const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
        if (!file) throw new Error(`${name} has no licence file`);
        const { version } = JSON.parse(read(folder, "package.json"));
        const text = read(folder, file).replaceAll("\r\n", "\n").trim();
        texts.set(text, [...(texts.get(text) ?? []), `${name} ${version}`]);
    }
    const part = ([text, names]) =>
        `<h3>${names.map(escape).join(", ")}</h3>\n<pre>${escape(text)}</pre>`;
    return [...texts].map(part).join("\n");
}

function policy(script, styles) {
    const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    return [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${styles.map(hash).join(" ")}`,
        "base-uri 'none'",
        "form-action 'none'",
    ].join("; ");
}

function fill(page, values) {
    const text = page.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name]);
    for (const mark of ["title", "body", "data"])
        if (text.split(`<!--dp2dp:${mark}-->`).length !== 2)
            throw new Error(`mark ${mark}: not once`);
    return text;
}

// Returns the template of a page whose script is src/main.js in `folder`. Its style is that of the
// report, followed by the style sheets `styles`.
export async function build(modules, { folder = here, styles = [] } = {}) {
    const require = createRequire(join(modules, "x.js"));
    const esbuild = require("esbuild");
    const { code, packages } = await bundle(esbuild, modules, folder);
    if (/<\/script|<!--/i.test(code)) throw new Error("the bundle would end its script element");
    const sheets = [join(here, "style.css"), ...styles].map((file) => read(file)).join("\n");
    const css = await esbuild.transform(sheets, { loader: "css", minify: true });
    const style = css.code.trim();
    return fill(read(here, "page.html"), {
        policy: policy(code, [style, plotStyle(modules)]),
        style,
        script: code,
        licences: licences(modules, packages),
    });
}

// Runs the command line, unless the script at `address` was only imported by another script.
export async function command(address, make) {
    const script = fileURLToPath(address);
    if (!process.argv[1] || resolve(process.argv[1]) !== script) return;
    const [modules, target] = process.argv.slice(2);
    if (!target || !existsSync(modules)) {
        console.error(`usage: node ${basename(script)} NODE_MODULES TEMPLATE`);
        process.exit(2);
    }
    const text = await make(resolve(modules));
    writeFileSync(target, text);
    console.log(`${target}: ${Buffer.byteLength(text)} bytes`);
}

await command(import.meta.url, build);
