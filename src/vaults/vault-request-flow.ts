/** An indexed event of a request: a redemption (a withdrawal), its cancellation or a deposit request (deposits). */
export interface RequestFlow {
  kind: "deposit" | "withdrawal";
  requestId: string;
  /** Amount in the asset's smallest unit, never negative; null if unknown. */
  assets: bigint | null;
  /** Amount in the share token's smallest unit, never negative; null if unknown. */
  shares: bigint | null;
}
