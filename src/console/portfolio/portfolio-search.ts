import type { Positions } from "../../client/operations/read-operations.ts";

/** A position as the API returns it. */
export type Position = Positions["positions"][number];

/** URL parameters of the portfolio. Without an address, it shows the connected wallet. */
export interface PortfolioSearch {
  address?: `0x${string}`;
}

/** Returns true if a text looks like an address. The checksum is not verified. */
export const isAddress = (text: string): text is `0x${string}` => /^0x[0-9a-fA-F]{40}$/.test(text);

/** Parses the URL parameters of the portfolio. An invalid address is ignored. */
export function readPortfolioSearch(search: Readonly<Record<string, unknown>>): PortfolioSearch {
  const { address } = search;
  return typeof address === "string" && isAddress(address) ? { address } : {};
}

/**
 * Returns the sum of the positions' values in US dollars, with two decimals; each value is rounded down to cents. Null
 * if a value is unknown or there are no positions.
 */
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

/**
 * Returns the assets of a position's open deposit requests, in the smallest unit of the vault's asset. Null if there
 * are none, if those of one are in another token, or if the amount of one is unknown.
 */
export function requestedAssets({
  requests,
  assetAddress,
}: Pick<Position, "assetAddress"> & {
  requests: readonly Pick<Position["requests"][number], "kind" | "assets" | "token">[];
}): bigint | null {
  const open = requests.filter(({ kind }) => kind === "deposit");
  const paid = open.flatMap(({ assets, token }) =>
    assets === null || token.address !== assetAddress ? [] : [assets],
  );
  return open.length === 0 || paid.length < open.length ? null : paid.reduce((sum, one) => sum + one, 0n);
}
