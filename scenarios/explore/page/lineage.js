/** Who is copied from whom, step by step. */

import { Chart, WIDE, color } from "./charts.js";
import { element, selection, stepper } from "./dom.js";
import { rounded } from "./fractions.js";
import { get, set } from "./state.js";
import { inWords } from "./verdicts.js";

/** @typedef {import("./engine.js").Reply} Reply */

/** Chosen instead of an action: the one that the value takes. */
const DECIDED = "*";

export class Lineage {
  /**
   * @param {HTMLElement} place
   * @param {() => void} onChange
   */
  constructor(place, onChange) {
    this.place = place;
    this.onChange = onChange;
    this.head = element("div", { class: "two" });
    this.steps = element("div", {});
    this.said = element("p", { class: "said", "aria-live": "polite" });
    const chart = element("div", { class: "chart" });
    this.chart = new Chart(chart);
    this.headKey = "";
    /** @type {Reply[]} */
    this.stages = [];
    place.append(element("h2", {}, "Who is copied from whom"), this.head, this.steps, this.said, chart);
  }

  /** @returns {Reply} */
  asked() {
    const first = get("first");
    return { value: get("whose") ?? "cpy", ...(first === DECIDED ? {} : first ? { first } : { copying: true }) };
  }

  /**
   * @param {any} found
   * @param {Reply} world
   * @param {Reply[]} words
   */
  show(found, world, words) {
    this.showHead(world, words);
    if (!found || found.error) {
      this.stages = [];
      this.said.textContent = found?.error ?? "";
      this.steps.replaceChildren();
      return;
    }
    this.stages = found;
    const last = found.length - 1;
    const step = Math.min(last, Number(get("step") ?? last) || 0);
    if (this.steps.dataset.last !== String(last)) {
      this.steps.dataset.last = String(last);
      this.steps.replaceChildren(
        stepper(
          "step",
          last,
          step,
          (to) => {
            set({ step: to });
            this.draw(to);
          },
          (to) => `step ${to} of ${last}`,
        ),
      );
    }
    this.draw(step);
  }

  /**
   * @param {Reply} world
   * @param {Reply[]} words
   */
  showHead(world, words) {
    const asked = this.asked();
    const key = JSON.stringify([asked, get("first"), world.actions, world.memory, words.length]);
    if (key === this.headKey) return;
    this.headKey = key;
    const values = (world.memory ? words : []).map((one) => ({ value: one.name, text: inWords(one.name, words).label }));
    const actions = [{ value: "", text: "one that copies" }, { value: DECIDED, text: "what it decides" }, ...world.actions.map((/** @type {string} */ action) => ({ value: action, text: action }))];
    this.head.replaceChildren(
      values.length ? selection("Who decides", values, asked.value, (value) => this.change({ whose: value })) : "",
      selection(world.after.length ? "The action then" : "The first action", actions, get("first") ?? "", (first) => this.change({ first: first || null })),
    );
  }

  /** @param {Record<string, string | null>} changes */
  change(changes) {
    set(changes);
    this.onChange();
  }

  /** @param {number} step */
  draw(step) {
    this.said.textContent = describeStage(this.stages[step]);
    const slots = [...new Set(this.stages.flatMap((stage) => stage.agents.map((/** @type {Reply} */ one) => one.slot)))].sort((a, b) => a - b);
    const agents = this.stages.flatMap((stage) =>
      stage.agents.map((/** @type {Reply} */ one) => ({
        step: stage.step,
        slot: one.slot,
        reward: stage.step ? rounded(one.reward) : "",
        past: stage.step <= step,
        now: stage.step === step,
        what: stage.step ? `slot ${one.slot} sees ${one.observes}, is paid ${one.reward}` : `slot ${one.slot} at the start`,
      })),
    );
    const moves = this.stages.flatMap((stage) =>
      stage.agents
        .filter(() => stage.step > 0)
        .map((/** @type {Reply} */ one) => ({ step: stage.step - 1, slot: one.from, to: stage.step, arrives: one.slot, past: stage.step <= step })),
    );
    const ends = this.stages.flatMap((stage) => stage.deleted.map((/** @type {number} */ slot) => ({ step: stage.step - 0.55, slot, past: stage.step <= step })));
    const all = this.stages.map((stage) => describeStage(stage)).join(" ");
    this.chart.show(description(slots, this.stages.length - 1), { agents, moves, ends }, `The lineage. ${all}`);
  }

