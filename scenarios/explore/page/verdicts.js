/** Who accepts, in words and as a table. */

import { color } from "./charts.js";
import { element, table } from "./dom.js";
import { decimal, isRounded, rounded } from "./fractions.js";

/** @typedef {import("./engine.js").Reply} Reply */

/** The values that are shown at once; the others are one click away. */
const MAIN = ["cpy", "sta", "dyn", "forgetful"];

/** Characters of the longest fraction that is shown. */
const LONGEST = 7;

/**
 * Return the color of an action: the first, mostly to stay, is the quiet one. A plan that tosses a coin comes after all.
 * @param {string[]} actions
 * @param {string} action
 * @returns {string}
 */
export function actionColor(actions, action) {
  return color(actions.includes(action) ? actions.indexOf(action) : actions.length);
}

/**
 * Return what a value is called, and whose rewards it counts.
 * @param {string} name
 * @param {Reply[]} words
 * @returns {{label: string, meaning: string}}
 */
export function inWords(name, words) {
  const known = words.find((one) => one.name === name);
  if (known) return { label: known.label, meaning: known.meaning };
  if (name.startsWith("caring=")) {
    const share = name.slice(7);
    const label = { 0: "copies on average", 1: "copies in full" }[share]; // verdicts.py
    const meaning = { 0: "the average of what all living copies get", 1: "the sum of what all living copies get" }[share];
    return { label: label ? `${label} (α = ${share})` : `copies with α = ${share}`, meaning: meaning ?? "between the average of the copies (0) and their sum (1)" };
  }
  if (name === "forgetful") return { label: "a forgetful agent", meaning: "it sees where it is and remembers nothing; it may toss a coin" };
  return { label: name, meaning: "" };
}

/**
 * Say who chooses what, in sentences, each with the color of its action.
 * @param {HTMLElement} place
 * @param {Reply} reply
 */
export function showVerdicts(place, { world, verdict, values }) {
  const groups = Object.entries(verdict.groups);
  if (groups.length < 2) {
    const only = values.cpy ?? values.forgetful;
    const best = only?.tied ? "" : only?.best;
    place.replaceChildren(line(best ? actionColor(world.actions, best) : "transparent", capitalized(verdict.sentence.replace(" (--all shows them)", ""))));
    return;
  }
  const lines = groups.map(([choice, who]) => {
    const action = choice.match(/^chooses “(.*)”$/)?.[1] ?? "";
    return line(action ? actionColor(world.actions, action) : "transparent", `Whoever counts ${alternatives(who)} `, element("strong", {}, choice), ".");
  });
  place.replaceChildren(...lines);
}

/**
 * @param {string} swatch
 * @param {...import("./dom.js").Child} parts
 * @returns {HTMLElement}
 */
function line(swatch, ...parts) {
  return element("li", { style: `--swatch:${swatch}` }, ...parts);
}

/**
 * @param {string} text
 * @returns {string}
 */
function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {string[]} names
 * @returns {string}
 */
function alternatives(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
}

/**
 * Show what each action is worth to each value.
 * @param {HTMLElement} place
 * @param {Reply} world
 * @param {Reply} values
 * @param {Reply[]} words
 */
export function showTable(place, world, values, words) {
  const caption = world.memory
    ? "What each action is worth now, if the agent then always does what is best by that value"
    : "What the best plan is worth that always takes this action where it is asked";
  const titles = [world.memory ? "Whose rewards count?" : "Who decides?", "decides", ...world.actions];
  const shown = (/** @type {[string, Reply][]} */ some) => some.map(([name, one]) => row(name, one, world, words));
  const all = Object.entries(values);
  const first = all.filter(([name]) => MAIN.includes(name) || name.startsWith("caring="));
  const more = all.filter((one) => !first.includes(one));
  const open = place.querySelector("details")?.open;
  const rest = more.length > 0 && element("details", { class: "more", open }, element("summary", {}, `${more.length} more values`), table("What they say each action is worth", titles, shown(more)));
  place.replaceChildren(table(caption, titles, shown(first)), rest || "");
}

/**
 * @param {string} name
 * @param {Reply} one
 * @param {Reply} world
 * @param {Reply[]} words
 * @returns {HTMLElement}
 */
function row(name, one, world, words) {
  const { label, meaning: counted } = inWords(name, words);
  const meaning = name.startsWith("caring=") && world.after.length ? `${counted}, from the beginning of the story on` : counted;
  const head = element("th", { scope: "row" }, label, meaning && element("small", {}, meaning));
  if (one.error) return element("tr", { "data-value": name }, head, element("td", { class: "said", colspan: world.actions.length + 1 }, one.error));
  const isAnyGood = one.tied && one.optimal.length === world.actions.length;
  const cells = world.actions.map((/** @type {string} */ action) => {
    const worth = one.actions[action];
    const kind = one.optimal.includes(action) && !isAnyGood ? "number best" : "number";
    return element("td", { class: kind, title: worth }, ...inDigits(worth));
  });
  const swatch = element("span", { class: "swatch", style: `--swatch:${one.tied ? "transparent" : actionColor(world.actions, one.best)}` });
  const decides = element("td", { class: "decides" }, swatch, isAnyGood ? "no matter which" : one.optimal.join(" or "));
  return element("tr", { "data-value": name }, head, decides, ...cells);
}

/**
 * Write a number for reading: a short fraction and its decimals, otherwise the decimals alone.
 * @param {string} worth
 * @returns {import("./dom.js").Child[]}
 */
function inDigits(worth) {
  const exact = element("span", { class: "exact" }, worth.replace("-", "−"));
  if (worth.includes("/") && worth.length > LONGEST) return [rounded(worth)];
  const near = worth.includes("/") || Math.abs(decimal(worth)) >= 1e6;
  const sign = isRounded(worth) ? "≈" : "=";
  const isLong = (worth.split("/")[1] ?? "").length > 2; // people who do not program read decimals first
  return isLong ? [rounded(worth), element("small", {}, `${sign} `, exact)] : [exact, near && element("small", {}, `${sign} ${rounded(worth)}`)];
}
