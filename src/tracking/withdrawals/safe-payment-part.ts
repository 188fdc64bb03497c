import type { Hex } from "viem";
import type { Context } from "../../context.ts";
import type { WithdrawalRow } from "../../db/queries/deposit-queries.ts";
import { selectBuiltTransfers, selectOtherRedemptions } from "../../db/queries/withdrawal-queries.ts";
import { mulDivDown, smaller } from "../../lib/amount.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import { createTransactionReader, isConfirmed } from "../deposits/deposit-transaction-reader.ts";
import { findVaultOfDeposit } from "../deposits/track-deposit-request.ts";
import { settlementsIn } from "./exit-settlement-search.ts";
import { sharesOf } from "./withdrawal-settlements.ts";
import { isOpenRequest, secondStepOf } from "./withdrawal-state-machine.ts";

/** Another withdrawal that may have a part in a payment, with what is known to be its own; null if nothing is. */
interface Sharer {
  row: Pick<WithdrawalRow, "shares">;
  assets: bigint | null;
}

/**
 * Returns the part of a payment for several requests that a withdrawal whose own part is unknown may send on: by shares
 * or, if one has none, in equal parts, of what `sharers` leave, and at most what it was estimated to be. The parts of all
 * are never more than the payment. Null if nothing is left. Pure.
 */
export function safePart(
  row: Pick<WithdrawalRow, "shares" | "estimatedAssets">,
  { paid, sharers }: { paid: bigint; sharers: readonly Sharer[] },
): bigint | null {
  const taken = sharers.reduce((sum, { assets }) => sum + (assets ?? 0n), 0n);
  const open = [row, ...sharers.filter(({ assets }) => assets === null).map((sharer) => sharer.row)];
  const left = paid - taken;
  if (left <= 0n) return null;
  const byShares = open.every(({ shares }) => shares !== null && shares !== "0");
  const part = byShares
    ? mulDivDown(left, BigInt(row.shares ?? "0"), sharesOf(open))
    : left / BigInt(open.length);
  const most = row.estimatedAssets === null ? null : BigInt(row.estimatedAssets);
  const safe = most === null ? part : (smaller(part, most) ?? part);
  return safe > 0n ? safe : null;
}

/**
 * Reads from its claim what a withdrawal whose amount is unknown may send on (`safePart`), in the paid token's smallest
 * unit. Null if the claim does not show what it paid. Throws `store_unavailable`, `vault_not_found` and errors of the
 * RPC nodes.
 */
export async function readSafePart(ctx: Context, row: WithdrawalRow): Promise<bigint | null> {
  const { vaultChainId: chainId, claimTxHash, sourceTxHash } = row;
  const vault = await findVaultOfDeposit(ctx, row);
  const { exits } = adapterOf(vault);
  if (claimTxHash === null || sourceTxHash === null || exits === undefined) return null;
  const readTransaction = createTransactionReader(ctx);
  const [seen, source] = await Promise.all(
    [claimTxHash, sourceTxHash].map((hash) => readTransaction(chainId, hash as Hex)),
  );
  if (seen?.receipt == null || source?.receipt == null || !isConfirmed(ctx, { chainId, seen })) return null;
  const at = { row, now: { vault, exits }, requestLogs: source.receipt.logs };
  const payments = settlementsIn(seen.receipt, at).filter(({ outcome }) => outcome === "paid");
  const paid = payments.reduce((sum, { assets }) => sum + (assets ?? 0n), 0n);
  const others = await selectOtherRedemptions(ctx.db, row, { anyId: true });
  const sharing = others.filter((other) => other.claimTxHash === claimTxHash || isOpenRequest(other.state));
  const sharers = await Promise.all(
    sharing.map(async (other) => ({ row: other, assets: await takenBy(ctx, other) })),
  );
  return safePart(row, { paid, sharers });
}

/** Returns what a withdrawal has of a payment: its own amount or, if that is unknown, the most that it sent on. */
async function takenBy(ctx: Context, row: WithdrawalRow): Promise<bigint | null> {
  if (row.claimTxHash === null) return null;
  if (row.assets !== null) return BigInt(row.assets);
  if (secondStepOf(row) === null) return null;
  const built = await selectBuiltTransfers(ctx.db, row.trackingId);
  return built.reduce<bigint | null>((most, { amount }) => {
    const one = BigInt(amount);
    return most === null || one > most ? one : most;
  }, null);
}
