/** All that a reader has set; it is the fragment of the page's address, so that a link restores it. */

const LARGEST = 1_200_000;

/** @type {URLSearchParams} */
let held = new URLSearchParams();
/** @type {(() => void)[]} */
const listeners = [];

/** Read the address. */
export function readAddress() {
  held = new URLSearchParams(location.hash.replace(/^#+/, "")); // a link may be put behind an address that ends in #
}

/**
 * @param {string} key
 * @returns {string | null}
 */
export function get(key) {
  return held.get(key);
}

/**
 * Return all settings whose key begins with a prefix, without it.
 * @param {string} prefix
 * @returns {Record<string, string>}
 */
export function withPrefix(prefix) {
  return Object.fromEntries(
    [...held].filter(([key]) => key.startsWith(prefix)).map(([key, value]) => [key.slice(prefix.length), value]),
  );
}

/**
 * Return all that is set.
 * @returns {Record<string, string>}
 */
export function all() {
  return Object.fromEntries(held);
}

/**
 * Change settings and the address; null forgets a setting.
 * @param {Record<string, string | number | null>} changes
 */
export function set(changes) {
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === "") held.delete(key);
    else held.set(key, String(value));
  }
  history.replaceState(null, "", `#${held}`);
}

/**
 * Forget settings whose key begins with one of the prefixes.
 * @param {...string} prefixes
 */
export function forget(...prefixes) {
  for (const key of [...held.keys()]) if (prefixes.some((prefix) => key.startsWith(prefix))) held.delete(key);
}

/**
 * Call a function when the reader follows a link or edits the address.
 * @param {() => void} listener
 */
export function onAddress(listener) {
  listeners.push(listener);
}

addEventListener("hashchange", () => {
  readAddress();
  for (const listener of listeners) listener();
});

/**
 * Return a text for an address: compressed, in the letters of base64url.
 * @param {string} text
 * @returns {Promise<string>}
 */
export async function pack(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Return the text that `pack` compressed.
 * @param {string} letters
 * @returns {Promise<string>}
 * @throws {Error} it is damaged, or the text is too long
 */
export async function unpack(letters) {
  const binary = atob(letters.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LARGEST) throw new Error("too long");
  }
}
