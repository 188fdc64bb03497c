import type { Address, Hex } from "viem";

/** An indexed event of a request: a redemption (a withdrawal), its cancellation or a deposit request (deposits). */
export interface RequestFlow {
  kind: "deposit" | "withdrawal";
  requestId: string;
  /** Amount in the asset's smallest unit, never negative; null if unknown. */
  assets: bigint | null;
  /** Amount in the share token's smallest unit, never negative; null if unknown. */
  shares: bigint | null;
}

/**
 * Returns what requests' flows have put into a vault less what they have taken out, in the asset's smallest unit; null
 * if an amount is unknown.
 */
export function netAssetsOf(flows: readonly RequestFlow[]): bigint | null {
  return flows.reduce<bigint | null>((sum, { kind, assets }) => {
    if (sum === null || assets === null) return null;
    return kind === "deposit" ? sum + assets : sum - assets;
  }, 0n);
}

/** What the events from which a vault's flows are indexed tell of requests. */
export interface RequestEvents {
  /**
   * The contracts and first topics of those by which an account makes or cancels a redemption request, and whose third
   * topic is the account. Present if these events alone show the ids of open requests.
   */
  ownRequests?: { contracts: readonly Address[]; topics: readonly Hex[] };
  /** True if flows of redemption requests contain the requests' ids (`VaultFlow.requestId`). */
  namesRequests?: true;
  /** True if flows of deposit requests contain the requests' ids and amounts. */
  namesDepositRequests?: true;
  /** True if the flows take the shares of every redemption request when they leave its owner's wallet. */
  takesRequested?: true;
  /** True if requests count as paid by events that change no share balance, and not by what the vault's views show. */
  paysUnseen?: true;
}
