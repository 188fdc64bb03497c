import { type Address, type Hex, hexToBigInt, size, slice } from "viem";
import { createQuery, mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { AppError } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { VaultDeposit } from "../orders/order-expected-effect.ts";
import { encodeApprovals, type UserCall } from "../orders/order-wallet-calls.ts";
import {
  balanceOfRead,
  INCLUSION_DELAY_S,
  increaseOf,
  paymentOverrides,
  type TokenPayment,
} from "../orders/simulate-order-payment.ts";
import { adapterOf, explainExitRevert } from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositCall } from "../vaults/vault-adapter.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import type { ClosedExit } from "./decide-vault-proof.ts";

/** Name of the generic ERC-4626 adapter. For a claim with this name, the proof determines the family. */
export const GENERIC_ADAPTER = "erc4626";
/** Part of the minted shares that is redeemed, because a later block mints slightly fewer shares. */
const REDEEMED_PARTS = { of: 1_000n, parts: 999n } as const;
const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;
/** Times after a deposit at which a redemption that reverts at once is simulated again, in seconds. */
const LATER_S = [HOUR_S, DAY_S, 30 * DAY_S] as const;
/** Time after which the shares of any vault must be redeemable, in seconds; the last of `LATER_S`. */
const LONGEST_LOCK_S = 30 * DAY_S;

/** How many times the proof's shares are redeemed to see whether a vault only refuses small redemptions. */
const MANY_TIMES = 1_000n;

/** A simulated deposit whose way back is to be simulated. */
export interface ProofDeposit {
  deposit: VaultDeposit;
  payment: TokenPayment;
  call: DepositCall;
  /** Minted shares, in the share token's smallest unit. */
  shares: bigint;
}

/**
 * How the shares of a simulated deposit can be redeemed.
 * - `returned`: immediately, for so many assets (all shares, in the asset's smallest unit, rounded down). `later` is
 *   what the same shares return after 30 days, or null if that was not simulated or reverts.
 * - `waiting`: by request, after a cooldown or a lock; or no simulation can show it.
 * - `none`: not at all. `exit` is as in `ProofFinding`, or null if nothing excuses it.
 */
export type WayBack =
  | { kind: "returned"; returned: bigint; later: bigint | null }
  | { kind: "waiting" }
  | { kind: "none"; reason: string; exit: ClosedExit | null };

const WAITING = { kind: "waiting" } as const;

/**
 * Simulates the deposit followed by the redemption of 99.9% of its shares, for vaults of families whose withdrawals are
 * all instant, and for generic vaults in each of their modes until one succeeds. `waiting`, without a simulation, for
 * other vaults, and for deposits of another token than the asset (unless the only mode is a request). If every mode
 * reverts, finds out why:
 * - shares that can be redeemed an hour, a day or 30 days later are locked, which is `waiting`;
 * - if an account that holds shares without a deposit can redeem them now, its redemption in 30 days decides: if it
 *   succeeds, the deposit locks the shares for longer than that, which is `none`; otherwise nothing can be said,
 *   because the price may then be too old, which is `waiting`;
 * - `waiting` also if such an account can redeem a thousand times as many shares, or if that cannot be simulated for a
 *   vault of a known family; otherwise nobody can leave, which is `none`.
 * Throws `simulation_unavailable`; errors of the RPC nodes propagate.
 */
export async function simulateWayBack(ctx: Context, of: ProofDeposit): Promise<WayBack> {
  const { vault, token } = of.deposit;
  const modes = judgedModes(vault);
  const redeemed = mulDivDown(of.shares, REDEEMED_PARTS.parts, REDEEMED_PARTS.of);
  const measured = sameAddress(token.address, vault.asset.address);
  if (modes.length === 0 || redeemed === 0n || !(measured || modes.join() === "request")) return WAITING;
  let revert: Hex = "0x";
  for (const mode of modes) {
    const made = await simulateExit(ctx, { ...of, mode, redeemed });
    if (made === null) return WAITING;
    if (made.failedAt === null) return mode === "instant" ? returnedBy(ctx, { of, redeemed, made }) : WAITING;
    // The error of the preferred mode explains best why nobody can leave.
    if (mode === modes[0]) revert = made.calls.at(-1)?.returnData ?? "0x";
  }
  const refused = { ...of, redeemed, modes };
  return (await isLocked(ctx, refused)) ? WAITING : explainStanding(ctx, refused, revert);
}

/**
 * Returns the modes whose redemption is simulated: all of a generic vault, and `instant` if it is a family's only one;
 * otherwise none. Where a known family makes some holders wait, leaving at once may cost a fee that says nothing
 * against a deposit, and requests have conditions that a proof's amount may not meet.
 */
function judgedModes(vault: Vault): readonly ExitMode[] {
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  return vault.adapter === GENERIC_ADAPTER || modes.join() === "instant" ? modes : [];
}

