/** Decision maps: what values decide over two settings, coarse while a slider moves, then fine. */

import { Chart, WIDE, onColors } from "./charts.js";
import { element } from "./dom.js";
import { Latest, keyOf } from "./engine.js";
import { decimal, rounded } from "./fractions.js";
import { ALPHA, range } from "./settings.js";
import { get, set } from "./state.js";
import { actionColor, inWords } from "./verdicts.js";

/** @typedef {import("./engine.js").Reply} Reply */
/** @typedef {{name: string, numbers: number[], swept: boolean}} Axis */

const COARSE = 9;
const FINE = { local: 33, static: 20 };
const QUIET = 220;
const USUAL = ["cpy", "sta", "dyn", "caring"];
const FRAME = 2;
const WORKING = "Computing the maps …";

export class Maps {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   * @param {(changes: Record<string, string | null>) => void} onMove
   */
  constructor(place, engine, onMove) {
    this.latest = new Latest(engine);
    this.engine = engine;
    this.onMove = onMove;
    this.head = element("div", { class: "axes" });
    this.legend = element("p", { class: "legend" });
    this.fault = element("p", { class: "fault", role: "status", hidden: true });
    this.working = element("p", { class: "working", role: "status" }, WORKING);
    this.grid = element("div", { class: "maps", hidden: true });
    /** @type {Map<string, {figure: HTMLElement, chart: Chart}>} */
    this.charts = new Map();
    /**
     * For each world two axes along which decisions change.
     * @type {Map<string, [string, string]>}
     */
    this.telling = new Map();
    /** @type {Reply | null} */
    this.world = null;
    /** @type {Reply} */
    this.request = {};
    /** @type {Reply[]} */
    this.words = [];
    /** @type {{map: Reply, world: Reply} | null} */
    this.shown = null;
    /** The settings of the map in a saved page. */
    this.saved = keyOf({ ...engine.opened.answers?.[0]?.[0], lineage: undefined });
    this.headKey = "";
    /** The question of the newest map, which is shown or on its way. */
    this.wanted = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    place.append(element("h2", {}, "The same question, for all settings at once"), this.head, this.fault, this.working, this.grid, this.legend);
    onColors(() => this.shown && this.draw(this.shown.map, this.shown.world));
    engine.ask({ view: "start" }).then((found) => {
      this.words = found.values;
    });
  }

  /**
   * Ask for the map around what is set.
   * @param {Reply} request
   * @param {Reply} world
   */
  ask(request, world) {
    if (world.name !== this.world?.name) {
      this.latest.drop();
      this.wait(true);
      this.wanted = "";
    }
    this.world = world;
    this.showHead();
    if (this.move(request)) return;
    const wanted = this.key(this.fine());
    this.wanted = wanted;
    this.go(COARSE).then((isShown) => {
      if (isShown && wanted === this.wanted) this.timer = setTimeout(() => this.go(this.fine()), QUIET);
    });
  }

  fine() {
    return this.engine.endless ? FINE.local : FINE.static;
  }

  /**
   * Show at once where the reader is, and gray a map that is older than the sliders. Return whether the map stays.
   * @param {Reply} request
   * @returns {boolean}
   */
  move(request) {
    this.request = request;
    if (!this.world) return false;
    const stays = this.wanted === this.key(this.fine());
    if (!stays) {
      clearTimeout(this.timer);
      this.wanted = ""; // a slider may come back before the answer
      this.grid.classList.add("stale");
      this.working.textContent = WORKING;
    }
    if (this.shown) this.draw(this.shown.map, this.shown.world);
    return stays;
  }

  /** Compute no map: the settings have no answer. */
  stop() {
    this.latest.drop();
    clearTimeout(this.timer);
    this.wanted = "";
    this.working.textContent = "";
  }

  /** @param {boolean} isEmpty whether there is no map of this world yet */
  wait(isEmpty) {
    this.working.textContent = isEmpty ? WORKING : this.working.textContent;
    this.grid.hidden = isEmpty;
    this.legend.hidden = isEmpty;
  }

  /** Return what an axis can be. */
  known() {
    return [...Object.keys(this.world?.parameters ?? {}), "discount", "horizon", "caring"];
  }

