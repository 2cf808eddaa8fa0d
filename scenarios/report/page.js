"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chart = document.getElementById("chart");

  // Vega paints its own text and lines, so it is told the page's colours, and again when they change.
  async function draw() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const specification = JSON.parse(document.getElementById("specification").textContent);
    specification.config = {
      ...specification.config,
      background: "transparent",
      font: "system-ui, sans-serif",
      axis: {
        labelColor: colour("--ink"), titleColor: colour("--ink"), gridColor: colour("--line"),
        tickColor: colour("--line"), domainColor: colour("--line"), titleFontWeight: "normal",
      },
      legend: { labelColor: colour("--ink") },
    };
    if (chart.clientWidth < 600) {
      specification.encoding.y.axis.labelLimit = 120;
      specification.encoding.y.axis.labelFontSize = 9;
    }
    await vegaEmbed(chart, specification, { renderer: "svg", actions: false });
    chart.dataset.drawn = "true";
  }

  if (chart) {
    draw();
    dark.addEventListener("change", draw);
  }

  // On paper everything is open; afterwards it is as it was.
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((one) => { one.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((one) => { one.open = false; }));
})();