/**
 * Returns a query for whether a vault's views say that withdrawals are paused in all of its modes. False, without a
 * read, if the vault's redemption is simulated instead or its family has no withdrawals. `user` is any account and
 * `now` in milliseconds since the epoch. Throws an Error if the vault's family is unknown.
 */
export function exitsPausedQuery(
  vault: Vault,
  { user, now }: { user: Address; now: number },
): Query<boolean> {
  const { exits } = adapterOf(vault);
  const modes = exits?.modes(vault) ?? [];
  if (exits === undefined || modes.length === 0 || judgedModes(vault).length > 0)
    return createQuery({}, () => false);
  const asked = {
    shares: 10n ** BigInt(vault.shareDecimals),
    owner: user,
    caller: user,
    receiver: user,
    now,
  };
  const terms = modes.map((mode) => {
    const token = exits.tokens(vault, mode)[0] ?? vault.asset;
    return [mode, exits.terms(vault, { ...asked, mode, token })] as const;
  });
  return mapQuery(queryAll(Object.fromEntries(terms)), (read) =>
    Object.values(read).every(({ paused, refusal }) => paused || refusal === "exits_paused"),
  );
}

type Redemption = ProofDeposit & { redeemed: bigint; modes: readonly ExitMode[] };

/**
 * Returns what a successful redemption paid, and for a generic vault what it would pay 30 days later. `waiting` if the
 * payment is unknown, or if it is 0 and the vault has further modes.
 */
async function returnedBy(
  ctx: Context,
  { of, redeemed, made }: { of: ProofDeposit; redeemed: bigint; made: SimulationResult },
): Promise<WayBack> {
  const { vault } = of.deposit;
  const returned = paidFor(of, made);
  // A vault that may let holders wait did so.
  if (returned === null || (returned === 0n && (adapterOf(vault).exits?.modes(vault).length ?? 0) > 1))
    return WAITING;
  const later =
    vault.adapter === GENERIC_ADAPTER
      ? await simulateLater(ctx, { ...of, mode: "instant", redeemed, after: LONGEST_LOCK_S })
      : null;
  return { kind: "returned", returned, later: later?.failedAt === null ? paidFor(of, later) : null };
}

/** Returns the assets that a simulated redemption paid for all shares, rounded down, or null if unknown. */
function paidFor({ deposit }: ProofDeposit, made: SimulationResult): bigint | null {
  const change = increaseOf(made, 0);
  const paid = change === null ? wordOf(made.calls.at(-1)?.returnData) : deposit.amount + change;
  return paid === null ? null : mulDivDown(paid, REDEEMED_PARTS.of, REDEEMED_PARTS.parts);
}

/**
 * Returns true if the shares can be redeemed an hour, a day or 30 days later, so that they are only locked at first.
 * False also if no node can simulate a later block.
 */
async function isLocked(ctx: Context, of: Redemption): Promise<boolean> {
  for (const after of LATER_S) {
    for (const mode of of.modes) {
      const made = await simulateLater(ctx, { ...of, mode, after });
      if (made === null) return false;
      if (made.failedAt === null) return true;
    }
  }
  return false;
}

/** Returns why the shares cannot be redeemed (`none`), or `waiting` if it cannot be known: see `simulateWayBack`. */
async function explainStanding(ctx: Context, of: Redemption, revert: Hex): Promise<WayBack> {
  const { vault } = of.deposit;
  const { code, text } = explainExitRevert(vault, revert);
  const reverts = `a redemption reverts${text === null ? " without a reason" : `: ${text}`}`;
  const holder = await canHoldersLeave(ctx, { ...of, after: 0 });
  if (holder === true) {
    // Holders can leave now. If they can 30 days later too, it is the deposit that keeps the shares in the vault.
    const later = await canHoldersLeave(ctx, { ...of, after: LONGEST_LOCK_S });
    if (later !== true) return WAITING;
    return { kind: "none", exit: null, reason: `new shares stay locked for over 30 days: ${reverts}` };
  }
  if (holder === null && vault.adapter !== GENERIC_ADAPTER) return WAITING;
  // A vault may refuse to redeem less than a minimum that the proof's amount does not reach.
  const many = { ...of, redeemed: of.redeemed * MANY_TIMES, after: 0 };
  if (holder === false && (await canHoldersLeave(ctx, many)) === true) return WAITING;
  const illiquid = code === "no_liquidity" && vault.adapter !== GENERIC_ADAPTER;
  const says = code === "no_liquidity" || code === "exits_paused" || code === "price_stale";
  const onRequest = of.modes.join() === "request";
  const exit = illiquid ? "illiquid" : says || onRequest ? "stopped" : null;
  const what = onRequest ? reverts.replace("redemption", "redemption request") : reverts;
  return { kind: "none", exit, reason: onRequest ? what : `nobody can leave: ${what}` };
}

