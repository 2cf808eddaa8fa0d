/** The static page: everything it needs stands next to it, or inside it if the page is a single file. */

/** Files that the worker gets. */
const FILES = ["pyodide.asm.wasm", "python_stdlib.zip", "engine.zip", "pyodide-lock.json"];

/**
 * Return a file: from inside the page, where it stands compressed, or from next to it.
 * @param {string} name
 * @returns {Promise<Response>}
 */
async function file(name) {
  const inside = document.getElementById(`file:${name}`);
  if (!inside) {
    const found = await fetch(name);
    if (!found.ok) throw new Error(`${name} is missing: the folder of the explorer must be copied whole`);
    return found;
  }
  const letters = atob((inside.textContent ?? "").trim());
  const bytes = new Uint8Array(letters.length);
  for (let index = 0; index < letters.length; index += 1) bytes[index] = letters.charCodeAt(index);
  inside.remove();
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** The single file as it was opened, before anything on it changes; null for the folder. */
const untouched = document.getElementById("file:worker.js") && /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));

/**
 * Return this file with something else that it shows first.
 * @param {string} opened in JSON
 * @returns {Promise<string>}
 */
async function page(opened) {
  const place = untouched?.querySelector("#opened");
  if (!untouched || !place) throw new Error("this page is not a single file");
  place.textContent = opened;
  return `<!doctype html>\n${untouched.outerHTML}\n`;
}

/**
 * The address of the worker's code: it is read once, and run again where a question took too long.
 * @type {Promise<string> | undefined}
 */
let source;

globalThis.multislotStatic = {
  worker: async () => {
    source ??= file("worker.js").then(async (found) => URL.createObjectURL(new Blob([await found.text()], { type: "text/javascript" })));
    return new Worker(await source);
  },
  files: async () => {
    const loaded = FILES.map(async (name) => [name, await (await file(name)).arrayBuffer()]);
    return Object.fromEntries(await Promise.all(loaded));
  },
  recorded: async () => (await file("recorded.json")).json(),
  licenses: async () => (await file("licenses.txt")).text(),
  page: untouched ? page : undefined,
};

export {};
