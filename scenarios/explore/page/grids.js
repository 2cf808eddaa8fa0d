/** Maps of gridworlds, with a path on them. */

import { color } from "./charts.js";

/**
 * Return a description of a grid's chart; its data are `cells`, `whole` and `path`, `ends` and `uses`.
 * @param {number} width in cells
 * @param {number} height in cells
 * @param {string[]} kinds of cells
 * @param {string[]} colors of the kinds
 * @returns {Record<string, any>}
 */
export function gridLayers(width, height, kinds, colors) {
  const size = 34;
  const axis = (/** @type {string} */ field, /** @type {number} */ count) => ({
    field,
    type: "quantitative",
    axis: null,
    scale: { domain: field === "y" ? [count - 0.5, -0.5] : [-0.5, count - 0.5], nice: false, zero: false },
  });
  const x = axis("x", width);
  const y = axis("y", height);
  const order = { field: "order", type: "quantitative" };
  const shades = { field: "kind", type: "nominal", scale: { domain: kinds, range: colors } };
  const legend = { orient: "bottom", title: null, columns: 4, symbolType: "square", values: kinds.filter((kind) => kind !== "floor") };
  const line = (/** @type {string} */ name, /** @type {number} */ opacity) => ({
    data: { name },
    mark: { type: "line", strokeWidth: 3, opacity, color: color(1), strokeJoin: "round", strokeCap: "round" },
    encoding: { x, y, order },
  });
  return {
    width: width * size,
    height: height * size,
    layer: [
      {
        data: { name: "cells" },
        transform: [
          { calculate: "datum.x - 0.5", as: "left" },
          { calculate: "datum.x + 0.5", as: "right" },
          { calculate: "datum.y - 0.5", as: "top" },
          { calculate: "datum.y + 0.5", as: "bottom" },
        ],
        mark: { type: "rect", strokeWidth: 0.6, stroke: "#8884" },
        encoding: { x: { ...x, field: "left" }, x2: { field: "right" }, y: { ...y, field: "top" }, y2: { field: "bottom" }, color: { ...shades, legend }, tooltip: { field: "kind" } },
      },
      { data: { name: "cells" }, mark: { type: "text", fontSize: 12, fontWeight: 600, dx: -9, dy: -8, opacity: 0.75 }, encoding: { x, y, text: { field: "mark" } } },
      line("whole", 0.25),
      line("path", 0.95),
      { data: { name: "uses" }, mark: { type: "point", shape: "diamond", size: 110, filled: true, color: color(5), opacity: 1, tooltip: "use" }, encoding: { x, y } },
      { data: { name: "ends" }, mark: { type: "circle", size: 190, color: color(1), opacity: 1, stroke: "#fff", strokeWidth: 1.5 }, encoding: { x, y } },
    ],
  };
}