/**
 * Returns whether an account that holds shares without having received them by a deposit can redeem them, `after`
 * seconds from now. The same account deposits for another one before, so that the vault holds what it pays. Null if
 * that deposit fails, if no node can simulate it, or if the share token's balances cannot be set.
 */
async function canHoldersLeave(ctx: Context, of: Redemption & { after: number }): Promise<boolean | null> {
  const { deposit, payment, redeemed, modes, after } = of;
  const held = { token: deposit.vault.shareToken, amount: redeemed, balance: 0n, allowance: 0n };
  try {
    const shares = await paymentOverrides(ctx, { ...payment, ...held });
    const overrides = [...(await paymentOverrides(ctx, payment)), ...shares];
    const { entry, common } = entryOf(ctx, { ...of, forOther: true });
    for (const mode of modes) {
      const exit = exitCalls({ ...of, mode });
      const made = await runSimulation(payment.client, {
        ...{ ...common, overrides },
        ...inTime({ entry, exit, time: common.time, after: after === 0 ? undefined : after }),
      });
      if (made.failedAt === null) return true;
      if (made.failedAt < entry.length) return null;
    }
    return false;
  } catch (error) {
    if (error instanceof AppError && error.code === "simulation_unavailable") return null;
    throw error;
  }
}

/** Returns the calls that deposit, for the user or another account, and what the simulations have in common. */
function entryOf(ctx: Context, of: ProofDeposit & { forOther?: true }) {
  const { deposit, payment, call, forOther } = of;
  const { vault, user, token, amount } = deposit;
  const other = slice(`0x${ctx.randomId()}${ctx.randomId()}`, 0, 20);
  const request = { token, amount, caller: user, receiver: other, minShares: 1n, async: false };
  const made = forOther === true ? adapterOf(vault).encode(vault, request) : call;
  const time = payment.block.timestamp + INCLUSION_DELAY_S;
  return {
    entry: [...encodeApprovals({ ...payment, reset: false }), userCall(made)],
    common: {
      ...{ user, time, standsAlone: false, setting: payment.setting ?? null },
      reads: [balanceOfRead(token.address, user)],
    },
  };
}

/** Returns the calls of a deposit and an exit in one block or, if `after` is given, in two so many seconds apart. */
const inTime = (of: {
  entry: readonly UserCall[];
  exit: readonly UserCall[];
  time: number;
  after: number | undefined;
}) =>
  of.after === undefined
    ? { calls: [...of.entry, ...of.exit] }
    : { calls: of.entry, later: { calls: of.exit, time: of.time + of.after } };

/** As `simulateExit`, but redeems in a later block. Null also if no node can simulate that. */
async function simulateLater(
  ctx: Context,
  of: ProofDeposit & { mode: ExitMode; redeemed: bigint; after: number },
): Promise<SimulationResult | null> {
  try {
    return await simulateExit(ctx, of);
  } catch (error) {
    if (error instanceof AppError && error.code === "simulation_unavailable") return null;
    throw error;
  }
}

/**
 * Simulates the deposit and the redemption of some of its shares, `after` seconds later or, if absent, immediately.
 * Returns null if the deposit itself failed then.
 */
async function simulateExit(
  ctx: Context,
  of: ProofDeposit & { mode: ExitMode; redeemed: bigint; after?: number },
): Promise<SimulationResult | null> {
  const { entry, common } = entryOf(ctx, of);
  const exit = exitCalls(of);
  const made = await runSimulation(of.payment.client, {
    ...{ ...common, overrides: await paymentOverrides(ctx, of.payment) },
    ...inTime({ entry, exit, time: common.time, after: of.after }),
  });
  return made.failedAt !== null && made.failedAt < entry.length ? null : made;
}

/**
 * Returns the calls that redeem shares in a mode, or request it: the approval that the exit may need, then the exit.
 */
function exitCalls(of: Pick<ProofDeposit, "deposit"> & { mode: ExitMode; redeemed: bigint }): UserCall[] {
  const { mode, redeemed } = of;
  const { vault, user } = of.deposit;
  const { exits } = adapterOf(vault);
  const token = vault.asset;
  const request = { mode, token, shares: redeemed, owner: user, caller: user, receiver: user, minAssets: 0n };
  const exit = exits?.encode(vault, request);
  if (exits === undefined || exit === undefined) return [];
  const spender = exit.spender ?? exits.mayNeedAllowance?.(vault, mode) ?? null;
  const allowance = { token: vault.shareToken, amount: redeemed, allowance: 0n, reset: false };
  return [...(spender === null ? [] : encodeApprovals({ ...allowance, spender })), userCall(exit)];
}

const userCall = ({ target, data }: Pick<DepositCall, "target" | "data">): UserCall => ({
  target,
  value: 0n,
  data,
});

const wordOf = (data: Hex | undefined): bigint | null =>
  data !== undefined && size(data) === 32 ? hexToBigInt(data) : null;
