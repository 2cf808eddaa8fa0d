/** Charts by Vega-Lite: one chart an element, drawn again only where its description has changed. */

/** The first are the colors of actions, as in the figures of the package (map_drawing.py). */
const COLORS = {
  light: ["#bbbbbb", "#4477aa", "#44bb99", "#aa3377", "#ccbb44", "#ee8866", "#7d8491", "#ee6677", "#228833"],
  dark: ["#686868", "#5b93cc", "#4fc4a4", "#c45a97", "#d3c355", "#f09873", "#8d939c", "#f07f8c", "#4fae64"],
};
const dark = matchMedia("(prefers-color-scheme: dark)");
/** @type {Set<Chart>} */
const drawn = new Set();
dark.addEventListener("change", () => {
  for (const chart of drawn) chart.redraw();
});

/**
 * Return the color of a number of kinds, first to last; the first is the quiet one.
 * @param {number} index
 * @returns {string}
 */
export function color(index) {
  const known = dark.matches ? COLORS.dark : COLORS.light;
  return known[index % known.length];
}

/** Return whether the page is dark. */
export function isDark() {
  return dark.matches;
}

/**
 * Call a function when the page turns dark or light.
 * @param {() => void} listener
 */
export function onColors(listener) {
  dark.addEventListener("change", listener);
}

/** @returns {Record<string, any>} */
function config() {
  const ink = dark.matches ? "#e4e2dc" : "#23262b";
  const soft = dark.matches ? "#34383e" : "#dcd8cf";
  const font = "system-ui, sans-serif";
  const text = { labelColor: ink, titleColor: ink, labelFont: font, titleFont: font, titleFontWeight: 500 };
  return {
    background: "transparent",
    font,
    view: { stroke: soft },
    axis: { ...text, domainColor: soft, tickColor: soft, gridColor: soft, labelFontSize: 11, titleFontSize: 12 },
    legend: { ...text, labelFontSize: 12 },
    text: { color: ink, font },
    rule: { color: ink },
  };
}

/** A chart in an element. */
export class Chart {
  /**
   * @param {HTMLElement} place
   * @param {(event: any, view: any) => void} [onClick]
   */
  constructor(place, onClick) {
    this.place = place;
    this.onClick = onClick;
    this.key = "";
    /** @type {any} */
    this.result = null;
    /** @type {{spec: Record<string, any>, data: Record<string, object[]>, label: string} | null} */
    this.last = null;
    /** @type {Promise<void>} */
    this.queue = Promise.resolve();
    drawn.add(this);
  }

  /**
   * Show data; the newest of several calls wins.
   * @param {Record<string, any>} spec in Vega-Lite, which names its data
   * @param {Record<string, object[]>} data by name
   * @param {string} label what a screen reader says
   * @returns {Promise<void>}
   */
  show(spec, data, label) {
    this.last = { spec, data, label };
    const asked = this.last;
    this.queue = this.queue.then(() => (asked === this.last ? this.draw(asked) : undefined));
    return this.queue;
  }

  redraw() {
    this.key = "";
    if (this.last) this.show(this.last.spec, this.last.data, this.last.label);
  }

  /** Take the chart off the page. */
  end() {
    drawn.delete(this);
    this.result?.finalize();
  }

  /** @param {{spec: Record<string, any>, data: Record<string, object[]>, label: string}} asked */
  async draw({ spec, data, label }) {
    const key = JSON.stringify(spec);
    const used = Object.entries(data).filter(([name]) => key.includes(`"name":"${name}"`)); // Vega drops the others
    if (key === this.key && this.result) {
      for (const [name, values] of used) this.result.view.data(name, values);
      await this.result.view.runAsync();
    } else {
      this.result?.finalize();
      const datasets = Object.fromEntries(used);
      const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", config: config(), ...spec, datasets };
      this.result = await vegaEmbed(this.place, whole, { actions: false, renderer: "svg", mode: "vega-lite", tooltip: { theme: dark.matches ? "dark" : "light" } });
      if (this.onClick) this.result.view.addEventListener("click", (/** @type {any} */ event) => this.onClick?.(event, this.result.view));
      for (const name of ["role", "aria-label", "aria-roledescription"]) this.place.removeAttribute(name); // the picture inside says what it shows
      this.place.querySelector(".vega-bindings")?.remove();
      this.key = key;
    }
    const svg = this.place.querySelector("svg");
    svg?.setAttribute("role", "img");
    svg?.setAttribute("aria-label", label);
    svg?.removeAttribute("aria-roledescription");
    for (const part of svg?.children ?? []) part.setAttribute("aria-hidden", "true");
  }
}

/** Settings that every chart has: as wide as its place. */
export const WIDE = { width: "container", autosize: { type: "fit-x", contains: "padding" } };
