/** What answers: the server of `multislot explore`, or, in the static page, Python in a worker of the browser. */

/** @typedef {Record<string, any>} Reply */
/** @typedef {{ask: (request: Reply) => Promise<Reply>, opened: Reply, endless: boolean, licenses: () => Promise<string>, page: (opened: string) => Promise<string>}} Engine */

/** Milliseconds that a question may take, as on the server. */
const LONGEST = 30_000;

/**
 * Return a reply that says what is wrong.
 * @param {string} message
 * @returns {Reply}
 */
export function fault(message) {
  return { error: { message, line: 0, entry: "" } };
}

/**
 * Return a request as a text in which the order of its keys does not count.
 * @param {Reply} request
 * @returns {string}
 */
export function keyOf(request) {
  return JSON.stringify(request, (_, part) => {
    if (part === null || typeof part !== "object" || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

const NOTHING_OPENED = '<script type="application/json" id="opened">{}</script>';

/**
 * Return the page as one file with what it shows first inside.
 * @param {string} opened in JSON
 * @returns {Promise<string>}
 */
async function fetchPage(opened) {
  const found = await fetch("explorer.html");
  if (!found.ok) throw new Error(await found.text());
  return (await found.text()).replace(NOTHING_OPENED, () => NOTHING_OPENED.replace("{}", () => opened));
}

/**
 * Return the engine of this page. Python may still be starting: questions wait for it.
 * @returns {Promise<Engine>}
 */
export async function begin() {
  if (!globalThis.multislotStatic) return local();
  return inBrowser(globalThis.multislotStatic);
}

/** @returns {Promise<Engine>} */
async function local() {
  const opened = await (await fetch("opened.json")).json();
  return {
    opened,
    endless: true,
    licenses: async () => (await fetch("licenses.txt")).text(),
    page: fetchPage,
    ask: async (request) => {
      try {
        const headers = { "Content-Type": "application/json" };
        return await (await fetch("answer", { method: "POST", headers, body: JSON.stringify(request) })).json();
      } catch {
        return fault("multislot explore has ended: start it again, then load this page again");
      }
    },
  };
}

/** Python in a worker: it takes messages, one after another. */
class Python {
  /** @param {Worker} worker */
  constructor(worker) {
    this.worker = worker;
    /** @type {(reply: Reply) => void} */
    this.resolve = () => {};
    worker.addEventListener("message", ({ data }) => this.resolve(data));
    worker.addEventListener("error", (event) => this.resolve(fault(`Python does not run in this browser: ${event.message}`)));
  }

  /**
   * Return the worker's reply, or null if there is none in time.
   * @param {Reply} message
   * @param {number} [longest] in milliseconds
   * @returns {Promise<Reply | null>}
   */
  async post(message, longest) {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const reply = await new Promise((resolve) => {
      this.resolve = resolve;
      if (longest) timer = setTimeout(() => resolve(null), longest);
      this.worker.postMessage(message);
    });
    clearTimeout(timer);
    return reply;
  }
}

/**
 * @param {import("./globals").Static} page
 * @returns {Promise<Engine>}
 */
async function inBrowser(page) {
  const opened = JSON.parse(document.getElementById("opened")?.textContent ?? "{}");
  /** @type {[Reply, Reply][]} the answers that were known when this page was saved */
  const answers = opened.answers ?? [];
  const known = { ...(await page.recorded()), ...Object.fromEntries(answers.map(([request, reply]) => [keyOf(request), reply])) };
  const files = page.files();
  const startPython = async () => {
    const made = new Python(await page.worker());
    const found = await made.post({ files: await files });
    if (found?.error) throw new Error(found.error.message);
    return made;
  };
  let python = startPython();

  /** @param {Reply} request */
  const answer = async (request) => {
    const running = await python;
    const reply = await running.post({ request }, LONGEST);
    if (reply) return reply;
    running.worker.terminate();
    python = startPython();
    return fault(`no answer within ${LONGEST / 1000} seconds: give a smaller horizon, map or number of copies`);
  };
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return {
    opened,
    endless: false,
    licenses: page.licenses,
    page: page.page ?? fetchPage,
    ask: (request) => {
      const found = known[keyOf(request)];
      if (found) return Promise.resolve(found);
      const reply = last.then(() => answer(request)).catch((problem) => fault(`Python stopped: ${problem.message}`));
      last = reply;
      return reply;
    },
  };
}

/** Asks one question at a time; a newer one replaces the one that waits, so that what is shown keeps up. */
export class Latest {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.busy = false;
    /** Counts what was dropped: an answer under way is worth nothing afterwards. */
    this.dropped = 0;
    /** @type {{request: Reply, resolve: (reply: Reply | null) => void} | null} */
    this.next = null;
  }

  /**
   * Return the reply, or null if a newer question has replaced this one before it was asked.
   * @param {Reply} request
   * @returns {Promise<Reply | null>}
   */
  ask(request) {
    this.next?.resolve(null);
    return new Promise((resolve) => {
      this.next = { request, resolve };
      this.go();
    });
  }

  /** Forget the question that waits, and the answer that is under way. */
  drop() {
    this.dropped += 1;
    this.next?.resolve(null);
    this.next = null;
  }

  async go() {
    if (this.busy || !this.next) return;
    const { request, resolve } = this.next;
    const before = this.dropped;
    this.next = null;
    this.busy = true;
    const reply = await this.engine.ask(request);
    this.busy = false;
    resolve(before === this.dropped ? reply : null);
    this.go();
  }
}
