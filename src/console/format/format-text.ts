/** Returns a count with its noun: `1 vault`, `3 vaults`. */
export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Returns a text with a capital first letter. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Formats a text of the API as a sentence: with a capital first letter and, unless it ends with `.`, `!` or `?`, a full
 * stop. The text must not be empty.
 */
export function toSentence(text: string): string {
  const start = capitalize(text);
  return /[.!?]$/.test(start) ? start : `${start}.`;
}

/**
 * Shortens an address or hash to its first six and last four characters: `0x1545…b7A4`. A text of up to 12 characters
 * stays unchanged.
 */
export function shorten(hex: string): string {
  return hex.length <= 12 ? hex : `${hex.slice(0, 6)}…${hex.slice(-4)}`;
}

/**
 * Shortens the addresses within a text, like `shorten`. Longer hexadecimal values and all other text stay unchanged.
 */
export const shortenAddresses = (text: string): string =>
  text.replaceAll(/0x[0-9a-fA-F]{40}(?![0-9a-fA-F])/g, (address) => shorten(address));
