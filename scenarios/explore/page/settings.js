/** Sliders for a world's parameters, the discount, the horizon and the caring coefficient. */

import { element, freshId } from "./dom.js";
import { decimal, fraction } from "./fractions.js";
import { get, withPrefix } from "./state.js";

/** @typedef {import("./engine.js").Reply} Reply */
/** @typedef {{key: string, label: string, note: string, initial: string, value: string, least: number, most: number, whole: boolean, choices?: string[]}} Knob */

const POSITIONS = 40;
/** The caring coefficient at first: the copies are added up. */
export const ALPHA = "1";
/** Signs that print a minus, and that readers copy: hyphens, dashes, the minus of mathematics. */
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * Return the ends of a parameter's slider; without limits it goes from 0 to twice its default, or to 4.
 * @param {Reply} parameter
 * @returns {[number, number]}
 */
export function range(parameter) {
  const twice = 2 * decimal(parameter.default);
  const least = parameter.least === null ? Math.min(0, twice) : decimal(parameter.least);
  const most = parameter.most === null ? Math.max(least, twice > 0 ? twice : 4) : decimal(parameter.most);
  return [least, most];
}

/**
 * Return a step of a slider that is easy to read: 1, 2 or 5 times a power of ten.
 * @param {number} least
 * @param {number} most
 * @returns {number}
 */
function readableStep(least, most) {
  const rough = (most - least) / POSITIONS || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = [1, 2, 5, 10].find((one) => one * power >= rough * 0.999) ?? 10;
  return factor * power;
}

/**
 * @param {string} text
 * @returns {string}
 */
function capitalized(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** All sliders of the view. */
export class Settings {
  /**
   * @param {boolean} endless whether a horizon without end can be computed
   * @param {(changes: Record<string, string | null>) => void} onChange
   */
  constructor(endless, onChange) {
    this.endless = endless;
    this.onChange = onChange;
    this.element = element("div", {});
    /** @type {Map<string, {slider: HTMLInputElement, field: HTMLInputElement}>} */
    this.knobs = new Map();
    this.stale = false;
  }

  /**
   * Show a slider for everything that this world lets one set.
   * @param {Reply} world
   */
  build(world) {
    this.knobs.clear();
    this.stale = false;
    const given = withPrefix("p.");
    const parameters = Object.entries(world.parameters).map(([name, one]) => {
      const [least, most] = range(one);
      return this.knob({ key: `p.${name}`, label: one.meaning ? capitalized(one.meaning) : name, note: one.meaning ? name : "", initial: one.default, value: Object.hasOwn(given, name) ? given[name] : one.value, least, most, whole: one.whole });
    });
    const horizon = world.horizon === null ? "5" : String(world.horizon);
    this.element.replaceChildren(...[
      ...(parameters.length ? [element("h2", {}, "The story’s numbers")] : []),
      ...parameters,
      element("h2", {}, "The agent"),
      this.knob({ key: "discount", label: "How much a reward counts one step later", note: "the discount γ", initial: "", value: world.discount, least: 0, most: 1, whole: false }),
      this.knob({ key: "horizon", label: "How many steps the agent looks ahead", note: "the horizon T", initial: "", value: horizon, least: 1, most: 10, whole: true }),
      world.memory && this.endless && this.endlessChoice(world),
      world.memory && this.knob({ key: "alpha", label: "How much copies care for each other", note: "α: 0 counts copies on average, 1 counts copies in full", initial: ALPHA, value: get("alpha") ?? ALPHA, least: 0, most: 1, whole: false }),
      element("button", { type: "button", onclick: () => this.reset(world) }, "Back to the story’s own numbers"),
    ].filter((child) => child !== false));
  }

  /**
   * @param {Reply} world
   * @returns {HTMLElement}
   */
  endlessChoice(world) {
    const box = element("input", { type: "checkbox", checked: world.horizon === null });
    box.addEventListener("change", () => {
      const field = this.knobs.get("horizon")?.field.value ?? "5";
      this.onChange({ horizon: box.checked ? "inf" : field });
    });
    return element("div", { class: "control" }, element("label", {}, element("span", {}, box, " without an end")));
  }

  /**
   * @param {Knob} knob
   * @returns {HTMLElement}
   */
  knob({ key, label, note, initial, value, least, most, whole }) {
    const id = freshId("knob");
    const now = decimal(value);
    const [from, to] = [Math.min(least, now), Math.max(most, now)];
    const step = whole ? 1 : readableStep(from, to);
    const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
    const slider = element("input", { type: "range", id, min: from, max: to, step, "aria-label": note ? `${label}: ${note}` : label });
    const field = element("input", { type: "text", inputmode: "decimal", autocomplete: "off", "aria-label": `${label}, as a number or a fraction` });
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", value);
    field.value = value;
    slider.addEventListener("input", () => {
      field.value = Number(slider.value).toFixed(digits).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
      this.changed(key, slider, field);
    });
    field.addEventListener("input", () => {
      const typed = field.value.replace(DASHES, "-");
      if (typed !== field.value) field.value = typed;
      const found = decimal(field.value);
      if (!Number.isNaN(found)) slider.value = String(found);
      this.changed(key, slider, field);
    });
    field.addEventListener("change", () => field.reportValidity());
    this.knobs.set(key, { slider, field });
    return element(
      "div",
      { class: "control", "data-key": key, "data-initial": initial },
      element("label", { for: id }, element("span", {}, label)),
      element("div", { class: "pair" }, slider, field),
      note && element("small", {}, note),
    );
  }

  /**
   * @param {string} key
   * @param {HTMLInputElement} slider
   * @param {HTMLInputElement} field
   */
  changed(key, slider, field) {
    const valid = fraction(field.value) !== null;
    field.setAttribute("aria-invalid", String(!valid));
    field.setCustomValidity(valid ? "" : "Write a number such as 0.25, or a fraction such as 1/4.");
    slider.setAttribute("aria-valuetext", field.value);
    if (valid) this.onChange({ [key]: field.value.trim() });
  }

  /**
   * Move sliders to what has been set elsewhere.
   * @param {Record<string, string | null>} changes
   */
  place(changes) {
    for (const [key, value] of Object.entries(changes)) {
      const knob = this.knobs.get(key);
      if (!knob || value === null) continue;
      knob.field.value = value;
      knob.slider.value = String(decimal(value));
      knob.slider.setAttribute("aria-valuetext", value);
    }
  }

  /** @param {Reply} world */
  reset(world) {
    const names = [...Object.keys(world.parameters).map((name) => `p.${name}`), "discount", "horizon", "alpha"];
    this.stale = true;
    this.onChange(Object.fromEntries(names.map((name) => [name, null])));
  }
}
