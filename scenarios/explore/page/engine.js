/** Who answers: the server of `multislot explore`, or, in the static page, Python in a worker of the browser. */

/** @typedef {Record<string, any>} Reply */
/** @typedef {{ask: (request: Reply) => Promise<Reply>, opened: Reply, endless: boolean, licences: () => Promise<string>}} Engine */
/** @typedef {(share: number, text: string) => void} Progress */

/**
 * Return a reply that says what is wrong.
 * @param {string} message
 * @returns {Reply}
 */
export function fault(message) {
  return { error: { message, line: 0, entry: "" } };
}

/**
 * Return the engine of this page, ready to answer.
 * @param {Progress} progress
 * @returns {Promise<Engine>}
 */
export async function begin(progress) {
  if (!globalThis.multislotStatic) return local();
  return inBrowser(globalThis.multislotStatic, progress);
}

/** @returns {Promise<Engine>} */
async function local() {
  const opened = await (await fetch("opened.json")).json();
  return {
    opened,
    endless: true,
    licences: async () => (await fetch("licences.txt")).text(),
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

/**
 * @param {import("./globals").Static} given
 * @param {Progress} progress
 * @returns {Promise<Engine>}
 */
async function inBrowser(given, progress) {
  /** @type {Map<number, (reply: Reply) => void>} */
  const waiting = new Map();
  let asked = 0;
  const worker = await given.worker();
  const files = await given.files((share) => progress(0.7 * share, "Loading Python …"));
  progress(0.75, "Starting Python …");
  /** @type {(reply: Reply) => Promise<Reply>} */
  const post = (message) =>
    new Promise((resolve) => {
      asked += 1;
      waiting.set(asked, resolve);
      worker.postMessage({ ...message, number: asked });
    });
  worker.addEventListener("message", ({ data }) => {
    waiting.get(data.number)?.(data.reply);
    waiting.delete(data.number);
  });
  worker.addEventListener("error", (event) => {
    for (const resolve of waiting.values()) resolve(fault(`Python does not run in this browser: ${event.message}`));
    waiting.clear();
  });
  const begun = await post({ files });
  if (begun.error) throw new Error(begun.error.message);
  progress(1, "Ready");
  const recorded = await given.recorded();
  return {
    opened: {},
    endless: false,
    licences: given.licences,
    ask: (request) => {
      const known = recorded[JSON.stringify(request, Object.keys(request).sort())];
      return known ? Promise.resolve(known) : post({ request });
    },
  };
}

/** Asks one question at a time; a newer one replaces all that wait. */
export class Latest {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    this.busy = false;
    /** @type {{request: Reply, resolve: (reply: Reply | null) => void} | null} */
    this.next = null;
  }

  /**
   * Return the reply, or null if a newer question has replaced this one.
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
    this.next?.resolve(null);
    this.next = null;
  }

  async go() {
    if (this.busy || !this.next) return;
    const { request, resolve } = this.next;
    this.next = null;
    this.busy = true;
    const reply = await this.engine.ask(request);
    this.busy = false;
    resolve(this.next ? null : reply);
    this.go();
  }
}
