// The pages under test, written by the program from invented tables of scores.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const BUDGET = ["--epsilon", "1", "--delta", "1e-5"];

export const HOSTILE = {
    groups: [
        "</script><script>alert(1)</script>",
        "\"'><img src=x onerror=alert(2)>",
        "\u202eabc\u202c def",
        "x".repeat(512),
    ],
    classes: ["<b>no</b>", "{{yes}} <!-- &amp; \\u003c", "שלום"],
};

function generator(state) {
    return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

const quoted = (cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

// A table of scores in which every group prefers another class. Labels are drawn from the scores.
function table(folder, name, { groups, classes, people }, seed) {
    const random = generator(seed);
    const lines = [["g", "y", ...classes.map((_, k) => `p${k}`)].join(",")];
    for (let i = 0; i < people; i++) {
        const g = Math.floor(random() * groups.length);
        const raw = classes.map((_, k) => random() ** 2 * (k % groups.length === g ? 2 : 1) + 1e-3);
        const sum = raw.reduce((a, b) => a + b);
        let rest = random() * sum;
        const y = Math.max(
            0,
            raw.findIndex((x) => (rest -= x) <= 0),
        );
        lines.push(
            [quoted(groups[g]), quoted(classes[y]), ...raw.map((x) => (x / sum).toFixed(12))].join(
                ",",
            ),
        );
    }
    writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
}

// What the program is told about a table.
function columns({ groups, classes }) {
    const list = (names) => names.map(quoted).join(",");
    return [
        "--scores",
        classes.map((_, k) => `p${k}`).join(","),
        "--classes",
        list(classes),
        "--sensitive",
        "g",
        "--groups",
        list(groups),
        "--label",
        "y",
        "--normalize",
    ];
}

function make(folder, name, { inputs, ...shape }) {
    const at = join(folder, name);
    mkdirSync(at);
    table(at, "pool.csv", shape, 1);
    table(at, "test.csv", shape, 2);
    const run = (...words) =>
        execFileSync(process.env.DP2DP, words, { cwd: at, stdio: ["ignore", "ignore", "inherit"] });
    const seed = shape.secure ? [] : ["--insecure-seed", "3"];
    run(
        "fit",
        "pool.csv",
        ...columns(shape),
        ...BUDGET,
        "--criterion",
        shape.criterion,
        ...seed,
        "--out",
        "model.json",
    );
    const options = {
        test: () => ["--test", "test.csv", "--label", "y"],
        sweep: () => {
            run(
                "sweep",
                "test.csv",
                ...columns(shape),
                "--rho",
                "0,0.02,0.05,0.1,0.2",
                "--epsilon",
                "0.5,2,inf",
                "--delta",
                "1e-5",
                "--runs",
                "3",
                "--criterion",
                shape.criterion,
                "--insecure-seed",
                "4",
                "--name",
                "invented",
                "--out",
                "sweep.csv",
            );
            return ["--sweep", "sweep.csv", "--sweep-people", "other", "--name", "invented"];
        },
        certificate: () => {
            run(
                "certify",
                "model.json",
                "test.csv",
                ...BUDGET,
                ...seed,
                "--out",
                "certificate.json",
            );
            return ["--certificate", "certificate.json"];
        },
    };
    run(
        "report",
        "model.json",
        ...inputs.flatMap((input) => options[input]()),
        "--out",
        "report.html",
    );
    return join(at, "report.html");
}

const numbered = (word, n) => Array.from({ length: n }, (_, i) => `${word} ${i + 1}`);

const SHAPES = {
    two: {
        groups: ["Female", "Male"],
        classes: ["<=50K", ">50K"],
        people: 4000,
        criterion: "demographic_parity",
        inputs: ["test", "sweep", "certificate"],
    },
    odds: {
        groups: ["north", "south", "islands"],
        classes: ["low", "middle", "high"],
        people: 4000,
        criterion: "equalized_odds",
        inputs: ["test"],
    },
    large: {
        groups: numbered("group", 20),
        classes: numbered("class number", 50),
        people: 6000,
        criterion: "demographic_parity",
        inputs: ["test"],
    },
    hostile: {
        ...HOSTILE,
        people: 3000,
        criterion: "demographic_parity",
        inputs: ["test", "sweep"],
    },
    certified: {
        groups: ["Female", "Male"],
        classes: ["no", "yes"],
        people: 4000,
        criterion: "demographic_parity",
        secure: true,
        inputs: ["certificate"],
    },
    bare: {
        groups: ["Female", "Male"],
        classes: ["no", "yes"],
        people: 2000,
        criterion: "demographic_parity",
        secure: true,
        inputs: [],
    },
};

export function pages(folder) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    return Object.fromEntries(
        Object.entries(SHAPES).map(([name, shape]) => [name, make(folder, name, shape)]),
    );
}
