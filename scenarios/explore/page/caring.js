/** Caring: what an agent in a Craft-World task does for every caring coefficient (Alizadeh Alamdari et al. 2021). */

import { WIDE, color, isDark } from "./charts.js";
import { element, freshId, paper, selection, stepper, table } from "./dom.js";
import { between, compare, decimal, fraction, write } from "./fractions.js";
import { gridLayers } from "./grids.js";
import { get, set } from "./state.js";
import { View, about, figure, viewOf } from "./view.js";

/** @typedef {import("./engine.js").Reply} Reply */
/** @typedef {{alpha: string, piece: number, tie: boolean}} Place */

const PARTS = 10;

/**
 * Return the places of the slider: some inside every piece, and every threshold.
 * @param {Reply[]} pieces
 * @returns {Place[]}
 */
export function places(pieces) {
  return pieces.flatMap((piece, index) => {
    const low = fraction(piece.lower);
    const high = piece.upper === null ? null : fraction(piece.upper);
    if (!low) return [];
    /** @type {Place[]} */
    const found = index === 0 ? [{ alpha: piece.lower, piece: 0, tie: high !== null && compare(low, high) === 0 }] : [];
    if (high && compare(low, high) === 0) return found;
    const end = high ?? { top: low.top * 2n + low.bottom * 2n, bottom: low.bottom };
    for (let part = 1; part < PARTS; part += 1) found.push({ alpha: write(between(low, end, part, PARTS)), piece: index, tie: false });
    if (high && index + 1 < pieces.length) found.push({ alpha: write(high), piece: index, tie: true });
    return found;
  });
}

/**
 * Return the piece of a coefficient; at a threshold the lower one, to which ties go.
 * @param {Reply[]} pieces
 * @param {string} alpha
 * @returns {Place}
 */
export function placeOf(pieces, alpha) {
  const asked = fraction(alpha) ?? { top: 0n, bottom: 1n };
  const piece = pieces.findIndex((one) => {
    const high = one.upper === null ? null : fraction(one.upper);
    return !high || compare(asked, high) <= 0;
  });
  const high = pieces[piece].upper === null ? null : fraction(pieces[piece].upper);
  return { alpha: write(asked), piece, tie: high !== null && compare(asked, high) === 0 };
}

const ABOUT = [
  "One agent works in a small workshop, and others come after it. It gets −1 for every step. It is told to care: α times what becomes of the others is added to its own reward. A small α buys small favors, such as putting a key back; a large one buys detours. Behavior changes only at a few exact values of α, and the picture shows what changes there.",
  "How to write a task of your own, and what the eight criteria mean, is in the documentation under “Considerate agents” (docs/considerate.md).",
];

