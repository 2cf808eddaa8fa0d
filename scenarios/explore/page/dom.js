/** Elements, made with their attributes, listeners and children in one call. */

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Return a new element. An attribute whose name begins with "on" is a listener; true and false set and omit.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") /** @type {HTMLInputElement} */ (/** @type {unknown} */ (made)).value = value;
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false).map(asNode));
  return made;
}

/**
 * @param {any} child
 * @returns {Node | string}
 */
function asNode(child) {
  return child;
}

/**
 * Return an element that must be on the page.
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * Return a paragraph that names the paper of a view, with a link to it where there is one.
 * @param {string} authors
 * @param {string} title
 * @param {string} where
 * @param {string} [address]
 * @returns {HTMLElement}
 */
export function paper(authors, title, where, address) {
  const cited = element("cite", {}, title);
  const linked = address ? element("a", { href: address, rel: "noreferrer" }, cited) : cited;
  return element("p", {}, `The theory on this page is from ${authors}, `, linked, `${where}.`);
}

let numbered = 0;

/**
 * Return an id that no other element has.
 * @param {string} name
 * @returns {string}
 */
export function freshId(name) {
  numbered += 1;
  return `${name}-${numbered}`;
}

/**
 * Return a labeled selection.
 * @param {string} label
 * @param {{value: string, text: string}[]} options
 * @param {string} chosen
 * @param {(value: string) => void} onChange
 * @param {string} [note]
 * @returns {HTMLElement}
 */
export function selection(label, options, chosen, onChange, note) {
  const id = freshId("select");
  const made = element(
    "select",
    { id, onchange: () => onChange(made.value) },
    ...options.map(({ value, text }) => element("option", { value, selected: value === chosen }, text)),
  );
  return element("div", { class: "control" }, element("label", { for: id }, label), made, note && element("small", {}, note));
}

/**
 * Return a table.
 * @param {string} caption empty for none
 * @param {string[]} titles of the columns
 * @param {HTMLElement[]} rows
 * @returns {HTMLElement}
 */
export function table(caption, titles, rows) {
  for (const row of rows) {
    [...row.children].forEach((cell, column) => {
      if (!cell.hasAttribute("colspan")) cell.setAttribute("data-label", titles[column]); // a phone shows no head
    });
  }
  const head = titles.map((title) => element("th", { scope: "col" }, title));
  return element(
    "table",
    {},
    caption !== "" && element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)),
    element("tbody", {}, ...rows),
  );
}

/**
 * Return a slider for positions 0 to `last`, with buttons to the position before and after.
 * @param {string} label what it moves
 * @param {number} last
 * @param {number} position
 * @param {(position: number) => void} onMove
 * @param {(position: number) => string} said what a screen reader says of a position
 * @returns {HTMLElement}
 */
export function stepper(label, last, position, onMove, said) {
  const id = freshId("step");
  const slider = element("input", { type: "range", id, min: 0, max: last, step: 1 });
  const place = (/** @type {number} */ to) => {
    slider.value = String(to);
    slider.setAttribute("aria-valuetext", said(to));
  };
  const move = (/** @type {number} */ to) => {
    place(Math.min(last, Math.max(0, to)));
    onMove(Number(slider.value));
  };
  place(Math.min(position, last));
  slider.addEventListener("input", () => move(Number(slider.value)));
  return element(
    "div",
    { class: "step" },
    element("label", { for: id }, label),
    element("button", { type: "button", "aria-label": `${label}: back`, onclick: () => move(Number(slider.value) - 1) }, "◀"),
    slider,
    element("button", { type: "button", "aria-label": `${label}: on`, onclick: () => move(Number(slider.value) + 1) }, "▶"),
  );
}
