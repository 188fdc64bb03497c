import type { Query, Read, ReadResult } from "../../chains/chain-reads.ts";
import { simulatedLogs } from "../../chains/chain-transaction.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { sameAddress } from "../../lib/address.ts";
import { mulDivDown } from "../../lib/amount.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { increaseOf } from "../../orders/simulate-order-payment.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { PendingExit } from "../../vaults/vault-exits.ts";
import { entryOf, type Redemption } from "./proof-exit-calls.ts";
import { isWorth } from "./proof-worth.ts";
import { simulateLater } from "./simulate-proof-exit.ts";

/** A redemption or request that succeeded, and its simulation with the reads of `simulateExit`. */
type MadeExit = Redemption & { made: SimulationResult };

/** Part of a deposit that leaving at once must pay whatever the vault states: no known family's fee takes half. */
const LEAST_PAID = 2n;
/** Maximum number of simulations in which a vault's open requests are read. */
const MAX_ROUNDS = 4;

/**
 * Returns why a successful exit counts against a vault that may let holders wait: it paid nothing or much less than the
 * vault states, and no request is recorded that would pay the rest. Null if it was paid or recorded, or if the
 * simulation does not show it. Errors of the RPC nodes propagate.
 */
export async function findUnpaidExit(ctx: Context, of: MadeExit): Promise<string | null> {
  const { deposit, mode, token, made } = of;
  const change = sameAddress(token.address, deposit.token.address) ? increaseOf(made, 0) : null;
  // What is paid in another token is not measured.
  if (change === null && mode === "instant") return null;
  const paid = change === null ? 0n : mulDivDown(deposit.amount + change, of.shares, of.redeemed);
  const isPaid = paid > 0n && isWorth(deposit, { amount: leastPaid(of), returned: paid });
  if (isPaid || (await isRecorded(ctx, of))) return null;
  const what = paid === 0n ? "nothing" : "much less than the vault states";
  return `a redemption of the shares pays ${what}, and no request is recorded`;
}

/** Returns what the exit must pay for all shares, in the token's smallest unit, rounded down. */
function leastPaid({ deposit, mode, shares, stated }: Redemption): bigint {
  const least = deposit.amount / LEAST_PAID;
  // What a request states is paid later, perhaps less a fee for being paid at once.
  if (mode !== "instant" || stated === null) return least;
  const promised = mulDivDown(stated, shares, 10n ** BigInt(deposit.vault.shareDecimals));
  return promised > least ? promised : least;
}

/**
 * Returns true if the exit recorded a request: by the family's event and, as far as they can be read, by its views. True
 * also if the nodes do not show that.
 */
async function isRecorded(ctx: Context, of: MadeExit): Promise<boolean> {
  const { vault, user } = of.deposit;
  const { exits } = adapterOf(vault);
  const logs = of.made.calls.at(-1)?.logs ?? null;
  if (logs === null) return true;
  const request = exits?.findRequest?.(vault, { user, logs: simulatedLogs(logs) }) ?? null;
  if (request === null) return false;
  const requestIds = request.requestId === null ? [] : [request.requestId];
  const now = entryOf(ctx, of).common.time * SECOND_MS;
  const pending = exits?.pending?.(vault, { user, requestIds, now });
  const open = pending === undefined ? "unknown" : await readAfter(ctx, { of, query: pending });
  if (open === "unknown") return true;
  // The event of a redemption that queues a part is that of any redemption, so that only the views show a request.
  return open === null ? exits?.redeemQueues !== true : open.length > 0;
}

/** Returns the result of a query after the exit, or `unknown` if no node can simulate it or it takes many batches. */
async function readAfter(
  ctx: Context,
  { of, query }: { of: Redemption; query: Query<readonly PendingExit[] | null> },
): Promise<readonly PendingExit[] | null | "unknown"> {
  let current = query;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const reads = Object.values(current.reads);
    const made = await simulateLater(ctx, {
      ...of,
      reads: reads.map(({ to, data }) => ({ target: to, data })),
    });
    if (made?.failedAt !== null) return "unknown";
    const answers = made.after.slice(-reads.length);
    const results = Object.fromEntries(
      Object.entries(current.reads).map(([name, read], index) => [name, resultOf(read, answers[index])]),
    );
    const next = current.next?.(results) ?? null;
    if (next === null) return current.interpret(results);
    current = next;
  }
  return "unknown";
}

function resultOf(read: Read<unknown>, answer: SimulationResult["after"][number] | undefined) {
  const failed: ReadResult<unknown> = { ok: false, revert: null };
  if (answer == null) return failed;
  try {
    return { ok: true, value: read.decode(answer) } as const;
  } catch {
    return failed;
  }
}