  /**
   * Return two axes along which decisions change, once the engine has chosen them of what the story has now.
   * @returns {[string, string] | undefined}
   */
  told() {
    const axes = this.telling.get(this.world?.name);
    return axes?.every((name) => this.known().includes(name)) ? axes : undefined;
  }

  /** @returns {[string, string]} */
  axes() {
    const names = Object.keys(this.world?.parameters ?? {});
    const known = this.known();
    const rewards = names.filter((name) => !this.world?.parameters[name].whole);
    const [across, up] = this.told() ?? [rewards[rewards.length - 1] ?? names[0] ?? "horizon", "discount"];
    const x = known.includes(get("x") ?? "") ? String(get("x")) : across;
    const others = [get("y") ?? "", up, "discount", "horizon"];
    const y = others.find((name) => known.includes(name) && name !== x) ?? "horizon";
    return [x, y];
  }

  /**
   * @param {string} name
   * @returns {string}
   */
  inWords(name) {
    if (Object.hasOwn(this.world?.parameters ?? {}, name)) return this.world?.parameters[name].meaning || name;
    return { discount: "the discount γ", horizon: "the horizon T", caring: "the caring coefficient α" }[name] ?? name;
  }

  /** @returns {string[]} */
  values() {
    if (this.world?.memory === false) return ["forgetful"];
    if (get("x") === "caring" || get("y") === "caring") return ["caring"]; // no other value depends on it
    const asked = (get("who") ?? "").split(",").filter((name) => name === "caring" || this.words.some((one) => one.name === name));
    return asked.length ? asked.slice(0, 4) : USUAL;
  }

  showHead() {
    const [x, y] = this.axes();
    const forgets = this.world?.memory === false;
    const names = [...Object.keys(this.world?.parameters ?? {}), "discount", "horizon", ...(forgets ? [] : ["caring"])];
    const key = JSON.stringify([x, y, names, this.values(), this.words.length, this.caption("caring")]);
    if (key === this.headKey) return;
    this.headKey = key;
    const pick = (/** @type {string} */ axis, /** @type {string} */ label, /** @type {string} */ chosen, /** @type {string} */ other) => {
      const choose = (/** @type {string} */ name) => this.pick(name === other ? { x: y, y: x } : { [axis]: name });
      const select = element(
        "select",
        { "aria-label": label, onchange: () => choose(select.value) },
        ...names.map((name) => element("option", { value: name, selected: name === chosen }, this.inWords(name))),
      );
      return element("label", {}, `${label} `, select);
    };
    const who = ["caring", ...this.words.map((one) => one.name)].sort((a, b) => Number(a === "caring") - Number(b === "caring"));
    const boxes = who.map((name) => {
      const box = element("input", { type: "checkbox", checked: this.values().includes(name) });
      box.addEventListener("change", () => this.pick({ who: this.toggled(name, box.checked) }));
      return element("label", {}, box, this.caption(name));
    });
    const open = this.head.querySelector("details")?.open;
    const choices = element("details", { class: "choices", open }, element("summary", {}, "Whose maps (at most four)"), ...boxes);
    this.head.replaceChildren(pick("x", "across", x, y), pick("y", "up", y, x), forgets ? "" : choices);
  }

  /**
   * @param {string} name
   * @param {boolean} on
   * @returns {string}
   */
  toggled(name, on) {
    const others = this.values().filter((one) => one !== name);
    return (on ? [...others.slice(-3), name] : others).join(",");
  }

  /** @param {Record<string, string>} changes */
  pick(changes) {
    set(changes);
    if (this.world) this.ask(this.request, this.world);
  }

  /**
   * Ask for a map and show it. Return whether it is shown.
   * @param {number} points
   * @returns {Promise<boolean>}
   */
  async go(points) {
    if (!this.world) return false;
    const world = this.world;
    await this.chooseAxes(world);
    if (world !== this.world) return false;
    const [x, y] = this.axes();
    const { map } = this.engine.opened;
    if (!this.shown && map?.x?.name === x && map.y.name === y) {
      await this.reveal(map, world); // the saved map, until Python has started
      this.grid.classList.toggle("stale", keyOf(this.request) !== this.saved);
    }
    const asked = this.question(points);
    const started = performance.now();
    const reply = await this.latest.ask(asked);
    if (!reply) return false;
    this.grid.dataset.milliseconds = String(Math.round(performance.now() - started));
    this.grid.dataset.points = String(points);
    const error = reply.error?.message ?? reply.map?.error;
    this.fault.hidden = !error;
    this.fault.textContent = error ?? "";
    const isNew = this.key(points) === JSON.stringify(asked);
    if (isNew) this.working.textContent = points === COARSE ? "A first, coarse map. Computing the fine one …" : "";
    if (error) {
      this.wait(false);
      return false;
    }
    this.engine.opened.map = reply.map;
    this.grid.classList.toggle("stale", !isNew);
    await this.reveal(reply.map, world);
    this.grid.dataset.drawn = String(points);
    return true;
  }

