// Pages with invented numbers, to look at while the template changes:
//     node sample.mjs TEMPLATE FOLDER
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
const range = (n) => [...Array(n).keys()];
const rate = (x, whole) => ({ part: Math.round(x * whole), whole, rate: x, low: Math.max(0, x - 2 * Math.sqrt(x * (1 - x) / whole)), high: Math.min(1, x + 2 * Math.sqrt(x * (1 - x) / whole)) });
const html = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

function make(title, groups, classes, criterion, { sweep = true, certificate = false } = {}) {
  const K = classes.length, G = groups.length;
  const people = groups.map(() => 400 + Math.round(9000 * random()));
  const base = classes.map(() => 0.3 + random());
  const soft = (g, by) => {
    const raw = base.map((b) => b * (1 + by * (random() - 0.5)));
    const total = raw.reduce((a, b) => a + b);
    return raw.map((r) => rate(r / total, people[g]));
  };
  const before = groups.map((_, g) => soft(g, 1.2)), after = groups.map((_, g) => soft(g, 0.1));
  if (K === 2) { [0.106, 0.269].forEach((x, g) => { before[g] = [rate(1 - x, people[g]), rate(x, people[g])]; }); [0.196, 0.203].forEach((x, g) => { after[g] = [rate(1 - x, people[g]), rate(x, people[g])]; }); }
  const dp = criterion === "demographic_parity";
  const statistics = dp ? classes.map((c, k) => ({ class: k, labels: null, text: `gets ${c}` }))
    : range(K).flatMap((k) => range(K).map((y) => ({ class: k, labels: [y], text: `gets ${classes[k]} among people labelled ${classes[y]}` })));
  const st = (by) => groups.map((_, g) => statistics.map((s) => rate(Math.min(0.98, (s.labels && s.labels[0] === s.class ? 0.7 : 0.15) * (1 + by * (random() - 0.5))), people[g])));
  const value = (x) => ({ value: x, low: Math.max(0, x - 0.012), high: x + 0.012 });
  const three = (x) => ({ true_positive: rate(0.5 + 0.3 * random(), 900), false_positive: rate(0.05 + 0.1 * random(), 5000), precision: rate(0.6 + 0.2 * random(), 800) });
  const data = {
    version: 1, title, publishable: false, private: true,
    model: { criterion, positive: K === 2 ? 1 : null, rho: 0.01, effective_tolerance: 0.012, sees_group: true, solver: "counts", rule: "offset", dither: 0, epsilon: 1, delta: 1e-5, records: 16280, checksum: "ab12", warnings: [], leaks: [] },
    groups, classes, labels: K, statistics,
    rates: { source: "test", confidence: 0.95, before: certificate ? null : before, after },
    statistic_rates: dp ? { before, after } : { before: st(0.7), after: st(0.08) },
    class_rates: { before: before.map((r) => r.map(three)), after: after.map((r) => r.map(three)) },
    unfairness: { before: value(0.163), after: value(0.007), criteria: [
      { name: "demographic_parity", text: "demographic parity", promised: dp, before: value(0.163), after: value(0.007) },
      { name: "true_positive_rate_parity", text: "true positive rate parity", promised: false, before: value(0.071), after: value(0.194) },
      { name: "false_positive_rate_parity", text: "false positive rate parity", promised: false, before: value(0.062), after: value(0.083) },
      { name: "equalized_odds", text: "equalized odds", promised: !dp, before: value(0.071), after: value(0.194) }] },
    error: { before: value(0.148), after: value(0.171), groups: { before: groups.map((_, g) => rate(0.08 + 0.12 * random(), people[g])), after: groups.map((_, g) => rate(0.1 + 0.12 * random(), people[g])) } },
    changes: groups.map((_, g) => range(K).map((i) => range(K).map((j) => i === j ? Math.round(people[g] * 0.9 / K) : Math.round(people[g] * (0.1 + 0.9 * random() ** 6) * 0.6 * random() / K)))),
    ties: groups.map((_, g) => ({ group: g, share: 0.001 * random() })),
    rule: { strata: groups.map((_, g) => ({ group: g, label: null, offsets: classes.map(() => 0.2 * (random() - 0.5)), threshold_before: K === 2 ? 0.5 : null, threshold_after: K === 2 ? 0.35 + 0.3 * random() : null })) },
    tradeoff: sweep ? { people: "public", criterion, data: "adult", points: [0.5, 1, null].flatMap((epsilon, s) => [0, 0.02, 0.05, 0.1, 0.15, 0.2].map((rho, i) => ({ method: "dpgd", solver: "counts", rho, epsilon, delta: 1e-5, runs: 15, error: { mean: 0.175 - 0.004 * i - 0.008 * s + 0.001 * random(), sd: 0.002 }, unfairness: { mean: Math.min(0.165, rho * 0.85 + 0.012 - 0.004 * s), sd: 0.005 - 0.001 * s }, error_before: { mean: 0.15, sd: 0.001 }, unfairness_before: { mean: 0.17, sd: 0.001 } }))) } : null,
    certificate: null, ledger: [], covers: [], not_covered: [],
  };
  return data;
}

