/** The page: its views, and the way between them. */

import { caring } from "./caring.js";
import { caution } from "./caution.js";
import { byId, element } from "./dom.js";
import { begin } from "./engine.js";
import { identity } from "./identity.js";
import { play } from "./play.js";
import { reflection } from "./reflection.js";
import { all, get, onAddress, readAddress, set } from "./state.js";

/** @typedef {{name: string, title: string, mount: (place: HTMLElement, engine: import("./engine.js").Engine) => Promise<() => void>}} View */

/** @type {View[]} */
const VIEWS = [identity, play, caring, caution, reflection];
/** What is set about a story, besides its parameters. */
const KEPT = ["world", "file", "discount", "horizon", "alpha"];

/** The address of an explorer on the web, such as "https://example.org/explorer/"; empty while there is none. */
const HOSTED = "";

/** @type {() => void} */
let leave = () => {};
/** @type {import("./engine.js").Engine} */
let engine;

function chosenView() {
  return VIEWS.find((view) => view.name === get("view")) ?? VIEWS[0];
}

/**
 * Return the address of a view that keeps the reader's story and its settings.
 * @param {View} view
 * @returns {string}
 */
function addressOf(view) {
  const kept = Object.entries(all()).filter(([key]) => key.startsWith("p.") || KEPT.includes(key));
  return `#${new URLSearchParams([["view", view.name], ...kept])}`;
}

/**
 * Return a listener that leads a link to what is set when it is clicked.
 * @param {View} view
 * @returns {(event: MouseEvent) => void}
 */
function follow(view) {
  return (event) => /** @type {HTMLAnchorElement} */ (event.currentTarget).setAttribute("href", addressOf(view));
}

function showViews() {
  const links = VIEWS.map((view) =>
    element("a", { href: addressOf(view), "aria-current": view === chosenView() ? "page" : null, onclick: follow(view) }, view.title),
  );
  const folded = element("details", {}, element("summary", {}, "More about this program"), ...links, element("div", { id: "worlds" }));
  byId("views").replaceChildren(...(isStory() ? [folded] : links));
}

/** Whether this page is a file with a story inside, whose reader did not ask for other views. */
function isStory() {
  const { file, world, settings } = JSON.parse(byId("opened").textContent ?? "{}");
  return Boolean(file || world || settings?.file || settings?.world);
}

async function show() {
  leave();
  leave = () => {};
  showViews();
  const place = element("div");
  byId("main").replaceChildren(place);
  const view = chosenView();
  byId("main").ariaBusy = "true";
  const left = await view.mount(place, engine);
  byId("main").ariaBusy = "false";
  if (place.isConnected) leave = left;
  else left();
}

/** @param {unknown} problem */
function fail(problem) {
  const place = byId("problem");
  place.hidden = false;
  place.className = "fault";
  place.textContent = `The explorer could not start: ${problem instanceof Error ? problem.message : problem}`;
}

const isLocal = location.protocol === "file:" || ["127.0.0.1", "localhost"].includes(location.hostname);
const hasAddress = !isLocal || HOSTED !== "";

async function copyLink() {
  try {
    await navigator.clipboard.writeText(isLocal ? HOSTED + location.hash : location.href);
    byId("copied").textContent = "Copied.";
  } catch {
    byId("copied").textContent = "Copy it from the address bar.";
  }
}

/** Save the page with everything that is set as one file, which needs no address. */
async function saveFile() {
  try {
    const world = engine.opened.texts?.name ?? get("world") ?? "story";
    const name = `${world.replace(/[^\p{L}\p{N}_.-]+/gu, "-")}.html`;
    const text = await engine.page(JSON.stringify({ settings: all(), texts: engine.opened.texts, answers: engine.opened.answers, map: engine.opened.map }).replaceAll("<", "\\u003c"));
    const address = URL.createObjectURL(new Blob([text], { type: "text/html" }));
    element("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
    byId("copied").textContent = `Saved as ${name}. Any browser opens it, without a network.`;
  } catch (problem) {
    byId("copied").textContent = `It could not be saved: ${problem instanceof Error ? problem.message : problem}`;
  }
}

/** Give the frame of a page of the documentation the height of what it shows. */
function fillFrame() {
  const frame = /** @type {HTMLElement | null} */ (window.frameElement);
  if (frame) new ResizeObserver(() => frame.style.setProperty("height", `${document.body.offsetHeight}px`)).observe(document.body);
}

async function start() {
  readAddress();
  document.documentElement.dataset.embed = get("embed") ?? "";
  if (get("embed")) fillFrame();
  showViews();
  byId("share").textContent = hasAddress ? "Copy the link" : "Save it as a file";
  byId("share").addEventListener("click", hasAddress ? copyLink : saveFile);
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault(); // the fragment of the address is the state
    document.getElementById("answer")?.focus();
  });
  engine = await begin();
  if (!hasAddress && engine.opened.unbuilt) byId("share").replaceWith(`It cannot be saved as a file yet: ${engine.opened.unbuilt}.`);
  engine.licenses().then((text) => {
    byId("licenses").textContent = text;
  });
  if (!location.hash) set({ world: engine.opened.world ?? null, ...engine.opened.settings });
  globalThis.multislotAsk = engine.ask;
  onAddress(show);
  await show();
  document.documentElement.dataset.ready = "true";
}

start().catch(fail);