class Caring extends View {
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
    this.lead = element("p", { class: "lead" });
    this.choices = element("div", {});
    this.knob = element("div", {});
    this.walk = element("div", {});
    this.map = this.chart();
    this.stairs = this.chart();
    this.table = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "Everyone’s return by coefficient" });
    const answer = element(
      "div",
      { class: "answer", id: "answer", tabindex: -1 },
      element(
        "div",
        { class: "two" },
        figure("Its path", this.map.place, this.walk),
        figure("What everyone gets in the end", this.stairs.place),
      ),
      element("h2", {}, "All coefficients at once"),
      this.table,
    );
    const controls = element("div", { class: "controls", role: "group", "aria-label": "Settings" }, this.choices, this.knob);
    const top = element("div", { class: "top" }, this.fault, this.said);
    place.replaceChildren(element("h1", {}, "How much does it care?"), this.lead, about(ABOUT, paper("P. Alizadeh Alamdari, T. Q. Klassen, R. Toro Icarte and S. A. McIlraith (2021)", "Be Considerate: Objectives, Side Effects, and Deciding How to Act", "", "https://arxiv.org/abs/2106.02617")), top, element("div", { class: "columns" }, controls, answer));
  }

  async begin() {
    this.words = await this.engine.ask({ view: "caring" });
    if (this.words.error) return this.complain(this.words.error.message);
    return this.ask();
  }

  /** @returns {Reply} */
  asked() {
    const known = (/** @type {string} */ key, /** @type {Reply[]} */ list, /** @type {string} */ usual) =>
      list.some((one) => one.name === get(key)) ? String(get(key)) : usual;
    return { view: "caring", criterion: known("criterion", this.words.criteria, "value"), task: known("task", this.words.tasks, "box") };
  }

  async ask() {
    const asked = this.asked();
    const tasks = this.words.tasks.map((/** @type {Reply} */ one) => ({ value: one.name, text: one.name }));
    const criteria = this.words.criteria.map((/** @type {Reply} */ one) => ({ value: one.name, text: `${one.name}: ${one.meaning}` }));
    this.choices.replaceChildren(
      selection("Task", tasks, asked.task, (task) => this.change({ task, a: null, walk: null })),
      selection("It cares for", criteria, asked.criterion, (criterion) => this.change({ criterion, a: null, walk: null })),
    );
    const reply = await this.latest.ask(asked);
    if (!reply) return;
    this.complain(reply.error?.message);
    this.found = reply.error ? null : reply;
    this.place.querySelector(".two")?.toggleAttribute("hidden", !this.found);
    this.table.hidden = !this.found;
    if (!this.found) {
      this.knob.replaceChildren();
      this.said.textContent = "";
      return;
    }
    this.lead.textContent = `${reply.title} (${reply.source})`;
    this.showKnob();
    this.showTable();
    this.draw();
  }

  /** @param {Record<string, string | null>} changes */
  change(changes) {
    set(changes);
    this.latest.drop();
    this.ask();
  }

  /** @returns {Place} */
  here() {
    const pieces = this.found?.pieces ?? [];
    const given = get("a");
    return placeOf(pieces, given && fraction(given) && decimal(given) >= 0 ? given : "0");
  }

  showKnob() {
    const all = places(this.found?.pieces ?? []);
    const id = freshId("alpha");
    const now = this.here();
    const nearest = (/** @type {Place} */ place) => {
      const value = decimal(place.alpha);
      const found = all.findIndex((one) => decimal(one.alpha) >= value);
      return found < 0 ? all.length - 1 : found;
    };
    const slider = element("input", { type: "range", id, min: 0, max: all.length - 1, step: 1 });
    const field = element("input", { type: "text", "aria-label": "α, as a number or a fraction", autocomplete: "off" });
    const show = (/** @type {Place} */ place) => {
      slider.setAttribute("aria-valuetext", `α is ${place.alpha}${place.tie ? ", a threshold" : ""}`);
    };
    slider.value = String(nearest(now));
    field.value = now.alpha;
    show(now);
    slider.addEventListener("input", () => {
      const place = all[Number(slider.value)];
      field.value = place.alpha;
      show(place);
      set({ a: place.alpha });
      this.draw();
    });
    field.addEventListener("input", () => {
      const found = fraction(field.value);
      const valid = found !== null && found.top >= 0n;
      field.setAttribute("aria-invalid", String(!valid));
      if (!valid) return;
      set({ a: field.value.trim() });
      slider.value = String(nearest(this.here()));
      show(this.here());
      this.draw();
    });
    this.knob.replaceChildren(
      element(
        "div",
        { class: "control" },
        element("label", { for: id }, "α, the caring coefficient"),
        element("div", { class: "pair" }, slider, field),
        element("small", {}, "Every behavior has the same room on the slider, because thresholds differ widely. The slider stops at each of them."),
      ),
    );
  }

  draw() {
    if (!this.found) return;
    const { pieces, agents } = this.found;
    const place = this.here();
    const piece = pieces[place.piece];
    const returns = agents.map((/** @type {string} */ agent) => `${agent} gets ${signed(piece.returns[agent])}`);
    const until = piece.upper === null ? `from ${piece.lower} on` : piece.lower === piece.upper ? `only at ${piece.lower}` : `from ${piece.lower} to ${piece.upper}`;
    const tie = place.tie ? " Exactly here the next behavior is just as good." : "";
    this.said.textContent = `α = ${place.alpha}: ${returns.join(", ")}. This is what it does ${until}.${tie}`;
    this.drawStairs(place);
    const last = piece.path.length - 1;
    const step = Math.min(last, Number(get("walk") ?? last));
    this.walk.replaceChildren(
      stepper(
        "steps",
        last,
        step,
        (to) => {
          set({ walk: to === last ? null : to });
          this.drawMap(piece, to);
        },
        (to) => `${to} of ${last} actions`,
      ),
    );
    this.drawMap(piece, step);
  }

  /**
   * @param {Reply} piece
   * @param {number} step
   */
  drawMap(piece, step) {
    if (!this.found) return;
    const { map } = this.found;
    const path = piece.path.slice(0, step + 1).map((/** @type {number[]} */ [x, y], /** @type {number} */ order) => ({ x, y, order }));
    const whole = piece.path.map((/** @type {number[]} */ [x, y], /** @type {number} */ order) => ({ x, y, order }));
    const ends = [{ ...path[path.length - 1], what: "here" }];
    const uses = path.filter((/** @type {Reply} */ _one, /** @type {number} */ index) => index > 0 && piece.actions[index - 1] === "use");
    const kinds = ["floor", "wall"];
    const colors = isDark() ? ["#23272c", "#4a4f57"] : ["#fffdf8", "#b9b4a8"];
    for (const kind of new Set(map.cells.map((/** @type {Reply} */ one) => one.kind))) {
      if (kinds.includes(String(kind))) continue;
      kinds.push(String(kind));
      colors.push(`${color(kinds.length)}66`);
    }
    const label = `The path after ${step} of ${piece.actions.length} actions: ${runs(piece.actions.slice(0, step))}.`;
    this.map.show(gridLayers(map.width, map.height, kinds, colors), { cells: map.cells, path, whole, ends, uses }, label);
  }

  /** @param {Place} place */
  drawStairs(place) {
    if (!this.found) return;
    const { pieces, agents } = this.found;
    const steps = pieces.flatMap((/** @type {Reply} */ piece, /** @type {number} */ index) =>
      agents.flatMap((/** @type {string} */ agent) => ({ agent, from: index, to: index + 1, worth: decimal(piece.returns[agent]), exact: piece.returns[agent] })),
    );
    const ticks = pieces.slice(1).map((/** @type {Reply} */ piece) => piece.lower);
    const all = places(pieces);
    const at = this.position(all, place);
    const label = `Everyone’s return by coefficient; it changes at ${ticks.join(", ") || "no coefficient"}.`;
    const sizes = steps.map((/** @type {Reply} */ one) => Math.abs(one.worth)).filter(Boolean);
    const wide = sizes.length > 0 && Math.max(...sizes) > 20 * Math.min(...sizes);
    this.stairs.show(stairsLayers(ticks, agents, wide), { steps, here: [{ at }], ticks: ticks.map((/** @type {string} */ text, /** @type {number} */ k) => ({ at: k + 1, text })) }, label);
  }

  /**
   * Return where a coefficient stands among the pieces, which all have the same width.
   * @param {Place[]} all
   * @param {Place} place
   * @returns {number}
   */
  position(all, place) {
    const inside = all.filter((one) => one.piece === place.piece && !one.tie);
    if (place.tie) return place.piece + (inside.length ? 1 : 0.5);
    const before = inside.filter((one) => decimal(one.alpha) <= decimal(place.alpha)).length;
    return place.piece + Math.min(0.95, (before + (place.piece ? 0 : -1)) / PARTS);
  }

  showTable() {
    if (!this.found) return;
    const { pieces, agents } = this.found;
    const rows = pieces.map((/** @type {Reply} */ piece) => {
      const worths = agents.map((/** @type {string} */ agent) => piece.returns[agent]);
      const total = worths.reduce((/** @type {number} */ sum, /** @type {string} */ worth) => sum + decimal(worth), 0);
      return element(
        "tr",
        {},
        ...[piece.lower, piece.upper ?? "∞", ...worths.map(signed), signed(String(Number(total.toFixed(6))))].map((text) => element("td", { class: "number" }, text)),
      );
    });
    const caption = "Every behavior that is best for some coefficient; thresholds are exact";
    this.table.replaceChildren(table(caption, ["from α", "to α", ...agents, "together"], rows));
  }
}