  end() {
    this.chart.end();
  }
}

/**
 * Describe a step in words, and what else could have happened.
 * @param {Reply} stage
 * @returns {string}
 */
function describeStage(stage) {
  if (!stage) return "";
  if (stage.step === 0) return `At the start there is an agent in ${slotsOf(stage.agents.map((/** @type {Reply} */ one) => one.slot))}.`;
  const done = new Set(stage.agents.map((/** @type {Reply} */ one) => one.action));
  const action = done.size === 1 && !done.has(null) ? ` (“${[...done][0]}”)` : "";
  const others = stage.otherwise.map((/** @type {Reply} */ other) => ` Otherwise: ${describeOutcome(other)}`);
  return `Step ${stage.step}${action}: ${describeOutcome(stage)}${others.join("")}`;
}

/**
 * @param {Reply} stage
 * @returns {string}
 */
function describeOutcome(stage) {
  /** @type {Map<number, number[]>} */
  const targets = new Map();
  for (const one of stage.agents) targets.set(one.from, [...(targets.get(one.from) ?? []), one.slot]);
  const moves = [...targets].map(([from, to]) => {
    if (to.length > 1) return `slot ${from} is copied to ${slotsOf(to)}`;
    return to[0] === from ? "" : `slot ${from} moves to ${slotsOf(to)}`;
  });
  const ends = stage.deleted.map((/** @type {number} */ slot) => `slot ${slot} is deleted`);
  const seen = stage.agents.map((/** @type {Reply} */ one) => `slot ${one.slot} sees “${one.observes}” and is paid ${one.reward}`);
  const what = [...moves, ...ends].filter(Boolean).join(", ") || (stage.agents.length ? "nobody moves" : "nothing happens");
  const shown = seen.length > 8 ? [...seen.slice(0, 8), `and ${seen.length - 8} more`] : seen;
  const chance = stage.chance === "1" ? "" : ` (chance ${stage.chance})`;
  const left = shown.join("; ").replace("slot", "Slot") || "Nobody is left";
  return `${what}${chance}. ${left}.`;
}

/**
 * @param {number[]} slots
 * @returns {string}
 */
function slotsOf(slots) {
  const names = slots.map(String);
  return names.length === 1 ? `slot ${names[0]}` : `slots ${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`;
}

/**
 * @param {number[]} slots
 * @param {number} last
 * @returns {Record<string, any>}
 */
function description(slots, last) {
  const x = { type: "quantitative", title: "step", scale: { domain: [0, Math.max(1, last)], nice: false }, axis: { grid: false, tickMinStep: 1, format: "d" } };
  const y = { type: "ordinal", title: "slot", scale: { domain: slots, padding: 0.5 }, axis: { grid: true, labelAngle: 0 } };
  const opacity = { condition: { test: "datum.past", value: 1 }, value: 0.22 };
  const crowded = slots.length > 12;
  return {
    ...WIDE,
    height: { step: crowded ? 16 : 42 },
    padding: { right: 24, left: 5, top: 5, bottom: 5 },
    layer: [
      {
        data: { name: "moves" },
        mark: { type: "rule", strokeWidth: 1.6 },
        encoding: { x: { ...x, field: "step" }, x2: { field: "to" }, y: { ...y, field: "slot" }, y2: { field: "arrives" }, opacity },
      },
      {
        data: { name: "ends" },
        mark: { type: "point", shape: "M-1,-1L1,1M1,-1L-1,1", size: 60, strokeWidth: 2.2, color: color(7), tooltip: "deleted" },
        encoding: { x: { ...x, field: "step" }, y: { ...y, field: "slot" }, opacity },
      },
      {
        data: { name: "agents" },
        mark: { type: "circle", color: color(1), opacity: 1 },
        encoding: {
          x: { ...x, field: "step" },
          y: { ...y, field: "slot" },
          opacity,
          size: { condition: { test: "datum.now", value: 190 }, value: 80 },
          tooltip: [{ field: "what", title: "step by step" }],
        },
      },
      ...(crowded || last > 20
        ? []
        : [
            {
              data: { name: "agents" },
              mark: { type: "text", dy: -13, fontSize: 10.5 },
              encoding: { x: { ...x, field: "step" }, y: { ...y, field: "slot" }, text: { field: "reward" }, opacity },
            },
          ]),
    ],
  };
}
