/** Exact fractions, as the engine writes them: "7/2", "-3", "0.25". */

/** @typedef {{top: bigint, bottom: bigint}} Fraction */

const WRITTEN = /^\s*([-+]?)(\d*)(?:\.(\d+))?(?:\/(\d+))?\s*$/;
/** Characters of the longest number that a reader may type; the engine's own are longer. */
const LONGEST = 800;

/**
 * Return the fraction of a text, or null if the text is none.
 * @param {string} text
 * @returns {Fraction | null}
 */
export function fraction(text) {
  const found = text.length > LONGEST ? null : parts(text);
  return found && reduce(found.top, found.bottom);
}

/**
 * Return the numerator and the denominator of a text of any length as they stand, or null if it has none.
 * @param {string} text
 * @returns {Fraction | null}
 */
function parts(text) {
  const found = WRITTEN.exec(text);
  if (!found || (!found[2] && !found[3])) return null;
  const [, sign, whole, decimals = "", under = "1"] = found;
  const bottom = BigInt(under) * 10n ** BigInt(decimals.length);
  if (bottom === 0n) return null;
  const top = BigInt(whole + decimals);
  return { top: sign === "-" ? -top : top, bottom };
}

/**
 * @param {bigint} top
 * @param {bigint} bottom
 * @returns {Fraction}
 */
function reduce(top, bottom) {
  let [a, b] = [top < 0n ? -top : top, bottom];
  while (b) [a, b] = [b, a % b];
  return { top: top / (a || 1n), bottom: bottom / (a || 1n) };
}

/**
 * Return low + (high − low)·part/parts.
 * @param {Fraction} low
 * @param {Fraction} high
 * @param {number} part
 * @param {number} parts
 * @returns {Fraction}
 */
export function between(low, high, part, parts) {
  const [k, n] = [BigInt(part), BigInt(parts)];
  const top = low.top * high.bottom * (n - k) + high.top * low.bottom * k;
  return reduce(top, low.bottom * high.bottom * n);
}

/**
 * Return a negative number, 0 or a positive one as a is less than, equal to or more than b.
 * @param {Fraction} a
 * @param {Fraction} b
 * @returns {number}
 */
export function compare(a, b) {
  const difference = a.top * b.bottom - b.top * a.bottom;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/**
 * @param {Fraction} value
 * @returns {string}
 */
export function write(value) {
  return value.bottom === 1n ? String(value.top) : `${value.top}/${value.bottom}`;
}

/**
 * Return the nearest floating-point number of a text; NaN if the text is no number.
 * @param {string} text
 * @returns {number}
 */
export function decimal(text) {
  const found = parts(text);
  if (!found) return Number.NaN;
  const scale = 10n ** 17n;
  const whole = found.top / found.bottom;
  return Number(whole) + Number(((found.top - whole * found.bottom) * scale) / found.bottom) / 1e17;
}

/**
 * Return a number of few digits for reading, such as "4.095".
 * @param {string} text
 * @returns {string}
 */
export function rounded(text) {
  const value = decimal(text);
  return Math.abs(value) >= 1e6 ? value.toExponential(3) : String(Number(value.toFixed(4))).replace("-", "−");
}

/**
 * Say whether `rounded` is another number than the exact one.
 * @param {string} text
 * @returns {boolean}
 */
export function isRounded(text) {
  const [exact, shown] = [fraction(text), fraction(rounded(text).replace("−", "-"))];
  return !exact || !shown || compare(exact, shown) !== 0;
}
