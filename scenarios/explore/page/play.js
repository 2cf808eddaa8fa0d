/** Play: answer the profile's questions yourself, and see which idea of oneself explains the answers best. */

import { element, table } from "./dom.js";
import { get, set } from "./state.js";
import { inWords } from "./verdicts.js";
import { View, about, viewOf } from "./view.js";

/** @typedef {import("./engine.js").Reply} Reply */

const COUNTS = [16, 48, 160];
const NAMES = /** @type {Record<string, {label: string, meaning: string}>} */ ({
  sum: { label: "all copies in full", meaning: "every copy counts, each in full" },
  "biggest-number": { label: "the biggest number", meaning: "no idea of a future: the option with the biggest number" },
  random: { label: "at random", meaning: "" },
  letter: { label: "by the letter", meaning: "" },
  nothing: { label: "nothing explains it", meaning: "" },
});
const ABOUT = [
  "You get short stories in which you are moved, copied or deleted, and choose for coins. There is no right answer. At the end the page fits, for each idea of one’s own future, how well it explains what you chose. This is the instrument that measures agents and language models, too.",
  "With 16 questions only clear patterns can be told apart; scripted subjects in the table below answered 320. Nothing leaves this device.",
];

class Play extends View {
  /**
   * @param {HTMLElement} place
   * @param {import("./engine.js").Engine} engine
   */
  constructor(place, engine) {
    super(place, engine);
    /** @type {Reply[]} */
    this.questions = [];
    /** @type {Reply[]} */
    this.words = [];
    /** @type {number[]} */
    this.chosen = [];
    this.seed = Number(get("seed")) || 1;
    this.card = element("div", { class: "answer card", id: "answer", tabindex: -1 });
    const source = element("p", {}, "The same questions as those of the command multislot profile.");
    place.replaceChildren(
      element("h1", {}, "What do you take yourself to be?"),
      element("p", { class: "lead" }, "Answer as you would choose. Who will be “you” afterwards is for you to decide. At the end the page says which idea of your own future explains your answers."),
      about(ABOUT, source),
      this.fault,
      this.card,
    );
  }

  async begin() {
    const start = await this.engine.ask({ view: "start" });
    this.words = start.values;
    const buttons = COUNTS.map((count) =>
      element("button", { type: "button", onclick: () => this.start(count) }, `${count} questions`),
    );
    this.card.replaceChildren(element("p", {}, "How many questions?"), element("p", { class: "options" }, ...buttons));
  }

  /** @param {number} count */
  async start(count) {
    this.card.setAttribute("aria-busy", "true");
    const reply = await this.latest.ask({ view: "play", seed: this.seed, count });
    this.card.removeAttribute("aria-busy");
    if (!reply) return;
    this.complain(reply.error?.message);
    if (reply.error) return;
    this.questions = reply.questions;
    this.chosen = [];
    this.showQuestion();
  }

  showQuestion() {
    const question = this.questions[this.chosen.length];
    const options = question.options.map((/** @type {string} */ option, /** @type {number} */ index) =>
      element("button", { type: "button", onclick: (/** @type {MouseEvent} */ event) => event.detail > 1 || this.choose(index) }, option),
    );
    this.card.replaceChildren(
      element("p", { class: "count" }, `Question ${this.chosen.length + 1} of ${this.questions.length}`),
      element("progress", { max: this.questions.length, value: this.chosen.length, "aria-label": "Questions answered" }),
      element("div", { "aria-live": "polite" }, element("p", {}, question.setting), element("p", { class: "story" }, question.story)),
      element("p", { class: "options" }, ...options),
      ...(this.chosen.length ? [element("p", {}, element("button", { type: "button", onclick: () => this.goBack() }, "Back"))] : []),
    );
  }

  goBack() {
    this.chosen.pop();
    this.showQuestion();
  }

  /** @param {number} option */
  async choose(option) {
    this.chosen.push(option);
    if (this.chosen.length < this.questions.length) return this.showQuestion();
    this.card.replaceChildren(element("p", {}, "Working …"));
    const reply = await this.latest.ask({ view: "play", seed: this.seed, count: this.questions.length, chosen: this.chosen });
    if (!reply) return;
    this.complain(reply.error?.message);
    if (!reply.error) this.showResult(reply);
  }

  /** @param {string} name */
  named(name) {
    return NAMES[name] ?? inWords(name, this.words);
  }

  /** @param {Reply} reply */
  showResult(reply) {
    const { label, meaning } = this.named(reply.best);
    const verdict = reply.explained_by
      ? `Your answers are explained best by: ${label} (${meaning}).`
      : reply.verdict === "undecided"
        ? `Not decided yet: ${reply.needed ? `about ${reply.needed} questions would` : "questions of this kind cannot"} decide.`
        : reply.verdict === "mixed"
          ? "Mixed: your answers follow different ideas in different stories."
          : "None of these: no idea of the list explains your answers.";
    const rows = Object.entries(reply.theories)
      .sort(([, one], [, other]) => other.log_likelihood - one.log_likelihood)
      .map(([name, one]) => {
        const words = this.named(name);
        return element(
          "tr",
          { "data-theory": name },
          element("th", { scope: "row" }, words.label, words.meaning && element("small", {}, words.meaning)),
          element("td", { class: "number" }, one.sharpness.toFixed(2)),
          element("td", { class: "number" }, one.log_likelihood.toFixed(1)),
        );
      });
    const again = () => {
      this.seed += 1;
      set({ seed: this.seed });
      this.begin();
    };
    this.card.replaceChildren(
      element("p", { class: "verdict" }, verdict),
      element("div", { class: "table" }, table("", ["idea of oneself", "sharpness", "fit"], rows)),
      element("p", {}, "Sharpness: how strongly one coin more moves your choice, in nats; 0 means not at all. Fit: the log-likelihood; nearer to 0 is better."),
      element("h2", {}, "How sure is that?"),
      element("p", {}, "Scripted subjects answered 320 questions by one idea each. The rows say what was found."),
      this.confusion(reply.confusion),
      element("p", {}, element("button", { type: "button", onclick: again }, "Again, with other questions")),
    );
    this.card.focus({ preventScroll: true });
  }

  /** @param {Reply[]} cells */
  confusion(cells) {
    const scripted = [...new Set(cells.map((cell) => cell.scripted))];
    const found = [...new Set(cells.map((cell) => cell.found))].sort(
      (one, other) => scripted.indexOf(one) - scripted.indexOf(other),
    );
    const share = (/** @type {string} */ row, /** @type {string} */ column) =>
      cells.find((cell) => cell.scripted === row && cell.found === column)?.share ?? 0;
    const rows = scripted.map((row) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, row),
        ...found.map((column) => element("td", { class: "number" }, share(row, column) ? `${Math.round(100 * share(row, column))} %` : "·")),
      ),
    );
    return element("div", { class: "table", tabindex: 0 }, table("", ["scripted", ...found], rows));
  }
}

export const play = viewOf("play", "Play", Play);
