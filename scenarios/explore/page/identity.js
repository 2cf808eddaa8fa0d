/** Identity: who accepts to be copied, moved or deleted, by every value, as exact fractions (Orseau 2014). */

import { element, paper, selection } from "./dom.js";
import { Editor } from "./editor.js";
import { Lineage } from "./lineage.js";
import { Maps } from "./maps.js";
import { ALPHA, Settings } from "./settings.js";
import { forget, get, pack, set, unpack, withPrefix } from "./state.js";
import { showTable, showVerdicts } from "./verdicts.js";
import { View, about, viewOf } from "./view.js";

/** @typedef {import("./engine.js").Reply} Reply */

const LARGEST = 1_000_000;
/** Milliseconds after which the page says that it computes. */
const PATIENCE = 250;
const COMPUTING = "Computing the answer …";
/** The world that a reader meets first. */
const OPENING = "teleport";
const NOT_PARAMETERS = ["p.", "discount", "horizon", "alpha", "first", "step", "x", "y", "file"];

const ABOUT = [
  "An agent lives in a slot: a body, a place, a row of memory. A world may copy what is in a slot to other slots, or delete it. Before it chooses, the agent asks what each action is worth. That depends on which future it calls its own, and each row of the table is one answer to that question. The numbers are sums of discounted rewards. They are worked out exactly; where a fraction is long, its decimals are shown.",
  "The map shows what a value decides for many settings at once. Along an axis that only changes rewards, the place of a border is exact if agents remember; elsewhere it may be half a cell off. Click on it to go there. The lineage shows who is copied from whom. To try a thought experiment of your own, open the file below the sliders and change it: the format is described in the documentation, under “Thought experiments in files”.",
];

class Identity extends View {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   */
  constructor(place, engine) {
    super(place, engine);
    /** @type {Reply} */
    this.words = {};
    this.text = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.typing = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.shownWorld = "";
    this.question = element("h1", {});
    this.lead = element("p", { class: "lead" });
    this.story = element("div", { class: "told" });
    const slow = this.engine.endless ? "" : " Python starts in your browser first, which takes some seconds.";
    this.working = element("p", { class: "working", role: "status" }, COMPUTING + slow);
    this.verdicts = element("ul", { class: "verdicts", "aria-live": "polite", "aria-label": "Who decides what" });
    this.table = element("div", { class: "table", tabindex: 0, role: "region", "aria-label": "What each action is worth" });
    this.worlds = element("div", { class: "worlds" });
    this.moral = element("div", { class: "moral" });
    this.settings = new Settings(this.engine.endless, (changes) => this.change(changes));
    this.editor = new Editor((text) => this.edited(text));
    const maps = element("section", { "aria-label": "Decision map" });
    this.maps = new Maps(maps, this.engine, (changes) => {
      this.settings.place(changes);
      this.change(changes);
    });
    const lineage = element("section", { "aria-label": "Lineage" });
    this.lineage = new Lineage(lineage, () => this.solve(false));
    this.answer = element(
      "div",
      { class: "answer", id: "answer", tabindex: -1, hidden: true },
      maps,
      element("h2", {}, "Value by value"),
      this.table,
      lineage,
      this.moral,
    );
    const controls = element("div", { class: "controls", role: "group", "aria-label": "Settings" }, this.worlds, this.settings.element, this.editor.element);
    const top = element("div", { class: "top" }, this.fault, this.working, this.verdicts, this.said);
    const source = paper("L. Orseau (2014)", "The multi-slot framework: a formal model for multiple, copiable AIs", ", AGI 2014");
    const columns = element("div", { class: "columns" }, controls, this.answer);
    this.place.replaceChildren(this.question, this.lead, this.story, about(ABOUT, source), top, columns);
  }

  async begin() {
    this.words = await this.engine.ask({ view: "start" });
    await this.open();
  }

  /** Show the world that the address names, or the one that was opened. */
  async open() {
    this.latest.drop();
    const stored = get("file");
    const named = get("world");
    const text = stored ? await unpack(stored).catch(() => "") : "";
    if (text) this.text = text;
    else if (!named && this.engine.opened.file) {
      this.text = this.engine.opened.file;
      set({ file: await pack(this.text) }); // so that a link carries it
    }
    else {
      const known = this.words.worlds.find((/** @type {Reply} */ one) => one.name === (named ?? OPENING));
      this.text = (known ?? this.words.worlds[0]).text;
    }
    const { opened } = this.engine;
    const own = this.text === opened.file || (stored && stored === opened.settings?.file) ? opened.texts : undefined;
    const told = this.words.worlds.find((/** @type {Reply} */ one) => one.text === this.text) ?? own;
    if (told) this.tell(told);
    this.editor.show(this.text);
    this.showWorlds();
    await this.solve(true);
    if (stored && !text) this.say({ message: "the file in this address is damaged: ask for the link again", line: 0 });
  }

  showWorlds() {
    const options = this.words.worlds.map((/** @type {Reply} */ one) => ({ value: one.name, text: one.name.replaceAll("-", " ") }));
    const known = this.words.worlds.find((/** @type {Reply} */ one) => one.text === this.text);
    if (!known) options.unshift({ value: "", text: "the story on this page" });
    const place = document.getElementById("worlds") ?? this.worlds; // a saved story folds the other worlds away
    place.replaceChildren(selection("World", options, known?.name ?? "", (name) => this.choose(name)));
  }

