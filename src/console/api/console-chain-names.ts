import type { Answer } from "../../client/operations/read-operations.ts";

/** A chain in the API's list of chains. */
export type ListedChain = Answer<"chains.list">[number];

/** Returns the name of a chain, or `Chain <id>` if the list does not contain it. */
export function formatChain(chains: readonly ListedChain[], chainId: number): string {
  return chains.find((chain) => chain.chainId === chainId)?.name ?? `Chain ${chainId}`;
}

/** Returns the URL of a transaction or account in the chain's explorer, or null if the chain is unknown or has none. */
export function explorerLink(
  chains: readonly ListedChain[],
  of: { chainId: number; kind: "tx" | "address"; value: string },
): string | null {
  const explorer = chains.find((chain) => chain.chainId === of.chainId)?.explorer ?? "";
  return explorer === "" ? null : `${explorer.replace(/\/$/, "")}/${of.kind}/${of.value}`;
}
