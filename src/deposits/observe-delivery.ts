import type { Hex } from "viem";
import type { Context } from "../context.ts";
import { type DepositRow, deliversAnother, refundsAnother } from "../db/queries/deposits.ts";
import type { MoveDelivery, MoveStatus } from "../providers/provider.ts";
import { findArrival, findRefund, findShareProof } from "./evidence.ts";
import { askHints } from "./hints.ts";
import { isConfirmed, type Look } from "./look.ts";
import type { Observation } from "./move.ts";
import { arrived, completed, refunded } from "./observations.ts";

interface Following {
  row: DepositRow;
  look: Look;
}

/** What a bridge may say while it works, for people to read. Source: SPEC, transfer status. */
const OWN_WORDS = new Set([
  "BRIDGE_NOT_AVAILABLE",
  "CHAIN_NOT_AVAILABLE",
  "REFUND_IN_PROGRESS",
  "UNKNOWN_ERROR",
]);

/**
 * Follows money that left its source: providers say where to look, and what is seen there counts, a delivery in
 * a receipt of the vault's chain or a refund in one of the source chain. Throws what reading a chain throws.
 */
export async function observeDelivery(ctx: Context, following: Following): Promise<Observation[]> {
  const said = await askHints(ctx, following.row);
  const found = (await findEnd(ctx, { ...following, said })) ?? words(said);
  const explorer = said.find(({ explorerLink }) => explorerLink !== null)?.explorerLink;
  if (explorer === undefined) return found;
  return found.map((one) => ({ ...one, change: { ...one.change, routerExplorer: explorer } }));
}

/** The delivery, or else the refund, in whichever transaction somebody named that shows one. */
async function findEnd(ctx: Context, following: Told): Promise<Observation[] | null> {
  const { said } = following;
  for (const hash of new Set(said.map(({ destinationTxHash }) => destinationTxHash))) {
    const delivery = hash === null ? null : await observeArrival(ctx, { ...following, hash });
    if (delivery !== null) return [delivery];
  }
  for (const hash of new Set(said.map(({ refundTxHash }) => refundTxHash))) {
    const refund = hash === null ? null : await observeRefund(ctx, { ...following, hash });
    if (refund !== null) return [refund];
  }
  return null;
}

type Told = Following & { said: readonly MoveStatus[] };
type At = Told & { hash: Hex };

/** What is only alike is one deposit's alone: of two that are alike each needs a delivery of its own. */
async function isTaken(
  ctx: Context,
  of: { row: DepositRow; hash: Hex; delivery: MoveDelivery },
): Promise<boolean> {
  return of.delivery.bond === "content" && (await deliversAnother(ctx.db, of));
}

/** The shares, or else the token, that a transaction of the vault's chain brought the user. */
async function observeArrival(ctx: Context, { row, look, said, hash }: At): Promise<Observation | null> {
  const seen = await look(row.vaultChainId, hash);
  if (seen.receipt === null) return null;
  const at = { row, confirmed: isConfirmed(ctx, { chainId: row.vaultChainId, seen }) };
  const proof = findShareProof(seen.receipt, { row, via: "router" });
  if (proof !== null) return completed(at, { ...proof, destinationTxHash: hash });
  const witness = said.find((hint) => hint.destinationTxHash === hash && hint.witness?.delivered != null);
  const delivery = witness?.witness?.delivered ?? null;
  if (delivery === null || (await isTaken(ctx, { row, hash, delivery }))) return null;
  const amount = findArrival(seen.receipt, { row, delivery });
  return amount === null ? null : arrived(at, { amount, destinationTxHash: hash });
}

/** What a transaction of the source chain paid back; one from before the deposit paid back something else. */
async function observeRefund(ctx: Context, { row, look, said, hash }: At): Promise<Observation | null> {
  const took = said.find(({ witness }) => witness !== null)?.witness?.took ?? null;
  if (took === null || (await refundsAnother(ctx.db, { row, hash }))) return null;
  const [seen, source] = await Promise.all([
    look(row.fromChainId, hash),
    look(row.fromChainId, row.sourceTxHash as Hex),
  ]);
  if (seen.receipt === null || source.receipt === null) return null;
  if (seen.receipt.blockNumber < source.receipt.blockNumber || hash === row.sourceTxHash) return null;
  const amount = findRefund(seen.receipt, { row, took });
  const at = { row, confirmed: isConfirmed(ctx, { chainId: row.fromChainId, seen }) };
  return amount === null ? null : refunded(at, { amount, refundTxHash: hash });
}

/** What providers say moves nothing; the most telling word of it is shown while the deposit is on its way. */
function words(said: readonly MoveStatus[]): Observation[] {
  const told = said.map(wordOf);
  const substatus = told.find((word) => word !== null) ?? null;
  return said.map(({ phase }) => ({
    evidence: { kind: "provider", phase },
    change: { substatus },
    noted: "always",
  }));
}

function wordOf({ phase, substatus }: MoveStatus): string | null {
  if (phase === "refunding" || phase === "refunded") return "REFUND_IN_PROGRESS";
  if (phase === "failed") return "UNKNOWN_ERROR";
  return substatus !== null && OWN_WORDS.has(substatus) ? substatus : null;
}
