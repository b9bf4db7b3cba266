// Writes numbers and labels for readers.

const oneDigit = new Intl.NumberFormat("en", {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
});
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const significant = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

// Writes 100 x with one decimal.
export const rounded = (x) => oneDigit.format(100 * x).replace(/^-0\.0$/, "0.0");

export const measured = (x) => typeof x === "number" && Number.isFinite(x);
export const percent = (x) => (measured(x) ? `${rounded(x)}\u00a0%` : "not measured");
export const points = (x) => (measured(x) ? `${rounded(x)}\u00a0points` : "not measured");
export const count = (x) => (measured(x) ? whole.format(x) : "not measured");
export const number = (x) => (measured(x) ? significant.format(x) : "not measured");

// Rounds a bound up, so that the rounded bound is still true.
export const atMost = (x) => points(Math.ceil(1000 * x) / 1000);

// Writes "30.4 → 20.9 %", with the unit only once.
export function fromTo(before, after, unit) {
    if (!measured(after)) return "not measured";
    const last = `${rounded(after)}${unit}`;
    return measured(before) ? `${rounded(before)} → ${last}` : last;
}

const invisible = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;
const visible = (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;

// Writes a label from somebody's table. Spells out characters that would hide or reorder text.
// Isolates the writing direction of the label from that of the text around it. Cuts a long label in
// the middle, because labels often differ at their end.
export function label(text, longest = 60) {
    const spelled = (part) => [...part.replace(invisible, visible)];
    const letters =
        text.length > 4 * longest
            ? [...spelled(text.slice(0, longest)), ...spelled(text.slice(-longest))]
            : spelled(text);
    const head = Math.ceil((longest - 1) / 2);
    const cut =
        letters.length <= longest
            ? letters
            : [
                  ...letters.slice(0, head),
                  "…",
                  ...letters.slice(letters.length - (longest - 1 - head)),
              ];
    return `\u2068${cut.join("")}\u2069`;
}

// Writes "from → to" in this order, even if a label's script is written from right to left.
export const change = (from, to, longest = 60) =>
    `\u200e${label(from, Math.floor(longest / 2) - 2)} → ${label(to, Math.floor(longest / 2) - 2)}`;
