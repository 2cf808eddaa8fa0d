/** Caution: a life of the pessimistic agent on the cliff, and what it thinks at every step (Cohen and Hutter 2020). */

import { WIDE, color, isDark } from "./charts.js";
import { element, freshId, paper, selection, stepper } from "./dom.js";
import { gridLayers } from "./grids.js";
import { get, set } from "./state.js";
import { View, about, figure, viewOf } from "./view.js";

/** @typedef {import("./engine.js").Reply} Reply */

const SIDE = 7;
const TRUTHS = { safe: "no cell gives way", deadly: "one cell on the short path gives way" };

const ABOUT = [
  "The agent has a belief over 32 worlds: one for each set of the five suspect cells. At every step it considers the likeliest of them, just enough to weigh more than β together. If the worst of these makes its plan worthless, or if it believes that the mentor would do better, it asks, and the mentor acts in its place. Orange points are questions.",
  "The agent no longer considers a world that it has seen to be false, so questions become rare. With a small β the agent is bold, and it falls if a cell gives way. More is in the documentation under “Pessimism” (docs/pessimism.md).",
];

class Caution extends View {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   */
  constructor(place, engine) {
    super(place, engine);
    /** @type {Reply} */
    this.words = {};
    /** @type {Reply | null} */
    this.found = null;
    this.whole = element("p", { class: "life", "aria-live": "polite" });
    this.controls = element("div", { class: "controls", role: "group", "aria-label": "Settings" });
    this.steps = element("div", {});
    this.map = this.chart();
    this.counts = this.chart((event, view) => this.clicked(event, view));
    const answer = element(
      "div",
      { class: "answer", id: "answer", tabindex: -1 },
      this.steps,
      this.said,
      element(
        "div",
        { class: "two" },
        figure("Where it is, and which cells it fears", this.map.place),
        figure("How many worlds it considers, and when it asks", this.counts.place),
      ),
    );
    place.replaceChildren(
      element("h1", {}, "Would you go first?"),
      element("p", { class: "lead" }, "The short way to the goal leads over cells that may give way. A mentor knows which. The agent acts only if its plan is good in the worst world that it still considers."),
      about(ABOUT, paper("M. K. Cohen and M. Hutter (2020)", "Pessimism About Unknown Unknowns Inspires Conservatism", ", COLT 2020", "https://arxiv.org/abs/2006.08753")),
      element("div", { class: "top" }, this.fault, this.whole),
      element("div", { class: "columns" }, this.controls, answer),
    );
  }

  async begin() {
    this.words = await this.engine.ask({ view: "caution" });
    if (this.words.error) return this.complain(this.words.error.message);
    return this.ask();
  }

  /** @returns {Reply} */
  asked() {
    const { betas, truths, seeds } = this.words;
    const beta = betas.includes(get("beta")) ? get("beta") : "0.97";
    const truth = truths.includes(get("truth")) ? get("truth") : "deadly";
    const seed = seeds.includes(Number(get("life"))) ? Number(get("life")) : 2;
    return { view: "caution", beta, truth, seed };
  }

  async ask() {
    const asked = this.asked();
    this.showControls(asked);
    const reply = await this.latest.ask(asked);
    if (!reply) return;
    this.complain(reply.error?.message);
    if (reply.error) return;
    this.found = reply;
    const end = reply.fell ? "In the end it falls." : "It never falls.";
    this.whole.textContent = `With β = ${asked.beta} it asks its mentor ${times(reply.questions)} in ${reply.steps.length} steps and earns ${reply.reward} a step. ${end}`;
    const last = reply.steps.length - 1;
    const step = Math.min(last, Number(get("at") ?? 0) || 0);
    this.steps.replaceChildren(
      stepper(
        "step",
        last,
        step,
        (to) => {
          set({ at: to });
          this.draw(to);
        },
        (to) => `step ${to + 1} of ${last + 1}`,
      ),
    );
    this.draw(step);
  }

  /** @param {Reply} asked */
  showControls(asked) {
    if (this.controls.childElementCount) return;
    const { betas, truths, seeds } = this.words;
    const id = freshId("beta");
    const now = element("output", { for: id }, asked.beta);
    const slider = element("input", { type: "range", id, min: 0, max: betas.length - 1, step: 1, "aria-valuetext": `β is ${asked.beta}` });
    slider.value = String(betas.indexOf(asked.beta));
    slider.addEventListener("input", () => {
      const beta = betas[Number(slider.value)];
      now.textContent = beta;
      slider.setAttribute("aria-valuetext", `β is ${beta}`);
      this.change({ beta });
    });
    const radios = truths.map((/** @type {string} */ truth) => {
      const radio = element("input", { type: "radio", name: "truth", checked: truth === asked.truth });
      radio.addEventListener("change", () => this.change({ truth, at: null }));
      return element("label", {}, radio, /** @type {Record<string, string>} */ (TRUTHS)[truth] ?? truth);
    });
    const lives = seeds.map((/** @type {number} */ seed) => ({ value: String(seed), text: `life ${seed}` }));
    this.controls.replaceChildren(
      element(
        "div",
        { class: "control" },
        element("label", { for: id }, "β, how pessimistic", now),
        element("div", { class: "pair" }, slider),
        element("small", {}, "It considers the likeliest worlds until they weigh more than β together: at 0 only the likeliest one."),
      ),
      element("fieldset", { class: "choices" }, element("legend", {}, "What is true"), ...radios),
      selection("Chance", lives, String(asked.seed), (life) => this.change({ life, at: null }), "another draw of mentor, models and noise"),
    );
  }