  /**
   * @param {Reply} map
   * @param {Reply} world
   */
  async reveal(map, world) {
    this.wait(false);
    this.shown = { map, world };
    await this.draw(map, world);
  }

  /**
   * Let the engine choose axes along which decisions change, unless the reader has chosen.
   * @param {Reply} world
   */
  async chooseAxes(world) {
    if (this.told() || (get("x") && get("y"))) return;
    const reply = await this.engine.ask(this.asked({ points: 2 }));
    if (reply.map?.x) this.telling.set(world.name, [reply.map.x.name, reply.map.y.name]);
    this.showHead();
  }

  /**
   * Return the request for the map with so many points along each axis; where the reader is on it does not count.
   * @param {number} points
   * @returns {Reply}
   */
  question(points) {
    const axes = this.axes();
    const [x, y] = axes.map((name) => this.axis(name, points));
    const asked = this.asked({ x, y });
    const parameters = Object.entries(asked.parameters).filter(([name]) => !axes.includes(name));
    const settings = Object.entries({ ...asked, parameters: Object.fromEntries(parameters) });
    return Object.fromEntries(settings.filter(([name]) => !(axes.includes(name) && ["discount", "horizon", "caring"].includes(name))));
  }

  /**
   * Return the question of a map as a text, in which nothing else counts.
   * @param {number} points
   * @returns {string}
   */
  key(points) {
    return JSON.stringify(this.question(points));
  }

  /**
   * Return a request for a map alone, since a question without an answer at these settings has a map.
   * @param {Reply} map
   * @returns {Reply}
   */
  asked(map) {
    const [caring = "1"] = this.axes().includes("caring") ? [] : (this.request.caring ?? []);
    return { ...this.request, values: [], caring: [], map: { ...map, values: this.values(), caring } };
  }

  /**
   * Return an axis of a request.
   * @param {string} name
   * @param {number} points
   * @returns {Reply}
   */
  axis(name, points) {
    const [least, most, whole] = this.span(name);
    const count = whole ? most - least + 1 : points;
    const ends = { name, least: String(least), most: String(most) };
    return whole && count > 41 ? ends : { ...ends, points: Math.max(2, Math.min(count, whole ? 41 : points)) }; // without, the engine takes whole numbers
  }

  /**
   * @param {string} name
   * @returns {[number, number, boolean]}
   */
  span(name) {
    if (name === "discount" || name === "caring") return [0, 1, false];
    if (name === "horizon") return [1, Math.max(10, this.now(name, this.world ?? {})), true];
    const parameter = this.world?.parameters[name];
    const [least, most] = range(parameter);
    const now = decimal(get(`p.${name}`) ?? parameter.default);
    const [from, to] = [Math.min(least, now), Math.max(most, now)];
    return [from, to > from ? to : from + 1, parameter.whole];
  }

  /**
   * @param {Reply} map
   * @param {Reply} world
   */
  async draw(map, world) {
    const names = Object.keys(map.values);
    for (const [name, { figure, chart }] of this.charts) {
      if (names.includes(name)) continue;
      chart.end();
      figure.remove();
      this.charts.delete(name);
    }
    const here = { x: this.now(map.x.name, world), y: this.now(map.y.name, world) };
    await Promise.all(
      names.map((name) => {
        const { chart, figure } = this.figure(name);
        this.grid.append(figure);
        const decided = map.values[name];
        const caption = this.caption(name);
        figure.querySelector("figcaption")?.replaceChildren(caption);
        const label = `What “${caption}” decides over ${map.x.name} and ${map.y.name}. ${inWordsOfMap(map, decided)}`;
        return chart.show(description(map), { cells: cells(map, name), borders: borders(map, name), here: [here] }, label);
      }),
    );
    this.legend.replaceChildren(
      ...map.actions.map((/** @type {string} */ action) =>
        element("span", { class: "item" }, element("span", { class: "swatch", style: `--swatch:${actionColor(map.actions, action)}` }), action),
      ),
      element("span", { class: "item" }, "◯ where you are"),
      element("span", { class: "item" }, "a tie shows as the first of the best actions"),
      map.swept ? element("span", { class: "item" }, `borders are exact along ${map[map.swept].name}`) : "",
    );
  }

