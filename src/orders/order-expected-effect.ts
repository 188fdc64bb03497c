import { type Address, type Hex, hexToBigInt, size } from "viem";
import type { Query, Read, ReadResult } from "../chains/chain-reads.ts";
import { simulatedLogs } from "../chains/chain-transaction.ts";
import type { SimulationRead, SimulationResult } from "../chains/simulator/simulation.ts";
import { failure } from "../errors.ts";
import type { Token, Vault } from "../vaults/vault.ts";
import type { AsyncDeposits, PendingDeposit } from "../vaults/vault-adapter.ts";
import { balanceOfRead, increaseOf } from "./simulate-order-payment.ts";

/** A deposit of one token into a vault. `amount` is in the token's smallest unit. */
export interface VaultDeposit {
  vault: Vault;
  user: Address;
  token: Token;
  amount: bigint;
}

/**
 * What the simulation of a deposit must show (a balance change or a vault request): what to read before and after the
 * deposit, and how to interpret the results.
 */
export interface ExpectedEffect {
  reads: SimulationRead[];
  /**
   * Returns by how much the user's share balance rose (zero or negative if it did not) or, if that is unread, what the
   * call returned, in the share token's smallest unit; null for an async request. Throws an AppError if the simulation
   * does not show the effect.
   */
  interpret(simulation: SimulationResult): bigint | null;
}

/**
 * Returns the expected effect of a deposit that mints shares to the user in the same transaction. `interpret` throws
 * `simulation_unavailable` if neither the balance nor the call's result shows them.
 */
export function mintEffect({ vault, user }: VaultDeposit): ExpectedEffect {
  return { reads: [balanceOfRead(vault.shareToken, user)], interpret: mintedShares };
}

/**
 * Returns the expected effect of an async request: the whole amount leaves the user, and the vault records it.
 * `interpret` throws `upstream_rejected` if the simulation shows otherwise, `simulation_unavailable` if it shows too
 * little.
 */
export function requestEffect(intent: VaultDeposit, requests: AsyncDeposits): ExpectedEffect {
  const { vault, user, token } = intent;
  const pending = requests.pending(vault, { user, requestIds: [] });
  const reads = Object.values(pending.reads).map(({ to, data }) => ({ target: to, data }));
  return {
    reads: [balanceOfRead(token.address, user), ...reads],
    interpret(simulation) {
      const paid = increaseOf(simulation, 0);
      if (paid === null)
        throw failure("simulation_unavailable", "the asset's balance could not be read in the simulation");
      const noted = requestedAmount({ intent, requests, pending }, simulation);
      if (paid !== -intent.amount || noted !== intent.amount)
        throw failure("upstream_rejected", `${vault.name} takes the payment without recording the request`);
      return null;
    },
  };
}

interface RequestProbe {
  intent: VaultDeposit;
  requests: AsyncDeposits;
  pending: Query<PendingDeposit>;
}

/**
 * Returns the amount that the vault recorded for an async request, in the asset's smallest unit, or null if the logs
 * show no request and the views show no amount. Without both, a returned request id stands for the whole amount. Throws
 * `simulation_unavailable` if nothing shows whether there is a request.
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
  const noted = increaseOfUnclaimed(before, after);
  if (noted !== null) return noted;
  if (logs !== null) return null;
  if (size(last?.returnData ?? "0x") === 32) return intent.amount;
  throw failure("simulation_unavailable", "the simulation did not show the request");
}

/**
 * Returns by how much the requested assets that are not claimed yet increased, in the asset's smallest unit, or null if
 * unknown. Claimable assets count, if the vault shows them, because it may settle a request immediately.
 */
function increaseOfUnclaimed(
  before: PendingDeposit | undefined,
  after: PendingDeposit | undefined,
): bigint | null {
  if (before === undefined || after === undefined) return null;
  if (before.pendingAssets === null || after.pendingAssets === null) return null;
  const waiting = after.pendingAssets - before.pendingAssets;
  const [was, is] = [before.claimableAssets, after.claimableAssets];
  if (was === null || is === null) return was === is ? waiting : null;
  return waiting + is - was;
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
    // Data of an unexpected shape counts as a failed read.
  }
  return { ok: false, revert: null };
}

/**
 * Returns the increase of the user's share balance, in the share token's smallest unit, or the call's return value if
 * the balance could not be read. Throws `simulation_unavailable` if neither is known.
 */
function mintedShares(simulation: SimulationResult): bigint {
  const minted = increaseOf(simulation, 0);
  if (minted !== null) return minted;
  const returned = simulation.calls.at(-1)?.returnData ?? "0x";
  if (size(returned) === 32) return hexToBigInt(returned);
  throw failure("simulation_unavailable", "the share balance could not be read in the simulation");
}
