/** Python in a worker of the browser: it answers questions, so that the page never waits. */

import { loadPyodide } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";

/** What Pyodide asks for by name, and its kind. */
const KINDS = { "pyodide.asm.wasm": "application/wasm", "python_stdlib.zip": "application/zip" };
const NOWHERE = "https://files.invalid/";

/** @type {((request: string) => string) | null} */
let reply = null;

/**
 * Load Python and the engine from files that are already here; nothing is fetched.
 * @param {Record<string, ArrayBuffer>} files
 */
async function begin(files) {
  self.fetch = async (asked) => {
    const name = String(asked instanceof Request ? asked.url : asked).split("/").pop() ?? "";
    if (!(name in files)) throw new Error(`there is no file ${name}`);
    return new Response(files[name], { headers: { "Content-Type": /** @type {Record<string, string>} */ (KINDS)[name] } });
  };
  const lockFileContents = new TextDecoder().decode(files["pyodide-lock.json"]);
  const python = await loadPyodide({ indexURL: NOWHERE, packageBaseUrl: NOWHERE, lockFileContents, createPyodideModule });
  python.unpackArchive(files["engine.zip"], "zip", { extractDir: "/engine" });
  reply = python.runPython(`
import json, sys
sys.path.insert(0, "/engine")
from scenarios.explore.questions import answer_safely, reply
lambda request: json.dumps(answer_safely(reply, json.loads(request)), ensure_ascii=False)
`);
}

self.addEventListener("message", async ({ data }) => {
  const { files, request } = data;
  try {
    if (files) await begin(files);
    self.postMessage(request && reply ? JSON.parse(reply(JSON.stringify(request))) : {});
  } catch (problem) {
    self.postMessage({ error: { message: `Python stopped: ${problem}`, line: 0, entry: "" } });
  }
});