  /**
   * @param {string} name
   * @param {Reply} world
   * @returns {number}
   */
  now(name, world) {
    if (name === "discount") return decimal(get("discount") ?? world.discount);
    if (name === "horizon") return Number(get("horizon") ?? world.horizon) || 10;
    if (name === "caring") return decimal(get("alpha") ?? ALPHA);
    return decimal(get(`p.${name}`) ?? world.parameters[name].default);
  }

  /**
   * @param {string} name
   * @returns {{figure: HTMLElement, chart: Chart}}
   */
  figure(name) {
    let found = this.charts.get(name);
    if (!found) {
      const place = element("div", { class: "chart" });
      const figure = element("figure", { "data-map": name }, element("figcaption", {}), place);
      found = { figure, chart: new Chart(place, (event, view) => this.clicked(event, view)) };
      this.charts.set(name, found);
    }
    return found;
  }

  /**
   * Return whose rewards count on a map; on that of caring, the slider of α decides.
   * @param {string} name
   * @returns {string}
   */
  caption(name) {
    if (name !== "caring") return inWords(name, this.words).label;
    if (this.axes().includes("caring")) return "copies on average (α = 0) to copies in full (α = 1)";
    return `${inWords(`caring=${get("alpha") ?? ALPHA}`, this.words).label}; the slider sets α`;
  }

  /**
   * Go to the place on the map that was clicked.
   * @param {any} event
   * @param {any} view
   */
  clicked(event, view) {
    if (!this.shown || ![this.shown.map.x.name, this.shown.map.y.name].every((name) => this.known().includes(name))) return;
    const [left, top] = globalThis.vega.isArray(view.origin()) ? view.origin() : [0, 0];
    const box = view.container().querySelector("svg").getBoundingClientRect();
    const { map } = this.shown;
    /** @type {Record<string, string>} */
    const changes = {};
    for (const [axis, at] of /** @type {[string, number][]} */ ([["x", event.clientX - box.left - left], ["y", event.clientY - box.top - top]])) {
      const [least, most, whole] = this.span(map[axis].name);
      const share = (most - least) / 200;
      const found = Math.min(most, Math.max(least, view.scale(axis).invert(at)));
      const key = map[axis].name;
      const digits = whole ? 0 : Math.max(0, Math.ceil(-Math.log10(share)));
      changes[key === "caring" ? "alpha" : Object.hasOwn(this.world?.parameters ?? {}, key) ? `p.${key}` : key] = String(Number(found.toFixed(digits)));
    }
    this.onMove(changes);
  }

  end() {
    this.stop();
    for (const { chart } of this.charts.values()) chart.end();
  }
}

/**
 * Return the edges of cells around values: half-way between neighbors, and the ends.
 * @param {number[]} values
 * @returns {number[]}
 */
function edges(values) {
  const middles = values.slice(1).map((value, index) => (value + values[index]) / 2);
  return [values[0], ...middles, values[values.length - 1]];
}

/**
 * Return the colored areas of one value's map: rectangles, or in an exact map what lies between two of its lines.
 * @param {Reply} map
 * @param {string} name
 * @returns {object[]}
 */
function cells(map, name) {
  const swept = map.swept;
  if (!swept) {
    const [across, up] = [edges(map.x.values.map(decimal)), edges(map.y.values.map(decimal))];
    return map.values[name].best.flatMap((/** @type {string[]} */ line, /** @type {number} */ i) =>
      line.map((action, j) => ({ x: across[i], x2: across[i + 1], y: up[j], y2: up[j + 1], action })),
    );
  }
  const along = swept === "y" ? 1 : 0;
  /** @type {Map<string, number>} the area that reaches a line, so that the next one goes on with it without a seam */
  const reaching = new Map();
  return map.outlines[name].areas.flatMap((/** @type {[number[][], string]} */ [corners, action], /** @type {number} */ number) => {
    const group = reaching.get(JSON.stringify([corners[0], corners[3], action])) ?? number;
    reaching.set(JSON.stringify([corners[1], corners[2], action]), group);
    const ends = [
      [corners[0], corners[3]],
      [corners[1], corners[2]],
    ];
    return ends.map(([low, high]) => ({ x: low[0], y: low[1], [`${swept}2`]: high[along], action, group }));
  });
}

