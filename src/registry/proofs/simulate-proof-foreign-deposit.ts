import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { runSimulation, type SimulationInput } from "../../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { AppError } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";
import type { VaultDeposit } from "../../orders/order-expected-effect.ts";
import { encodeApprovals } from "../../orders/order-wallet-calls.ts";
import {
  balanceOfRead,
  GAS_FUNDS,
  INCLUSION_DELAY_S,
  increaseOf,
  paymentOverrides,
  type TokenPayment,
} from "../../orders/simulate-order-payment.ts";
import { adapterOf } from "../../vaults/families/vault-families.ts";
import type { DepositTerms } from "../../vaults/vault-adapter.ts";
import { GENERIC_ADAPTER } from "./proof-exit-ways.ts";
import { freshAccount, isWorth, isWorthIt, largerTimes } from "./proof-worth.ts";
import { wordOf } from "./simulate-proof-exit.ts";

interface ForeignDeposit {
  deposit: VaultDeposit;
  payment: TokenPayment;
  terms: DepositTerms;
}

/**
 * What a deposit for another account minted: shares worth it (`paid`), fewer (`short`), fewer as the vault's own
 * preview said (`stated`), or none, usually because it reverted.
 */
type Minted = "paid" | "short" | "stated" | "none";

/** Code of a contract that does nothing: one `STOP`. */
const CONTRACT_CODE: Hex = "0x00";
const previewAbi = once(() => parseAbi(["function previewDeposit(uint256) view returns (uint256)"]));

/**
 * Simulates deposits by a contract for another account, as the Router's executor makes them. `takes` is false if they
 * show that a generic ERC-4626 vault rejects them; `cheats` is why the minted shares count against the vault, or null.
 * Simulates nothing (`takes` is true) if the vault's `caller` is the user. Throws `simulation_unavailable` and errors of
 * the RPC nodes.
 */
export async function simulateForOthers(
  ctx: Context,
  of: ForeignDeposit,
): Promise<{ takes: boolean; cheats: string | null }> {
  const { deposit } = of;
  if (deposit.vault.caller !== "router") return { takes: true, cheats: null };
  const usual = deposit.amount;
  // Limits that no view shows may reject a larger amount, and vaults that trade what they take state a worse price.
  for (const amount of [...largerAmounts(ctx, of), usual]) {
    const minted = await judgeForOther(ctx, { ...of, amount });
    if (minted === "paid") return { takes: true, cheats: null };
    if (minted !== "short") continue;
    const always = amount === usual || (await judgeForOther(ctx, { ...of, amount: usual })) === "short";
    const what = always ? "a deposit by a contract" : "a larger deposit by a contract";
    return { takes: true, cheats: `${what} mints shares that are worth much less than the deposit` };
  }
  return { takes: deposit.vault.adapter !== GENERIC_ADAPTER, cheats: null };
}

/**
 * Returns a much larger and a somewhat larger amount than the proof's, both unforeseeable, as far as the vault's limit
 * allows.
 */
function largerAmounts(ctx: Context, of: ForeignDeposit): bigint[] {
  const { amount } = of.deposit;
  const { maxDeposit } = of.terms;
  const chance = BigInt(`0x${ctx.randomId().slice(0, 8)}`) % 100_000n;
  const somewhat = 2n * amount + (2n * amount * chance) / 100_000n;
  const least = maxDeposit === null || maxDeposit > somewhat ? somewhat : maxDeposit;
  return [...new Set([largerTimes(ctx, of) * amount, least])].filter((one) => one > amount);
}

/** Simulates the deposit of an amount for the proof's account and judges the minted shares. */
async function judgeForOther(ctx: Context, of: ForeignDeposit & { amount: bigint }): Promise<Minted> {
  const { deposit, terms, amount } = of;
  const { shares, preview } = await mintedForOther(ctx, of);
  if (shares === 0n) return "none";
  if (isWorthIt({ deposit: { ...deposit, amount }, terms, shares })) return "paid";
  const isLarge = amount > 4n * deposit.amount;
  const stated = preview !== null && isWorth(deposit, { amount: preview, returned: shares });
  return isLarge && stated ? "stated" : "short";
}

/**
 * Returns the shares that a deposit by a contract mints to another account, 0 if it reverts or they are unknown, and
 * the vault's preview, null if it has none.
 */
async function mintedForOther(
  ctx: Context,
  of: ForeignDeposit & { amount: bigint },
): Promise<{ shares: bigint; preview: bigint | null }> {
  const { deposit, payment, amount } = of;
  const { vault, user, token } = deposit;
  const [payer, origin] = [freshAccount(ctx), freshAccount(ctx)];
  const request = { token, amount, caller: payer, receiver: user, minShares: 1n, async: false };
  const { target, data, sharesTo } = adapterOf(vault).encode(vault, request);
  const holder = sharesTo === "caller" ? payer : user;
  const paid = { ...payment, payer, amount };
  const made = await simulateByContract(payment.client, {
    ...{ user: payer, origin, standsAlone: false, setting: payment.setting ?? null },
    calls: [...encodeApprovals({ ...paid, reset: false }), { target, value: 0n, data }],
    reads: [balanceOfRead(vault.shareToken, holder), previewRead(vault.address, amount)],
    overrides: await paymentOverrides(ctx, paid),
    time: payment.block.timestamp + INCLUSION_DELAY_S,
  });
  const minted = made.failedAt === null ? increaseOf(made, 0) : null;
  return {
    shares: minted !== null && minted > 0n ? minted : 0n,
    preview: wordOf(made.before[1] ?? undefined),
  };
}

/**
 * Simulates calls that the user makes as a contract in a transaction of `origin`; or in its own, if no node can
 * simulate that.
 */
async function simulateByContract(
  client: ChainClient,
  input: SimulationInput & { origin: Address },
): Promise<SimulationResult> {
  const { user, origin, overrides, setting, ...rest } = input;
  const gas = { address: origin, balance: setting?.funds ?? GAS_FUNDS };
  try {
    return await runSimulation(client, { ...input, overrides: [...overrides, gas] });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "simulation_unavailable")) throw error;
    const withCode = overrides.map((one) =>
      sameAddress(one.address, user) ? { ...one, code: CONTRACT_CODE } : one,
    );
    return runSimulation(client, { ...rest, user, setting: setting ?? null, overrides: withCode });
  }
}

const previewRead = (target: Address, amount: bigint) => ({
  target,
  data: encodeFunctionData({ abi: previewAbi(), functionName: "previewDeposit", args: [amount] }),
});
