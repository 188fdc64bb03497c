import { type Hex, hexToBigInt, size } from "viem";
import type { Query, Read, ReadResult } from "../../chains/chain-query.ts";
import { simulatedLogs } from "../../chains/chain-transaction.ts";
import type { SimulationRead, SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import { balanceOfRead, increaseOf, simulatePayment } from "../../orders/simulate-payment.ts";
import type { UserCall } from "../../orders/wallet-calls.ts";
import type { AsyncDeposits, PendingDeposit } from "../../vaults/vault-adapter.ts";
import { approvedSpender, type DepositIntent } from "./deposit-order.ts";
import type { Preflight } from "./deposit-preflight.ts";

/**
 * The effect that a simulated deposit must show: reads made before and after it, and their interpretation.
 */
interface ExpectedEffect {
  reads: SimulationRead[];
  /**
   * Returns the shares that the user received, in the share token's smallest unit; null for an async request.
   */
  judge(simulation: SimulationResult): bigint | null;
}

/**
 * Expects shares for the user in the same transaction. `judge` throws `simulation_unavailable` when the
 * shares could not be read.
 */
export function mintEffect({ vault, user }: DepositIntent): ExpectedEffect {
  return { reads: [balanceOfRead(vault.shareToken, user)], judge: mintedShares };
}

/**
 * Expects an async request: the whole amount leaves the user, and the vault records it in an event or a view.
 * `judge` throws `upstream_rejected` when the vault takes the money without a request,
 * `simulation_unavailable` when neither could be read.
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
        throw failure("upstream_rejected", `${vault.name} takes the money without recording the request`);
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
 * Returns the amount that the vault recorded for the request, in the asset's smallest unit: from its event
 * where the node returns logs, else from its views. A family that lists no requests by account is trusted by
 * the request id that its call returns.
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
  throw failure("simulation_unavailable", "the simulation did not show the request");
}

/**
 * Sums all requested assets that are not yet claimed. Includes claimable ones because a vault may settle a
 * request at once.
 */
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
    // Data of a different shape counts as a failed read.
  }
  return { ok: false, revert: null };
}

/**
 * Returns the rise of the share balance; where the node could not read it, the return value of the deposit,
 * which is the rise that the Router measured.
 */
function mintedShares(simulation: SimulationResult): bigint {
  const minted = increaseOf(simulation, 0);
  if (minted !== null) return minted;
  const returned = simulation.calls.at(-1)?.returnData ?? "0x";
  if (size(returned) === 32) return hexToBigInt(returned);
  throw failure("simulation_unavailable", "the share balance could not be read in the simulation");
}

/** The result of a simulated deposit and the approvals before it. */
export type SimulatedDeposit =
  | {
      ok: true;
      /** Rise of the user's share balance in its smallest unit; null for an async request. */
      shares: bigint | null;
      /** Gas of the deposit without its approvals. */
      gasUsed: bigint;
      blockNumber: bigint | null;
      /** The calls to sign, in order: the approvals still needed, then the deposit. */
      calls: UserCall[];
    }
  | { ok: false; revert: Hex; failedCall: "approval" | "deposit" };

/**
 * Simulates a deposit with its approvals from the user's address on the head state. A user without the
 * balance receives it by a state override. Throws `simulation_unavailable` when no node can simulate or the
 * token's balance slot is unknown.
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