/**
 * Return the points of the lines along which a decision turns.
 * @param {Reply} map
 * @param {string} name
 * @returns {object[]}
 */
function borders(map, name) {
  const swept = map.swept;
  if (!swept) return [];
  return map.outlines[name].borders.flatMap((/** @type {number[][]} */ points, /** @type {number} */ group) =>
    points.map(([x, y], order) => ({ x, y, order, group, turns: `${map[swept].name} ${near(swept === "y" ? y : x)}` })),
  );
}

/**
 * Return a number with four digits, after "=" or "≈".
 * @param {number} value
 * @returns {string}
 */
function near(value) {
  const shown = Number(value.toPrecision(4));
  return `${shown === value ? "=" : "≈"} ${shown}`;
}

/**
 * @param {Reply} map
 * @returns {Record<string, any>}
 */
function description(map) {
  const scale = (/** @type {Reply} */ axis) => ({ domain: [decimal(axis.values[0]), decimal(axis.values[axis.values.length - 1])], nice: false, zero: false });
  const axis = (/** @type {Reply} */ given) => ({ field: "", type: "quantitative", title: given.name, scale: scale(given), axis: { grid: false, tickCount: 5 } });
  const [x, y] = [axis(map.x), axis(map.y)];
  const actions = map.actions;
  const colors = { domain: actions, range: actions.map((/** @type {string} */ action) => actionColor(actions, action)) };
  const order = { field: "order", type: "quantitative" };
  const areas = { type: "area", orient: map.swept === "y" ? "vertical" : "horizontal", opacity: 1 };
  return {
    ...WIDE,
    height: 210,
    layer: [
      {
        data: { name: "cells" },
        mark: { ...(map.swept ? areas : { type: "rect" }), strokeWidth: 0.7, clip: true },
        encoding: {
          x: { ...x, field: "x" },
          y: { ...y, field: "y" },
          ...(map.swept === "y" ? {} : { x2: { field: "x2" } }),
          ...(map.swept === "x" ? {} : { y2: { field: "y2" } }),
          detail: map.swept ? { field: "group" } : undefined,
          color: { field: "action", type: "nominal", scale: colors, legend: null },
          stroke: { field: "action", type: "nominal", scale: colors, legend: null }, // no gaps between neighbors
          tooltip: [{ field: "action", title: "decides" }],
        },
      },
      {
        data: { name: "borders" },
        mark: { type: "line", strokeWidth: 1.4, color: "#1118", clip: true },
        encoding: { x: { ...x, field: "x" }, y: { ...y, field: "y" }, order, detail: { field: "group" }, tooltip: [{ field: "turns", title: "turns at" }] },
      },
      {
        data: { name: "here" },
        mark: { type: "point", size: 90, strokeWidth: FRAME, filled: false, color: "#111" },
        encoding: { x: { ...x, field: "x" }, y: { ...y, field: "y" } },
      },
      {
        data: { name: "here" },
        mark: { type: "point", size: 40, strokeWidth: FRAME, filled: false, color: "#fff" },
        encoding: { x: { ...x, field: "x" }, y: { ...y, field: "y" } },
      },
    ],
  };
}

/**
 * Say a map in a sentence or two, for those who do not see it.
 * @param {Reply} map
 * @param {Reply} decided
 * @returns {string}
 */
function inWordsOfMap(map, decided) {
  const all = new Set(decided.best.flat());
  if (all.size === 1) return `Everywhere: ${[...all][0]}.`;
  if (!map.swept) return `Decisions on it: ${[...all].join(", ")}.`;
  const other = map.swept === "y" ? "x" : "y";
  const middle = Math.floor(map[other].values.length / 2);
  const turns = decided.turns[middle].map((/** @type {string[]} */ [at, , above]) => `above ${rounded(at)} ${above}`);
  return `At ${map[other].name} = ${rounded(map[other].values[middle])}: ${[decided.starts[middle], ...turns].join(", ")}.`;
}
