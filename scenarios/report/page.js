"use strict";
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const chart = document.getElementById("chart");

  // The chart libraries are kept compressed, so that there is room for pictures.
  async function load() {
    const packed = document.getElementById("vega").textContent;
    const bytes = Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const script = document.createElement("script");
    script.textContent = await new Response(stream).text();
    document.head.append(script);
  }

  // Vega paints its own text and lines, so it is told the page's colors, and again when they change.
  async function draw() {
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    const specification = JSON.parse(document.getElementById("specification").textContent);
    specification.config = {
      ...specification.config,
      background: "transparent",
      font: "system-ui, sans-serif",
      axis: {
        labelColor: color("--ink"), titleColor: color("--ink"), gridColor: color("--line"),
        tickColor: color("--line"), domainColor: color("--line"), titleFontWeight: "normal",
      },
      legend: { labelColor: color("--ink") },
      range: { category: color("--chart").split(", ") },
    };
    if (chart.clientWidth < 600) {
      specification.encoding.y.axis.labelLimit = 120;
      specification.encoding.y.axis.labelFontSize = 9;
    }
    await vegaEmbed(chart, specification, { renderer: "svg", actions: false });
    chart.dataset.drawn = "true";
  }

  function give_up(error) {
    chart.textContent = `This browser cannot draw the chart (${error.message}); the tables below have the same numbers.`;
  }

  if (chart) {
    load().then(draw).then(() => dark.addEventListener("change", draw)).catch(give_up);
  }

  // On paper the comparisons are open, and how they were made; afterwards all is as it was.
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.printed:not([open])")];
    closed.forEach((one) => { one.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((one) => { one.open = false; }));
})();