function body(data) {
  const b = (text) => `<bdi>${html(text)}</bdi>`;
  const pc = (r) => (r ? `${(100 * r.rate).toFixed(1)} %` : "not measured");
  const rows = data.groups.flatMap((g, i) => data.classes.map((c, k) => `<tr><th scope="row">${b(g)}</th><td>${b(c)}</td><td>${pc(data.rates.before?.[i][k])}</td><td>${pc(data.rates.after[i][k])}</td></tr>`)).join("");
  const part = (id, title, how, chart, table) => `<section id="${id}"><h3>${title}</h3><p>${how}</p>${chart ? `<figure class="chart" data-chart="${chart}"><figcaption>${title}</figcaption></figure>` : ""}<div class="table-box" role="region" aria-label="${title}" tabindex="0"><table><caption>${title}</caption><thead><tr><th scope="col">Group</th><th scope="col">Class</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${table}</tbody></table></div></section>`;
  return `<header class="banner do-not-publish"><p>Exact counts about real people: do not publish.</p><nav aria-label="Parts of this page"><ul><li><a href="#decide">Decide</a></li><li><a href="#explore">Explore</a></li><li><a href="#audit">Audit</a></li></ul></nav></header>
<main><section id="decide"><h1>${html(data.title)}</h1>
<div class="card" id="card-change"><h2>What changes</h2><p>The gap between groups falls from <strong>16.3 points</strong> to <strong>0.7 points</strong>. <strong>6.1 %</strong> of people get another decision.</p></div>
<div class="card" id="card-cost"><h2>What it costs</h2><p>The error rises from <strong>14.8 %</strong> to <strong>17.1 %</strong>.</p></div>
<div class="card" id="card-promise"><h2>What is promised</h2><p>Differential privacy with <strong>ε = 1</strong> and <strong>δ = 0.00001</strong> for the people of the training table.</p></div>
<figure class="chart" data-chart="rates" id="fig-decide"><figcaption>How often each group gets the decision, before and after</figcaption></figure></section>
<section id="explore"><h2>Explore</h2>${part("rates", "Rates", "Each row is a group. An open circle is the rate before, a filled one after.", "rates", rows)}${part("changes", "Who changes", "Each bar is a share of the group's people.", "changes", rows)}${part("rule", "The rule", "Each row is a group's threshold.", "rule", rows)}${part("tradeoff", "Trade-off", "Each point is a setting: further left is fairer, further down more accurate.", "tradeoff", rows)}${part("errors", "Errors", "Each row is a group.", "errors", rows)}${part("ties", "Ties", "People whose two best classes tie.", null, rows)}${part("criteria", "Notions of fairness", "Only one is promised.", "criteria", rows)}</section>
<section id="audit"><h2>Audit</h2><section id="promise"><h3>The promise</h3><dl><dt>ε</dt><dd>1</dd><dt>δ</dt><dd>0.00001</dd></dl></section></section></main>`;
}

const hostile = ["</script><script>alert(1)</script>", "\"'><img src=x onerror=alert(2)>", "\u202eright to left\u202c abc", "x".repeat(10000)];
const cases = {
  adult: make("Fair income decisions on Adult", ["Female", "Male"], ["<=50K", ">50K"], "demographic_parity"),
  odds: make("Equalized odds, three groups", ["north", "south", "islands"], ["low", "middle", "high"], "equalized_odds"),
  large: make("Fifty classes, twenty groups", range(20).map((i) => `group ${i + 1}`), range(50).map((i) => `class number ${i + 1}`), "demographic_parity"),
  hostile: make("</title><script>alert(3)</script>", hostile, ["\u0000<b>no</b>", "yes </script>", "m\u202ea"], "demographic_parity"),
};
const [template, folder] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const [name, data] of Object.entries(cases)) {
  const text = readFileSync(template, "utf8")
    .replace("<!--dp2dp:title-->", () => html(data.title)).replace("<!--dp2dp:body-->", () => body(data))
    .replace("<!--dp2dp:data-->", () => JSON.stringify(data).replace(/</g, "\\u003c"));
  writeFileSync(join(folder, `${name}.html`), text);
}
