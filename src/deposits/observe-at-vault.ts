import type { Hex } from "viem";
import type { Receipt, Transaction } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import type { DepositRow } from "../db/queries/deposits.ts";
import { callsVault } from "./calls-vault.ts";
import { findShareProof, type ShareProof } from "./evidence.ts";
import { isConfirmed, type Look } from "./look.ts";
import type { Observation } from "./move.ts";
import { completed } from "./observations.ts";
import { observeRequest } from "./observe-request.ts";
import { vaultOf } from "./vault-of.ts";

interface AtVault {
  row: DepositRow;
  /** A transaction of the vault's chain, as somebody named it. */
  hash: Hex;
  look: Look;
}

/** Whether the user holds what was moved and may still deposit it. */
export function awaitsSecondStep(row: Pick<DepositRow, "state" | "shares">): boolean {
  return row.state === "awaiting_deposit" || (row.state === "partial" && row.shares === null);
}

/**
 * What a transaction of the vault's chain shows of a deposit whose money comes from elsewhere: the Router's event
 * for it, or, once the money arrived at the user, the user's own call of the vault with shares or a request in
 * return. A second step that reverted changes nothing, it may be sent again. Throws `store_unavailable`,
 * `vault_not_found` and what reading the chain throws.
 */
export async function observeAtVault(ctx: Context, at: AtVault): Promise<Observation[]> {
  const { row, hash, look } = at;
  const seen = await look(row.vaultChainId, hash);
  const { transaction, receipt } = seen;
  const confirmed = isConfirmed(ctx, { chainId: row.vaultChainId, seen });
  if (receipt === null || transaction === null || !confirmed) return [];
  const evidence = { kind: "chain", shows: "deposit_reverted", confirmed } as const;
  if (!receipt.succeeded) return [{ evidence, change: {}, noted: "when_moving" }];
  const byRouter = findShareProof(receipt, { row, via: "router" });
  if (byRouter !== null) return [throughRouter({ row, hash, confirmed }, byRouter)];
  if (!awaitsSecondStep(row) || !(await isOwnCall(ctx, { ...at, transaction, receipt }))) return [];
  const proof = findShareProof(receipt, { row, via: "user" });
  if (proof === null) return observeRequest(ctx, { row, hash, receipt, confirmed });
  return [completed({ row, confirmed }, { ...proof, depositTxHash: hash })];
}

/** By the bridge, which calls the Router itself, or by the user in a second step. */
function throughRouter(
  at: { row: DepositRow; hash: Hex; confirmed: boolean },
  proof: ShareProof,
): Observation {
  const { row, hash } = at;
  if (!row.twoStep && row.state !== "partial") return completed(at, { ...proof, destinationTxHash: hash });
  const observation = completed(at, proof);
  return { ...observation, change: { ...observation.change, depositTxHash: hash } };
}

/** Whether the user called the vault's entry point, and not before the money was there. */
async function isOwnCall(
  ctx: Context,
  { row, look, transaction, receipt }: AtVault & { transaction: Transaction; receipt: Receipt },
): Promise<boolean> {
  if (row.destinationTxHash === null) return false;
  const { entryPoint } = await vaultOf(ctx, row);
  if (!callsVault(row, { entryPoint, transaction, receipt })) return false;
  const delivery = await look(row.vaultChainId, row.destinationTxHash as Hex);
  return delivery.receipt !== null && receipt.blockNumber >= delivery.receipt.blockNumber;
}
