import { type Hex, hexToBigInt, size } from "viem";
import type { Query, Read, ReadResult } from "../../chains/query.ts";
import type { SimulationRead, SimulationResult } from "../../chains/simulator/simulation.ts";
import { simulatedLogs } from "../../chains/transaction.ts";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import { balanceOfRead, increaseOf, simulatePayment } from "../../orders/simulate.ts";
import type { UserCall } from "../../orders/wallet-calls.ts";
import type { AsyncDeposits, PendingDeposit } from "../../vaults/vault-adapter.ts";
import { approvedSpender, type DepositIntent } from "./order.ts";
import type { Preflight } from "./preflight.ts";

/** What a simulated deposit is judged by: reads made before it and again after it, and what they then show. */
interface ExpectedEffect {
  reads: SimulationRead[];
  /** Shares that reached the user, smallest unit of the share token; null: a request, which gives none yet. */
  judge(simulation: SimulationResult): bigint | null;
}

/** Shares for the user, at once. `judge` throws `simulation_unavailable` when they were not seen. */
export function mintEffect({ vault, user }: DepositIntent): ExpectedEffect {
  return { reads: [balanceOfRead(vault.shareToken, user)], judge: mintedShares };
}

/**
 * A request that the vault settles later: the whole amount leaves the user, and the vault has noted it, by its
 * event or its own views. `judge` throws `upstream_rejected` for a vault that takes the money without, and
 * `simulation_unavailable` where neither was seen.
 */
export function requestEffect(intent: DepositIntent, requests: AsyncDeposits): ExpectedEffect {
  const { vault, user, token } = intent;
  const pending = requests.pending(vault, { user, requestIds: [] });
  const reads = Object.values(pending.reads).map(({ to, data }) => ({ target: to, data }));
  return {
    reads: [balanceOfRead(token.address, user), ...reads],
    judge(simulation) {
      const paid = increaseOf(simulation, 0);
      if (paid === null)
        throw failure("simulation_unavailable", "the asset's balance could not be read in the simulation");
      const noted = requestedAmount({ intent, requests, pending }, simulation);
      if (paid !== -intent.amount || noted !== intent.amount)
        throw failure("upstream_rejected", `${vault.name} does not note what a request hands over`);
      return null;
    },
  };
}

interface RequestProbe {
  intent: DepositIntent;
  requests: AsyncDeposits;
  pending: Query<PendingDeposit>;
}

/**
 * What the vault noted of the request, smallest unit of the asset: by its event where a node shows logs, by its
 * views otherwise; where a family lists no requests by account, the number that the call returned vouches for it.
 */
function requestedAmount(
  { intent, requests, pending }: RequestProbe,
  simulation: SimulationResult,
): bigint | null {
  const last = simulation.calls.at(-1);
  const logs = last?.logs ? simulatedLogs(last.logs) : null;
  const seen = logs && requests.findRequest(intent.vault, { user: intent.user, logs });
  if (seen) return seen.assets ?? intent.amount;
  const [before, after] = [simulation.before.slice(1), simulation.after.slice(1)].map((answers) =>
    pending.interpret(toDecodedResults(pending.reads, answers)),
  );
  const [noted, known] = [unclaimedAssets(after), unclaimedAssets(before)];
  if (noted !== null && known !== null) return noted - known;
  if (logs !== null) return null;
  if (size(last?.returnData ?? "0x") === 32) return intent.amount;
  throw failure("simulation_unavailable", "the request could not be seen in the simulation");
}

/** All that was asked for and is not claimed. A vault may settle a request at once. */
function unclaimedAssets(pending: PendingDeposit | undefined): bigint | null {
  if (pending === undefined || pending.pendingAssets === null) return null;
  return pending.pendingAssets + (pending.claimableAssets ?? 0n);
}

function toDecodedResults(
  reads: Record<string, Read<unknown>>,
  answers: readonly (Hex | null)[],
): Record<string, ReadResult<unknown>> {
  return Object.fromEntries(
    Object.entries(reads).map(([name, { decode }], index) => [
      name,
      toDecodedResult(decode, answers[index] ?? null),
    ]),
  );
}

function toDecodedResult(decode: Read<unknown>["decode"], answer: Hex | null): ReadResult<unknown> {
  try {
    if (answer !== null) return { ok: true, value: decode(answer) };
  } catch {
    // An answer of another shape is none.
  }
  return { ok: false, revert: null };
}

/**
 * Rise of the share balance; where a node could not read balances, what the deposit returned (the Router
 * returns the rise it measured).
 */
function mintedShares(simulation: SimulationResult): bigint {
  const minted = increaseOf(simulation, 0);
  if (minted !== null) return minted;
  const returned = simulation.calls.at(-1)?.returnData ?? "0x";
  if (size(returned) === 32) return hexToBigInt(returned);
  throw failure("simulation_unavailable", "the share balance could not be read in the simulation");
}

/** What a deposit did when it was simulated from the user's address, after its approvals. */
export type SimulatedDeposit =
  | {
      ok: true;
      /** Rise of the user's share balance, smallest unit of the share token; null: a request, which gives none yet. */
      shares: bigint | null;
      /** Of the deposit transaction alone. */
      gasUsed: bigint;
      blockNumber: bigint | null;
      /** What is signed, in order: approvals still needed, then the deposit. */
      calls: UserCall[];
    }
  | { ok: false; revert: Hex; failedCall: "approval" | "deposit" };

/**
 * Runs approvals and deposit from the user's address on the head's state, the user given the money where it
 * lacks it. Throws `simulation_unavailable` when no node can, or the token keeps balances where nobody finds them.
 */
export async function simulateDeposit(
  ctx: Context,
  input: { intent: DepositIntent; checked: Preflight; deposit: UserCall; effect: ExpectedEffect },
): Promise<SimulatedDeposit> {
  const { intent, checked, deposit, effect } = input;
  const payment = {
    client: intent.client,
    payer: intent.user,
    token: intent.token.address,
    amount: intent.amount,
    spender: approvedSpender(intent),
    balance: checked.balance,
    allowance: checked.allowance,
    block: checked.block,
  };
  const made = await simulatePayment(ctx, { payment, call: deposit, reads: effect.reads });
  if (!made.ok) return made;
  const { simulation, gasUsed, calls } = made;
  return { ok: true, shares: effect.judge(simulation), gasUsed, blockNumber: simulation.blockNumber, calls };
}
