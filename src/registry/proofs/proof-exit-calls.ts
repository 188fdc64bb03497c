import { slice } from "viem";
import type { SimulationCall } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import type { VaultDeposit } from "../../orders/order-expected-effect.ts";
import { encodeApprovals, type UserCall } from "../../orders/order-wallet-calls.ts";
import { balanceOfRead, INCLUSION_DELAY_S, type TokenPayment } from "../../orders/simulate-order-payment.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { DepositCall } from "../../vaults/vault-adapter.ts";
import type { ProofExit } from "./proof-exit-ways.ts";
import { PROOF_SLIPPAGE } from "./proof-worth.ts";

/** A simulated deposit whose way back is to be simulated. */
export interface ProofDeposit {
  deposit: VaultDeposit;
  payment: TokenPayment;
  call: DepositCall;
  /** Minted shares, in the share token's smallest unit. */
  shares: bigint;
  /** Gas limit of the deposit as a wallet sets it, or null for the setting's. */
  gas: bigint | null;
  /** How many times the amount the larger deposits are, the largest first: see `agedTimes`. */
  larger: readonly bigint[];
  /** The ways out to simulate, the preferred first. */
  ways: readonly ProofExit[];
}

/**
 * A redemption of the shares of a simulated deposit. `redeemed` is the number of redeemed shares, all or a part, in the
 * share token's smallest unit.
 */
export interface Redemption extends ProofDeposit, ProofExit {
  redeemed: bigint;
  /** Gas limit of the redemption; the setting's if absent. */
  exitGas?: bigint;
}

/**
 * Returns what the simulations of a deposit's way back share: the approvals and the deposit (`entry`), and other input
 * (`common`). With `forOther`, the shares go to a new random account, and the deposit has no gas limit of its own.
 */
export function entryOf(ctx: Context, of: ProofDeposit & { forOther?: true }) {
  const { deposit, payment, call, forOther } = of;
  const { vault, user, token, amount } = deposit;
  const other = slice(`0x${ctx.randomId()}${ctx.randomId()}`, 0, 20);
  const request = { token, amount, caller: user, receiver: other, minShares: 1n, async: false };
  const made = forOther === true ? adapterOf(vault).encode(vault, request) : call;
  const time = payment.block.timestamp + INCLUSION_DELAY_S;
  const limit = of.gas === null || forOther === true ? {} : { gas: of.gas };
  return {
    entry: [...encodeApprovals({ ...payment, reset: false }), { ...userCall(made), ...limit }],
    common: {
      ...{ user, time, standsAlone: false, setting: payment.setting ?? null },
      reads: [balanceOfRead(token.address, user)],
    },
  };
}

/**
 * Returns the calls of a deposit and an exit: in one block at `time`; with `after`, the exit in a block that many
 * seconds later; with `delay`, both in a block that many seconds later.
 */
export function inTime(of: {
  entry: readonly SimulationCall[];
  exit: readonly SimulationCall[];
  time: number;
  after?: number | undefined;
  delay?: number | undefined;
}) {
  const { entry, exit, time, after, delay } = of;
  if (delay !== undefined) return { calls: [], later: [{ calls: [...entry, ...exit], time: time + delay }] };
  if (after === undefined) return { calls: [...entry, ...exit] };
  return { calls: entry, later: [{ calls: exit, time: time + after }] };
}

/**
 * Returns the user's calls that redeem shares by a way out, or request that: the approval that the exit may need, then
 * the exit. Empty if the vault's family has no withdrawals.
 */
export function exitCalls(
  of: Pick<Redemption, "deposit" | "redeemed" | "exitGas"> & ProofExit,
): SimulationCall[] {
  const { mode, token, variant, redeemed, exitGas } = of;
  const { vault, user } = of.deposit;
  const { exits } = adapterOf(vault);
  const accounts = { owner: user, caller: user, receiver: user };
  const exit = exits?.encode(vault, {
    ...{ mode, token, variant, shares: redeemed, ...accounts, minAssets: 0n, slippage: PROOF_SLIPPAGE },
  });
  if (exits === undefined || exit === undefined) return [];
  const spender = exit.spender ?? exits.mayNeedAllowance?.(vault, mode) ?? null;
  const allowance = { token: vault.shareToken, amount: redeemed, allowance: 0n, reset: false };
  const call = { ...userCall(exit), ...(exitGas === undefined ? {} : { gas: exitGas }) };
  return [...(spender === null ? [] : encodeApprovals({ ...allowance, spender })), call];
}

/** Returns a call as the user's wallet sends it, without value. */
export const userCall = ({ target, data }: Pick<DepositCall, "target" | "data">): UserCall => ({
  target,
  value: 0n,
  data,
});
