import type { Positions } from "../../client/read-actions.ts";

/** A position as the API lists it. */
export type Position = Positions["positions"][number];

/** What the portfolio's address says: whose it is; without, the connected wallet's. */
export interface PortfolioSearch {
  address?: `0x${string}`;
}

/** Returns true for the form of an address. The API judges the checksum. */
export const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-fA-F]{40}$/.test(text);

/** Reads the address from the page's own. What is no address is left out. */
export function readPortfolioSearch(search: Readonly<Record<string, unknown>>): PortfolioSearch {
  const { address } = search;
  return typeof address === "string" && isAddress(address) ? { address } : {};
}

/** Adds up values in USD, in cents, rounding each down. Null if one is not known or there are none: a part is no total. */
export function totalUsd(positions: readonly { valueUsd: string | null }[]): string | null {
  let cents = 0n;
  for (const { valueUsd } of positions) {
    const match = /^(\d+)(?:\.(\d*))?$/.exec(valueUsd ?? "");
    if (match === null) return null;
    cents += BigInt(match[1] ?? "0") * 100n + BigInt((match[2] ?? "").slice(0, 2).padEnd(2, "0"));
  }
  if (positions.length === 0) return null;
  return `${cents / 100n}.${(cents % 100n).toString().padStart(2, "0")}`;
}
