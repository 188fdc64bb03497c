import { pad } from "viem";
import { OWN_VAULT, USDC } from "./contracts.ts";
import {
  type Chains,
  type Delivered,
  describe,
  mintedIn,
  type Place,
  placesOf,
  type ShownDeposit,
} from "./recount.ts";

/**
 * Checks the second steps. They contain no order reference, so those of one user and amount may belong to any of the
 * deposits whose token was delivered before; only their number must match.
 */
export function checkSecondSteps(chains: Chains, delivered: readonly Delivered[]): void {
  const pools = new Map<string, Delivered[]>();
  for (const one of delivered) {
    const key = `${one.deposit.user} ${one.truth.delivered}`;
    pools.set(key, [...(pools.get(key) ?? []), one]);
  }
  for (const pool of pools.values()) {
    const [first] = pool;
    if (first === undefined) continue;
    const steps = secondStepsOf(chains, first);
    const free = [...steps];
    let completed = 0;
    for (const { deposit, shown, truth } of pool) {
      if (shown.state === "awaiting_deposit") continue;
      completed += 1;
      const at = free.findIndex(({ included }) => included.sent.hash === shown.deposit_tx_hash);
      const [step] = at === -1 ? [] : free.splice(at, 1);
      const fault = faultOf({ deposit, shown, truth }, step);
      if (fault !== null)
        throw new Error(`${deposit.trackingId} is ${shown.state} by ${shown.deposit_tx_hash}: ${fault}`);
    }
    const due = mostSteps(pool, steps);
    if (completed < due)
      throw new Error(
        `${completed} of ${due} second steps are seen: ${describe(pool)}; chain: ${steps.map(({ included }) => included.sent.hash).join(", ")}`,
      );
  }
}

/**
 * Returns the maximum number of second steps that can each be matched with a deposit whose token was delivered before.
 */
function mostSteps(pool: readonly Delivered[], steps: readonly Place[]): number {
  const arrived = pool.map(({ truth }) => truth.deliveredIn).sort((a, b) => b - a);
  let given = 0;
  for (const { block } of [...steps].sort((a, b) => b.block.number - a.block.number)) {
    const at = arrived.findIndex((number) => number <= block.number);
    if (at === -1) continue;
    arrived.splice(at, 1);
    given += 1;
  }
  return given;
}

/** Returns the user's deposits of the delivered amount, oldest first. */
function secondStepsOf(chains: Chains, { deposit, truth }: Delivered): Place[] {
  const token = USDC[deposit.homeId]?.toLowerCase();
  const paid = pad(OWN_VAULT).toLowerCase();
  const payer = pad(deposit.user).toLowerCase();
  return placesOf(chains[deposit.homeId], deposit.user).filter(({ included }) =>
    included.logs.some(
      ({ address, topics, data }) =>
        address === token && topics[1] === payer && topics[2] === paid && BigInt(data) === truth.delivered,
    ),
  );
}

/** Returns a description of what is wrong with a deposit that a second step completed, or null. */
function faultOf({ deposit, shown, truth }: Delivered, step: Place | undefined): string | null {
  if (step === undefined) return "that is no second step, or another deposit's";
  if (step.block.number < truth.deliveredIn) return "that was before its token arrived";
  const shares = mintedIn(step.included, deposit).toString();
  return shown.shares === shares ? null : `${shown.shares} shares, the chain says ${shares}`;
}

/** Returns true if two deposits are one, or one is the continuation of the other, so that both have its transaction. */
export const shareTransactions = (one: ShownDeposit, other: ShownDeposit): boolean =>
  [other.tracking_id, other.parent_tracking_id].includes(one.tracking_id) ||
  one.parent_tracking_id === other.tracking_id;