/**
 * @param {string} worth
 * @returns {string}
 */
function signed(worth) {
  return worth.replace("-", "−");
}

/**
 * Say actions with repetitions: "right ×3, use".
 * @param {string[]} actions
 * @returns {string}
 */
function runs(actions) {
  /** @type {[string, number][]} */
  const found = [];
  for (const action of actions) {
    const last = found[found.length - 1];
    if (last?.[0] === action) last[1] += 1;
    else found.push([action, 1]);
  }
  return found.map(([action, times]) => (times > 1 ? `${action} ×${times}` : action)).join(", ") || "nothing yet";
}

/**
 * @param {string[]} ticks
 * @param {string[]} agents
 * @param {boolean} wide
 * @returns {Record<string, any>}
 */
function stairsLayers(ticks, agents, wide) {
  const names = `[${ticks.map((text) => `'${text}'`).join(",")}]`;
  const axis = { values: ticks.map((_, k) => k + 1), labelExpr: ticks.length ? `${names}[datum.value - 1]` : "''", grid: true, title: "α at which behavior changes (not to scale)" };
  const x = { type: "quantitative", scale: { domain: [0, ticks.length + 1], nice: false }, axis };
  const y = { type: "quantitative", title: wide ? "return, logarithmic" : "return", scale: { zero: false, ...(wide ? { type: "symlog" } : {}) }, axis: { grid: false } };
  const colors = { domain: agents, range: agents.map((_, k) => color(k === 0 ? 1 : k === 1 ? 5 : k + 1)) };
  return {
    ...WIDE,
    height: 250,
    layer: [
      {
        data: { name: "steps" },
        mark: { type: "rule", strokeWidth: 3, opacity: 0.85 },
        encoding: {
          x: { ...x, field: "from" },
          x2: { field: "to" },
          y: { ...y, field: "worth" },
          color: { field: "agent", type: "nominal", scale: colors, legend: { orient: "bottom", title: null, columns: 3 } },
          tooltip: [{ field: "agent" }, { field: "exact", title: "return" }],
        },
      },
      { data: { name: "here" }, mark: { type: "rule", strokeWidth: 1.5, strokeDash: [4, 3] }, encoding: { x: { ...x, field: "at" } } },
    ],
  };
}

export const caring = viewOf("caring", "Caring", Caring);
