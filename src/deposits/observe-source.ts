import type { Hex } from "viem";
import type { Receipt, SeenTransaction, Transaction } from "../chains/transaction.ts";
import type { Context } from "../context.ts";
import { type DepositRow, provesAnother } from "../db/queries/deposits.ts";
import { sameAddress } from "../lib/address.ts";
import { depositRouterAddress } from "../router/address.ts";
import { findShareProof, findSwapped } from "./evidence.ts";
import { failureReason } from "./failure-reason.ts";
import { carriesHandedOut, isHandedOut } from "./handed-out.ts";
import { isConfirmed } from "./look.ts";
import type { Observation } from "./move.ts";
import { arrived, completed } from "./observations.ts";
import { observeRequest } from "./observe-request.ts";
import { sharesArrivals } from "./shared-claim.ts";

/** A transaction of the source chain that may carry a deposit. */
interface Source {
  row: DepositRow;
  hash: Hex;
  seen: SeenTransaction;
}

/**
 * What a transaction of the source chain shows of a deposit; nothing, when it is not the one that build handed
 * out and no proof by itself. Throws `store_unavailable` and what reading the chain throws.
 */
export async function observeSource(ctx: Context, source: Source): Promise<Observation[]> {
  const { row, hash, seen } = source;
  const { transaction, receipt } = seen;
  const carries = carriesHandedOut(row, seen);
  if (receipt === null) {
    // Only a receipt proves: a waiting transaction may still be replaced by another.
    return carries ? [{ evidence: { kind: "source_waits" }, change: claim(hash), noted: "when_moving" }] : [];
  }
  const confirmed = isConfirmed(ctx, { chainId: row.fromChainId, seen });
  const at = {
    row,
    hash,
    receipt,
    confirmed,
    batched: transaction !== null && !isHandedOut(row, transaction),
  };
  if (!receipt.succeeded) return carries ? observeRevert(ctx, { ...at, transaction }) : [];
  const proof = mayUseRouter(row) ? findShareProof(receipt, { row, via: "router" }) : null;
  if (proof !== null) return [completed(at, proof)].map(withSource(at));
  if (!carries || (await provesAnother(ctx.db, { row, hash }))) return [];
  return (row.provider === null ? await observeDirect(ctx, at) : observeMove(at)).map(withSource(at));
}

/** Whether the deposit's source transaction is still to be found, or to be sent again. */
export function isSourceOpen(row: DepositRow): boolean {
  return !row.sourceProven || row.state === "failed";
}

/** Whether the Router's event in a source receipt can be this deposit's: direct through it, or after a swap. */
function mayUseRouter(row: DepositRow): boolean {
  if (row.provider !== null) return row.fromChainId === row.vaultChainId;
  return sameAddress(row.sourceTo, depositRouterAddress);
}

interface Carried {
  row: DepositRow;
  hash: Hex;
  receipt: Receipt;
  confirmed: boolean;
  /** Whether the call was one of several that an account made. */
  batched: boolean;
}

const claim = (hash: Hex) => ({ sourceTxHash: hash, substatus: null });

/** Notes the source transaction itself; as proven once its chain has confirmed it. */
const withSource =
  ({ hash, confirmed }: Carried) =>
  (observation: Observation): Observation => ({
    ...observation,
    change: { ...claim(hash), ...(confirmed ? { sourceProven: true, ...observation.change } : {}) },
  });

async function observeRevert(
  ctx: Context,
  at: Carried & { transaction: Transaction | null },
): Promise<Observation[]> {
  const { row, hash, receipt, transaction, confirmed } = at;
  const client = ctx.chains.client(row.fromChainId);
  if (!confirmed || client === null || transaction === null) return [];
  const substatus = await failureReason(client, { transaction, receipt });
  const evidence = { kind: "chain", shows: "source_reverted", confirmed } as const;
  return [{ evidence, change: { ...claim(hash), sourceProven: true, substatus }, noted: "when_moving" }];
}

/** The user's own deposit into the vault; the Router's needs no carrier, see above. */
async function observeDirect(ctx: Context, at: Carried): Promise<Observation[]> {
  const { row, hash, receipt, batched } = at;
  if (sameAddress(row.sourceTo, depositRouterAddress)) return [];
  // Of shares that several calls of a batch brought nobody can say which are whose.
  if (batched && sharesArrivals(row, receipt) > 1) return [];
  const proof = findShareProof(receipt, { row, via: "user" });
  // A transfer of shares names no deposit: whoever was proven by it first has it.
  if (proof !== null) return [completed(at, { ...proof, depositTxHash: hash })];
  return observeRequest(ctx, at);
}

/** The money left for the vault's chain, or was swapped in this very transaction. */
function observeMove(at: Carried): Observation[] {
  const { row, hash, receipt, confirmed } = at;
  const evidence = { kind: "chain", shows: "source_succeeded", confirmed } as const;
  // Of a deposit that was first seen where it arrived, the reported source is still to be noted as its own.
  const noted = confirmed && row.sourceTxHash === hash ? "always" : "when_moving";
  const left: Observation = { evidence, change: {}, noted };
  const amount = row.fromChainId === row.vaultChainId ? findSwapped(receipt, row) : null;
  return amount === null ? [left] : [left, arrived(at, { amount, destinationTxHash: hash })];
}
