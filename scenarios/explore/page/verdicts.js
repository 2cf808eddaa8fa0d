/** Who accepts, in words and as a table. */

import { color } from "./charts.js";
import { element, table } from "./dom.js";
import { decimal, rounded } from "./fractions.js";

/** @typedef {import("./engine.js").Reply} Reply */

/**
 * Return the color of an action: the first, mostly to stay, is the quiet one.
 * @param {string[]} actions
 * @param {string} action
 * @returns {string}
 */
export function actionColor(actions, action) {
  return color(Math.max(0, actions.indexOf(action)));
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
    return { label: `caring, α = ${name.slice(7)}`, meaning: "a plan for all copies: 0 is their average, 1 their sum" };
  }
  return { label: name, meaning: "" };
}

/**
 * Say for each action who takes it.
 * @param {HTMLElement} place
 * @param {Reply} world
 * @param {Reply} values
 * @param {Reply[]} words
 */
export function showVerdicts(place, world, values, words) {
  const known = Object.entries(values).filter(([, one]) => !one.error);
  const lines = world.actions.map((/** @type {string} */ action) => {
    const who = known.filter(([, one]) => one.best === action && !one.tied).map(([name]) => inWords(name, words).label);
    return line(actionColor(world.actions, action), action, who);
  });
  const torn = known.filter(([, one]) => one.tied).map(([name]) => inWords(name, words).label);
  if (torn.length) lines.push(line("transparent", "no matter which", torn));
  place.replaceChildren(...lines.filter(Boolean));
}

/**
 * @param {string} swatch
 * @param {string} action
 * @param {string[]} who
 * @returns {HTMLElement | null}
 */
function line(swatch, action, who) {
  if (!who.length) return null;
  return element("li", { style: `--swatch:${swatch}` }, element("strong", {}, action), `: ${listed(who)}.`);
}

/**
 * @param {string[]} names
 * @returns {string}
 */
function listed(names) {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/**
 * Show what each action is worth to each value.
 * @param {HTMLElement} place
 * @param {Reply} world
 * @param {Reply} values
 * @param {Reply[]} words
 */
export function showTable(place, world, values, words) {
  const caption = "What each action is worth now, if the agent then always does what is best by that value";
  const rows = Object.entries(values).map(([name, one]) => row(name, one, world, words));
  place.replaceChildren(table(caption, ["Whose future counts?", ...world.actions, "decides"], rows));
}

/**
 * @param {string} name
 * @param {Reply} one
 * @param {Reply} world
 * @param {Reply[]} words
 * @returns {HTMLElement}
 */
function row(name, one, world, words) {
  const { label, meaning } = inWords(name, words);
  const head = element("th", { scope: "row" }, label, meaning && element("small", {}, meaning));
  if (one.error) return element("tr", { "data-value": name }, head, element("td", { colspan: world.actions.length + 1 }, one.error));
  const cells = world.actions.map((/** @type {string} */ action) => {
    const worth = one.actions[action];
    const exact = element("span", { class: "exact", title: worth }, worth);
    const near = worth.includes("/") || Math.abs(decimal(worth)) >= 1e6;
    return element("td", { class: one.best === action && !one.tied ? "number best" : "number" }, exact, near && element("small", {}, `≈ ${rounded(worth)}`));
  });
  const swatch = element("span", { class: "swatch", style: `--swatch:${one.tied ? "transparent" : actionColor(world.actions, one.best)}` });
  return element("tr", { "data-value": name }, head, ...cells, element("td", {}, swatch, one.tied ? "no matter which" : one.best));
}
