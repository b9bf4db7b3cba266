// Numbers and labels as a reader sees them.

const tenths = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const significant = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });

const rounded = (x) => tenths.format(100 * x).replace(/^-0\.0$/, "0.0");

export const measured = (x) => typeof x === "number" && Number.isFinite(x);
export const percent = (x) => (measured(x) ? `${rounded(x)} %` : "not measured");
export const points = (x) => (measured(x) ? `${rounded(x)} points` : "not measured");
export const count = (x) => (measured(x) ? whole.format(x) : "not measured");
export const number = (x) => (measured(x) ? significant.format(x) : "not measured");

// "30.4 → 20.9 %": one unit for both.
export function fromTo(before, after, unit) {
  if (!measured(after)) return "not measured";
  const last = `${rounded(after)}${unit}`;
  return measured(before) ? `${rounded(before)} → ${last}` : last;
}

const invisible = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]/g;
const visible = (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}›`;

// A label from somebody's table. Characters that would hide or reorder text are spelled out, the rest is
// isolated from its surroundings, and what is too long is cut.
export function label(text, longest = 60) {
  const letters = [...text.slice(0, 4 * longest).replace(invisible, visible)];
  const cut = letters.length > longest ? `${letters.slice(0, longest - 1).join("")}…` : letters.join("");
  return `\u2068${cut}\u2069`;
}
