import { z } from "@hono/zod-openapi";
import type { Hex, StateOverride } from "viem";
import { balanceOverride, findBalanceLayout } from "../chains/balance-slot.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { simulate } from "../chains/simulate.ts";
import type { SlotLayout } from "../chains/simulator/slots.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import type { CheckedDeposit } from "./check.ts";
import type { Effect } from "./effect.ts";
import { encodeApprovals, type UserCall } from "./encode.ts";
import { approvedSpender, type Intent, paysNative } from "./intent.ts";

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

const DAY_MS = 86_400_000;
/** How far after the head the deposit is simulated, seconds: about when it will be included. */
const AHEAD_S = 30;
/** For gas and fees, on top of what the transaction sends; the user's real balance plays no part here. */
const GAS_MONEY = 10n ** 21n;

/**
 * Runs approvals and deposit from the user's address on the head's state, the user given the money where it
 * lacks it. Throws `simulation_unavailable` when no node can, or the token keeps balances where nobody finds them.
 */
export async function simulateDeposit(
  ctx: Context,
  input: { intent: Intent; checked: CheckedDeposit; deposit: UserCall; effect: Effect },
): Promise<SimulatedDeposit> {
  const { intent, checked, deposit, effect } = input;
  const overrides = await overridesFor(ctx, { intent, checked });
  const time = checked.block.timestamp + AHEAD_S;
  const funded = checked.balance !== null && checked.balance >= intent.amount;
  const standing = checked.allowance ?? 0n;
  const partial = standing > 0n && standing < intent.amount;
  const attempts = [approvals(intent, { standing, reset: partial })];
  // A few tokens refuse to approve zero; whoever refuses the reset is asked without it.
  if (partial) attempts.push(approvals(intent, { standing, reset: false }));
  let outcome: SimulatedDeposit | null = null;
  for (const before of attempts) {
    outcome = await run(intent, { before, deposit, effect, overrides, time, funded });
    if (outcome.ok || outcome.failedCall === "deposit") return outcome;
  }
  return outcome ?? { ok: false, revert: "0x", failedCall: "approval" };
}

function approvals(intent: Intent, state: { standing: bigint; reset: boolean }): UserCall[] {
  if (paysNative(intent) || state.standing >= intent.amount) return [];
  const approval = { token: intent.token.address, spender: approvedSpender(intent), amount: intent.amount };
  return encodeApprovals({ ...approval, reset: state.reset });
}

interface Plan {
  before: UserCall[];
  deposit: UserCall;
  effect: Effect;
  overrides: StateOverride;
  time: number;
  funded: boolean;
}

async function run(intent: Intent, plan: Plan): Promise<SimulatedDeposit> {
  const calls = [...plan.before, plan.deposit];
  const { overrides, time, effect } = plan;
  const { reads } = effect;
  const standsAlone = calls.length === 1 && plan.funded;
  const input = { user: intent.user, calls, reads, overrides, time, standsAlone };
  const simulation = await simulate(intent.client, input);
  const last = simulation.calls.at(-1);
  if (simulation.failedAt !== null || last === undefined) {
    const failedCall = simulation.failedAt === calls.length - 1 ? "deposit" : "approval";
    return { ok: false, revert: last?.returnData ?? "0x", failedCall };
  }
  return {
    ok: true,
    shares: effect.judge(simulation),
    gasUsed: last.gasUsed,
    blockNumber: simulation.blockNumber,
    calls,
  };
}

async function overridesFor(
  ctx: Context,
  input: { intent: Intent; checked: CheckedDeposit },
): Promise<StateOverride> {
  const { intent, checked } = input;
  const value = paysNative(intent) ? intent.amount : 0n;
  const gas = { address: intent.user, balance: value + GAS_MONEY };
  if (paysNative(intent) || (checked.balance !== null && checked.balance >= intent.amount)) return [gas];
  const layout = await balanceLayout(ctx, intent).catch((error: unknown) => {
    if (error instanceof RpcError) return null;
    throw error;
  });
  if (layout === null) {
    throw failure(
      "simulation_unavailable",
      "the account does not hold the amount, and this token's balances cannot be set in a simulation",
    );
  }
  const holding = { token: intent.token.address, account: intent.user, amount: intent.amount };
  return [gas, balanceOverride(holding, layout)];
}

const LayoutSchema: z.ZodType<SlotLayout> = z.union([
  z.object({ order: z.enum(["solidity", "vyper"]), base: z.bigint() }),
  z.object({ order: z.literal("solady") }),
]);

/** A token's storage layout is looked for once a day. */
async function balanceLayout(ctx: Context, intent: Intent): Promise<SlotLayout> {
  const token = intent.token.address;
  const { value } = await ctx.cache.cached({
    key: `layout:${intent.vault.chainId}:${token.toLowerCase()}`,
    schema: LayoutSchema,
    freshMs: DAY_MS,
    staleMs: DAY_MS,
    keepMs: DAY_MS,
    // Not found is not kept: the node may have been at fault.
    load: async () => {
      const layout = await findBalanceLayout(intent.client, token);
      if (layout === null) throw new RpcError("unsupported", "no known balance layout");
      return layout;
    },
  });
  return value;
}