  /** @param {Record<string, string | null>} changes */
  change(changes) {
    set(changes);
    this.ask();
  }

  /**
   * @param {any} event
   * @param {any} view
   */
  clicked(event, view) {
    if (!this.found) return;
    const box = view.container().querySelector("svg").getBoundingClientRect();
    const at = Math.round(view.scale("x").invert(event.clientX - box.left - view.origin()[0])) - 1;
    set({ at: Math.min(this.found.steps.length - 1, Math.max(0, at)) });
    this.ask();
  }

  /** @param {number} step */
  draw(step) {
    if (!this.found) return;
    const { steps, cells, start } = this.found;
    const one = steps[step];
    const fears = one.suspects.length ? `It fears ${one.suspects.length} ${one.suspects.length === 1 ? "cell" : "cells"}.` : "It fears no cell.";
    this.said.textContent =
      `Step ${step + 1}: it considers ${one.considers} of ${this.found.models} worlds. ${fears} ${this.words.reasons[one.reason]} ` +
      `The worst of them gives its plan ${one.value}; the mentor, as it imagines it, gets ${one.mentor}.`;
    const where = [start, ...steps.map((/** @type {Reply} */ each) => each.to)];
    const point = (/** @type {number} */ at, /** @type {number} */ order) => ({ x: at % SIDE, y: Math.floor(at / SIDE), order });
    const from = where.lastIndexOf(start, step);
    const path = where.slice(Math.max(0, from), step + 1).map(point);
    const kinds = ["floor", "wall", "start", "goal", "suspect", "suspect, feared now", "cliff"];
    const colors = isDark()
      ? ["#23272c", "#4a4f57", "#2d4a68", "#2f5f49", "#4d4630", "#8f5a1f", "#8c2f3b"]
      : ["#fffdf8", "#b9b4a8", "#cfe0f1", "#cfe9da", "#f3ecd0", "#f0c48a", "#dc8390"];
    const shown = cells.map((/** @type {Reply} */ cell) => {
      const feared = one.suspects.includes(cell.y * SIDE + cell.x);
      const kind = cell.kind === "suspect" && feared ? "suspect, feared now" : cell.kind;
      return { ...cell, kind, mark: feared ? "!" : "" };
    });
    this.map.show(gridLayers(SIDE, SIDE, kinds, colors), { cells: shown, whole: [], path, ends: [path[path.length - 1]], uses: [] }, `The grid at step ${step + 1}: the agent is in column ${path[path.length - 1].x + 1}, row ${path[path.length - 1].y + 1}.`);
    const counts = steps.map((/** @type {Reply} */ each, /** @type {number} */ k) => ({ step: k + 1, considers: each.considers, asks: each.asks, reason: this.words.reasons[each.reason] }));
    const questions = counts.filter((/** @type {Reply} */ each) => each.asks);
    this.counts.show(countsLayers(this.found.models, counts.length), { counts, questions, here: [{ step: step + 1 }] }, `Worlds considered by step; it asks at ${questions.map((/** @type {Reply} */ each) => each.step).join(", ") || "no step"}.`);
  }
}

/**
 * @param {number} count
 * @returns {string}
 */
function times(count) {
  return count === 0 ? "never" : count === 1 ? "once" : `${count} times`;
}

/**
 * @param {number} models
 * @param {number} steps
 * @returns {Record<string, any>}
 */
function countsLayers(models, steps) {
  const x = { field: "step", type: "quantitative", title: "step", scale: { domain: [1, Math.max(2, steps)], nice: false }, axis: { grid: false, tickMinStep: 1 } };
  const y = { field: "considers", type: "quantitative", title: `worlds considered, of ${models}`, scale: { type: "log", domain: [0.9, models] }, axis: { values: [1, 2, 4, 8, 16, 32], format: "d" } };
  return {
    ...WIDE,
    height: 250,
    layer: [
      { data: { name: "counts" }, mark: { type: "line", interpolate: "step-after", strokeWidth: 2, color: color(5) }, encoding: { x, y } },
      { data: { name: "questions" }, mark: { type: "point", filled: true, size: 55, color: color(1), opacity: 1 }, encoding: { x, y, tooltip: [{ field: "step" }, { field: "reason", title: "why" }] } },
      { data: { name: "here" }, mark: { type: "rule", strokeDash: [4, 3] }, encoding: { x } },
    ],
  };
}

export const caution = viewOf("caution", "Caution", Caution);
