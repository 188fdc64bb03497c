/** An indexed event of a redemption request: a withdrawal (the request itself) or a deposit (its cancellation). */
export interface RequestFlow {
  kind: "deposit" | "withdrawal";
  requestId: string;
  /** Amount in the asset's smallest unit, never negative; null if unknown. */
  assets: bigint | null;
  /** Amount in the share token's smallest unit, never negative; null if unknown. */
  shares: bigint | null;
}
