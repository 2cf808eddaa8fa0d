/** The editor of a world's file: lines are numbered, and a fault is marked at its line. */

import { element, freshId } from "./dom.js";

export class Editor {
  /** @param {(text: string) => void} onEdit */
  constructor(onEdit) {
    const id = freshId("file");
    this.gutter = element("div", { class: "gutter", "aria-hidden": "true" });
    this.message = element("p", { class: "fault", id: `${id}-fault`, hidden: true });
    this.area = element("textarea", { id, spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-describedby": `${id}-fault` });
    this.frame = element("div", { class: "editor" }, this.gutter, this.area);
    this.jump = element("button", { type: "button", hidden: true, onclick: () => this.goToFault() });
    this.element = element(
      "details",
      { class: "file" },
      element("summary", {}, "The file: write your own"),
      element("label", { for: id, class: "label" }, "The world’s file, in TOML"),
      this.frame,
      this.message,
      this.jump,
    );
    this.faulty = 0;
    this.area.addEventListener("input", () => {
      this.number();
      onEdit(this.area.value);
    });
    this.area.addEventListener("scroll", () => {
      this.gutter.scrollTop = this.area.scrollTop;
    });
  }

  /** @param {string} text */
  show(text) {
    if (this.area.value !== text) this.area.value = text;
    this.number();
  }

  /**
   * Mark a line as faulty; 0 marks none.
   * @param {number} line
   * @param {string} message
   */
  mark(line, message) {
    this.faulty = line;
    this.frame.dataset.faulty = String(line > 0);
    this.area.setAttribute("aria-invalid", String(line > 0));
    this.message.hidden = line === 0;
    this.message.textContent = line ? message : "";
    this.jump.hidden = line === 0;
    this.jump.textContent = `Go to line ${line}`;
    if (line) this.element.open = true;
    this.number();
  }

  goToFault() {
    const lines = this.area.value.split("\n");
    const from = lines.slice(0, this.faulty - 1).join("\n").length + (this.faulty > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(from, from + (lines[this.faulty - 1] ?? "").length);
    this.area.scrollTop = Math.max(0, (this.area.scrollHeight / lines.length) * (this.faulty - 4));
  }

  number() {
    const count = Math.min(this.area.value.split("\n").length, 10_000);
    const numbers = Array.from({ length: count }, (_, index) => {
      const bad = index + 1 === this.faulty;
      return element("span", { class: bad ? "bad" : "" }, String(index + 1));
    });
    this.gutter.replaceChildren(...numbers);
    this.gutter.style.height = `${this.area.offsetHeight}px`;
    this.gutter.scrollTop = this.area.scrollTop;
  }
}
