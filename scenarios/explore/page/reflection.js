/** Self-reflection: agents next to their reality checks, environment by environment (Alexander et al. 2021). */

import { WIDE, color } from "./charts.js";
import { element, paper, selection, table } from "./dom.js";
import { get, set } from "./state.js";
import { View, about, figure, viewOf } from "./view.js";

/** @typedef {import("./engine.js").Reply} Reply */

const ABOUT = [
  "An extended environment can simulate the agent that acts in it: it may ask what the agent would have done with other memories, and pay by the answer. To do well, an agent has to predict itself. The measure is the mean reward over 25 such environments and their opposites, where every reward has the other sign, so that an agent that learns nothing has the measure 0.",
  "The reality check of an agent asks at every step whether its memories are what it would have done itself. From the first memory that is not, it plays dumb. More is in the documentation under “Extended environments” (docs/extenv.md). The totals are stored with the program; running them takes hours.",
];

class Reflection extends View {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   */
  constructor(place, engine) {
    super(place, engine);
    /** @type {Reply} */
    this.found = {};
    this.choices = element("div", { class: "controls", role: "group", "aria-label": "Settings" });
    this.measures = this.chart();
    this.detail = this.chart();
    this.table = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Every environment" });
    const answer = element(
      "div",
      { class: "answer", id: "answer", tabindex: -1 },
      this.fault,
      figure("The measure of every agent, and of its reality check", this.measures.place),
      element("h2", {}, "Environment by environment"),
      this.said,
      this.detail.place,
      this.table,
    );
    place.replaceChildren(
      element("h1", {}, "Does it know that it is being watched?"),
      element("p", { class: "lead" }, "These environments simulate the agent, and pay by what the simulated agent would do."),
      about(ABOUT, paper("S. A. Alexander, M. Castaneda, K. Compher and O. Martinez (2022)", "Extending Environments To Measure Self-Reflection In Reinforcement Learning", "", "https://arxiv.org/abs/2110.06890")),
      element("div", { class: "columns" }, this.choices, answer),
    );
  }

  async begin() {
    this.found = await this.engine.ask({ view: "reflection" });
    this.complain(this.found.error?.message);
    if (!this.found.error) this.draw();
  }

  /** @returns {string[]} */
  names() {
    return this.found.agents.map((/** @type {Reply} */ one) => one.name).filter((/** @type {string} */ name) => !name.startsWith("RC("));
  }

  draw() {
    const names = this.names();
    const chosen = names.includes(get("agent") ?? "") ? String(get("agent")) : "Q";
    this.choices.replaceChildren(
      selection("Agent", names.map((name) => ({ value: name, text: name })), chosen, (agent) => {
        set({ agent });
        this.draw();
      }, `${this.found.steps.toLocaleString("en")} steps a run; the mean of an environment and its opposite`),
    );
    const named = (/** @type {string} */ name) => this.found.agents.find((/** @type {Reply} */ one) => one.name === name);
    const rows = names.flatMap((name) =>
      [named(name), named(`RC(${name})`)].filter(Boolean).map((one, k) => ({ agent: name, who: k ? "its reality check" : "the agent", measure: one.measure, seeds: one.seeds })),
    );
    this.measures.show(dots("agent", names, "measure", "self-reflection measure"), { rows }, `Measures: ${rows.map((row) => `${row.agent}, ${row.who}, ${row.measure}`).join("; ")}.`);
    const [agent, check] = [named(chosen), named(`RC(${chosen})`)];
    const detail = this.found.environments.flatMap((/** @type {string} */ environment, /** @type {number} */ k) =>
      [agent, check].filter(Boolean).map((one, index) => ({ environment, who: index ? "its reality check" : "the agent", mean: one.means[k] })),
    );
    this.said.textContent = check
      ? `${chosen} measures ${digits(agent.measure)}, its reality check ${digits(check.measure)} (${agent.seeds} and ${check.seeds} seeds).`
      : `${chosen} measures ${digits(agent.measure)} (${agent.seeds} seeds).`;
    this.detail.show(dots("environment", this.found.environments, "mean", "mean reward of a step"), { rows: detail }, `${chosen} and its reality check in every environment; the table below has the numbers.`);
    this.showTable(chosen, agent, check);
  }

  /**
   * @param {string} name
   * @param {Reply} agent
   * @param {Reply | undefined} check
   */
  showTable(name, agent, check) {
    const rows = this.found.environments.map((/** @type {string} */ environment, /** @type {number} */ k) => {
      const numbers = check ? [agent.means[k], check.means[k], check.means[k] - agent.means[k]] : [agent.means[k]];
      return element("tr", {}, element("th", { scope: "row" }, environment), ...numbers.map((one) => element("td", { class: "number" }, digits(one))));
    });
    const titles = ["environment", name, ...(check ? [check.name, "difference"] : [])];
    this.table.replaceChildren(table("Mean reward of a step, over an environment and its opposite", titles, rows));
  }
}

/**
 * @param {number} one
 * @returns {string}
 */
function digits(one) {
  const text = one.toFixed(4);
  return text === "-0.0000" ? "0.0000" : text.replace("-", "−");
}

/**
 * @param {string} rows
 * @param {string[]} order
 * @param {string} field
 * @param {string} title
 * @returns {Record<string, any>}
 */
function dots(rows, order, field, title) {
  const y = { field: rows, type: "ordinal", sort: order, title: null, axis: { grid: true, labelLimit: 190 } };
  const colors = { domain: ["the agent", "its reality check"], range: [color(5), color(1)] };
  return {
    ...WIDE,
    height: { step: 19 },
    data: { name: "rows" },
    layer: [
      { mark: { type: "line", strokeWidth: 1, color: "#888" }, encoding: { x: { field, type: "quantitative", title }, y, detail: { field: rows } } },
      {
        mark: { type: "point", filled: true, size: 70, opacity: 1 },
        encoding: {
          x: { field, type: "quantitative", title },
          y,
          color: { field: "who", type: "nominal", scale: colors, legend: { orient: "top", title: null, columns: 1 } },
          shape: { field: "who", type: "nominal", scale: { domain: colors.domain, range: ["circle", "diamond"] } },
          tooltip: [{ field: rows }, { field: "who" }, { field }],
        },
      },
    ],
  };
}

export const reflection = viewOf("reflection", "Self-reflection", Reflection);
