/** What the views share: where a fault is said, questions one at a time, charts that end with the view, the text below. */

import { Chart } from "./charts.js";
import { element } from "./dom.js";
import { Latest } from "./engine.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./engine.js").Reply} Reply */

/** A view in its place on the page. */
export class View {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   */
  constructor(place, engine) {
    this.place = place;
    this.engine = engine;
    this.latest = new Latest(engine);
    /** @type {Chart[]} */
    this.charts = [];
    this.fault = element("p", { class: "fault", role: "alert", hidden: true });
    this.said = element("p", { class: "said", "aria-live": "polite" });
  }

  /**
   * Return a chart that ends with the view.
   * @param {(event: any, view: any) => void} [onClick]
   * @returns {Chart}
   */
  chart(onClick) {
    const made = new Chart(element("div", { class: "chart" }), onClick);
    this.charts.push(made);
    return made;
  }

  /**
   * Say what is wrong, or, without a message, that nothing is.
   * @param {string} [message]
   */
  complain(message = "") {
    this.fault.hidden = !message;
    this.fault.textContent = message;
  }

  end() {
    this.latest.drop();
    for (const chart of this.charts) chart.end();
  }
}

/**
 * Return the text on top of a view: what one is looking at, by paragraphs, and the paper.
 * @param {string[]} paragraphs
 * @param {HTMLElement} source
 * @returns {HTMLElement}
 */
export function about(paragraphs, source) {
  const texts = paragraphs.map((text) => element("p", {}, text));
  return element("details", { class: "about" }, element("summary", {}, "What am I looking at?"), ...texts, source);
}

/**
 * Return a figure with a title.
 * @param {string} title
 * @param {...Child} parts
 * @returns {HTMLElement}
 */
export function figure(title, ...parts) {
  return element("figure", {}, element("figcaption", {}, title), ...parts);
}

/**
 * Return a view as the page knows it: its name, its title, and how it is shown. Showing it gives what ends it.
 * @param {string} name
 * @param {string} title
 * @param {new (place: HTMLElement, engine: import("./engine.js").Engine) => View & { begin(): Promise<void> }} Shown
 */
export function viewOf(name, title, Shown) {
  return {
    name,
    title,
    /**
     * @param {HTMLElement} place
     * @param {import("./engine.js").Engine} engine
     * @returns {Promise<() => void>}
     */
    async mount(place, engine) {
      const view = new Shown(place, engine);
      await view.begin();
      return () => view.end();
    },
  };
}