  /** @param {string} name */
  choose(name) {
    if (!name) return;
    forget(...NOT_PARAMETERS);
    set({ world: name, file: null });
    this.settings.stale = true;
    this.open();
  }

  /** @param {string} text */
  edited(text) {
    this.text = text;
    this.settings.stale = true;
    clearTimeout(this.typing);
    this.latest.drop();
    if (text.length > LARGEST) {
      this.say({ message: `the file has ${text.length} characters; expected at most ${LARGEST}`, line: 0 });
      return;
    }
    this.typing = setTimeout(async () => {
      set({ file: await pack(text), world: null });
      this.showWorlds();
      await this.forgetOthers();
      if (text === this.text) await this.solve(true);
    }, 250);
  }

  /** Forget the numbers of parameters that the edited story does not have. */
  async forgetOthers() {
    const given = Object.keys(withPrefix("p."));
    const reply = given.length ? await this.latest.ask({ ...this.request(), parameters: {}, values: [], caring: [] }) : null;
    const others = given.filter((name) => reply?.world && !Object.hasOwn(reply.world.parameters, name));
    set(Object.fromEntries(others.map((name) => [`p.${name}`, null])));
  }

  /** @param {Record<string, string | null>} changes */
  change(changes) {
    set(changes);
    this.maps.move(this.request());
    this.solve(true);
  }

  /**
   * Return what is asked about the world as it is set.
   * @returns {Reply}
   */
  request() {
    const known = this.words.worlds.find((/** @type {Reply} */ one) => one.text === this.text);
    /** @type {Reply} */
    const asked = { view: "identity", ...(known ? { world: known.name } : { file: this.text }), parameters: withPrefix("p.") };
    const discount = get("discount");
    if (discount) asked.discount = discount;
    const horizon = get("horizon");
    if (horizon) asked.horizon = horizon === "inf" ? null : /^\d{1,9}$/.test(horizon) ? Number(horizon) : horizon;
    asked.caring = [...new Set([get("alpha") ?? ALPHA, "1", "0"])]; // maps take the first
    return asked;
  }

  /** @param {boolean} mapsToo */
  async solve(mapsToo) {
    const asked = this.request();
    const whole = { ...asked, lineage: this.lineage.asked() };
    this.age(true);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.working.hidden = false;
    }, PATIENCE);
    const reply = await this.latest.ask(whole);
    if (!reply) return;
    clearTimeout(this.waiting);
    this.working.hidden = true;
    this.working.textContent = COMPUTING;
    if (reply.error) {
      this.say(reply.error);
      this.maps.stop();
      if (!this.shownWorld && !reply.error.line) this.offerReset();
      return;
    }
    this.age(false);
    this.say(null);
    this.engine.opened.answers = [[whole, reply]]; // a saved page shows it before Python has started
    this.show(reply);
    if (mapsToo) this.maps.ask(asked, reply.world);
  }

  /**
   * Gray what is older than the sliders.
   * @param {boolean} isOld
   */
  age(isOld) {
    for (const part of [this.verdicts, this.said, this.table, this.lineage.place]) part.classList.toggle("stale", isOld);
  }

  /** Offer the way back where the address asks for what cannot be, and there are no sliders yet. */
  offerReset() {
    const reset = () => {
      forget("p.", "discount", "horizon", "alpha");
      this.change({});
    };
    this.settings.element.replaceChildren(element("button", { type: "button", onclick: reset }, "Back to the story’s own numbers"));
  }

  /** @param {Reply | null} error */
  say(error) {
    this.complain(error ? sentence(error) : "");
    this.editor.mark(error?.line ?? 0, error?.message ?? "");
  }

  /**
   * Show the texts of a world.
   * @param {Reply} texts
   */
  tell({ question, title, source, story, name, asked = "" }) {
    this.question.textContent = question || title || name;
    const lead = [title, source && `(${source})`].filter(Boolean).join(" ");
    this.lead.textContent = [lead && asked ? `${lead}.` : lead, asked].filter(Boolean).join(" ");
    this.story.replaceChildren(...story.split(/\n\s*\n/).map((/** @type {string} */ part) => element("p", {}, part)));
  }

  /** @param {Reply} reply */
  show(reply) {
    const { world, values } = reply;
    this.answer.hidden = false;
    this.tell(world);
    this.engine.opened.texts = world; // a saved page shows them before Python has started
    this.moral.replaceChildren(...(world.moral ? [element("h2", {}, "The moral"), element("p", {}, world.moral)] : []));
    const known = JSON.stringify([world.name, Object.entries(world.parameters).map(([name, one]) => [name, one.least, one.most, one.default])]);
    if (known !== this.shownWorld || this.settings.stale) {
      this.settings.build(world);
      this.shownWorld = known;
    }
    showVerdicts(this.verdicts, reply);
    this.said.textContent = reply.verdict.notes.join(" ");
    showTable(this.table, world, values, this.words.values);
    this.lineage.show(reply.lineage, world, this.words.values);
  }

  end() {
    super.end();
    clearTimeout(this.typing);
    clearTimeout(this.waiting);
    this.maps.end();
    this.lineage.end();
  }
}

/**
 * @param {Reply} error
 * @returns {string}
 */
function sentence(error) {
  const message = String(error.message);
  return message.charAt(0).toUpperCase() + message.slice(1) + (/[.!?]$/.test(message) ? "" : ".");
}

export const identity = viewOf("identity", "Identity", Identity);
