import { createQuery, queryAll } from "../../chains/chain-reads.ts";
import type { SimulationResult } from "../../chains/simulator/simulation.ts";
import type { Context } from "../../context.ts";
import { AppError, failure } from "../../errors.ts";
import { sameAddress } from "../../lib/address.ts";
import { mulDivDown } from "../../lib/amount.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import {
  type ExpectedEffect,
  mintEffect,
  requestEffect,
  type VaultDeposit,
} from "../../orders/order-expected-effect.ts";
import { gasLimit } from "../../orders/order-wallet-calls.ts";
import {
  canSetBalances,
  simulatedHead,
  simulatePayment,
  type TokenPayment,
} from "../../orders/simulate-order-payment.ts";
import {
  adapterOf,
  asyncDepositsOf,
  explainVaultRevert,
  findFamily,
} from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositCall, DepositTerms, Refusal } from "../../vaults/vault-adapter.ts";
import { readUncached } from "../../vaults/vault-state.ts";
import type { ClosedExit } from "./decide-vault-proof.ts";
import { userCall } from "./proof-exit-calls.ts";
import { readProofSetting } from "./proof-simulation-setting.ts";
import { agedTimes, freshAccount, isWorth, isWorthIt, MAX_YEARLY_FEE } from "./proof-worth.ts";
import { simulateForOthers } from "./simulate-proof-foreign-deposit.ts";
import {
  exitsPausedQuery,
  GENERIC_ADAPTER,
  simulateWayBack,
  type WayBack,
} from "./simulate-proof-way-back.ts";

/** Result of a simulated deposit into a vault. */
export interface SimulatedProof {
  /** As in `ProofFinding`. */
  kind: "passed" | "refused" | "closed";
  /** Human-readable reason why the vault was refused or is closed; empty if the proof passed. */
  reason: string;
  /**
   * Block on whose state the deposit was simulated. If it reverted or was not simulated, the block at which the vault's
   * views were read before.
   */
  blockNumber: number | null;
  /**
   * Amount of the deposit that was or would have been simulated, in the token's smallest unit, or null if the vault's
   * views decided without a simulation.
   */
  amount: bigint | null;
  /**
   * Minted shares in the share token's smallest unit; null if nothing was simulated, if the deposit reverted, or for a
   * deposit request.
   */
  shares: bigint | null;
  /**
   * Assets that redeeming all shares at once returns, in the asset's smallest unit, rounded down. Null unless the way
   * back is `returned` (see `WayBack`).
   */
  returned: bigint | null;
  /**
   * True if the simulations show that the vault takes deposits only from the receiver of the shares, so that the Router
   * cannot deposit for users.
   */
  userOnly: boolean;
  /** As in `ProofFinding`. */
  exit: ClosedExit | null;
}

/**
 * Largest part of its profits that a vault may keep, as a fraction: the limit in the contracts of most curated vaults
 * (MetaMorpho, Morpho Vault V2, Yearn's strategies, Lagoon).
 */
const MAX_PROFIT_FEE = 0.5;

/**
 * Simulates the deposit that proves a vault, on the real state of the chain, its way back and deposits by a contract,
 * unless the views already rule it out. The amount is one whole token within the vault's limits, or 1,000 where less
 * reverts. Throws `chain_unsupported`, `simulation_unavailable`, and errors of the RPC nodes.
 */
export async function simulateProof(ctx: Context, vault: Vault): Promise<SimulatedProof> {
  const user = freshAccount(ctx);
  const token =
    vault.acceptedAssets.find(({ address }) => sameAddress(address, vault.asset.address)) ??
    vault.acceptedAssets[0] ??
    vault.asset;
  const usual = { vault, user, token, amount: 10n ** BigInt(token.decimals) };
  let read = await readTerms(ctx, usual);
  const deposit = { ...usual, amount: amountWithin(read.terms, usual.amount) };
  if (deposit.amount !== usual.amount) read = await readTerms(ctx, deposit);
  const refusal = refusalOf(deposit, read.terms) ?? feeRefusal(read);
  if (refusal !== null) return { ...NOTHING_SEEN, ...refusal, blockNumber: read.block.number };
  if (read.exitsPaused) return { ...NOTHING_SEEN, ...EXITS_PAUSED, blockNumber: read.block.number };
  return simulateDeposit(ctx, { deposit, ...read });
}

const NOTHING_SEEN = { amount: null, shares: null, returned: null, userOnly: false, exit: null } as const;

/** Fees of a vault as fractions, null if unknown: on its profits, and on its assets in a year. */
interface Fees {
  profitFee: number | null;
  yearlyFee: number | null;
}

type ReadTerms = Fees & { terms: DepositTerms; exitsPaused: boolean; block: BlockTime };

async function readTerms(ctx: Context, { vault, user, token, amount }: VaultDeposit): Promise<ReadTerms> {
  const request = { token, amount, caller: user, receiver: user, now: ctx.now() };
  const family = findFamily(vault.adapter);
  const profitFee = family?.profitFeeQuery?.(vault) ?? createQuery({}, () => null);
  const yearlyFee = family?.yearlyFeeQuery?.(vault) ?? createQuery({}, () => null);
  const exitsPaused = exitsPausedQuery(vault, { user, now: ctx.now() });
  const terms = adapterOf(vault).terms(vault, request);
  const query = queryAll({ terms, profitFee, yearlyFee, exitsPaused });
  const { value, block } = await readUncached(ctx, { chainId: vault.chainId, query });
  return { ...value, block };
}

/**
 * A vault's remaining room limits the amount only if it is at least one part in so many of the default amount; a
 * deposit of less would prove nothing, so the default amount is kept and the vault counts as full.
 */
const LEAST_ROOM = 1_000n;

/**
 * Returns the default amount, or the vault's minimum if that is higher, or its maximum if that is lower and leaves room
 * for a proof. Unknown limits do not count.
 */
function amountWithin({ minDeposit, maxDeposit }: DepositTerms, usual: bigint): bigint {
  if (minDeposit !== null && minDeposit > usual) return minDeposit;
  const limits = maxDeposit !== null && maxDeposit < usual && maxDeposit * LEAST_ROOM >= usual;
  return limits && maxDeposit > 0n ? maxDeposit : usual;
}

type Verdict = Pick<SimulatedProof, "kind" | "reason">;

const EXITS_PAUSED: Verdict & Pick<SimulatedProof, "exit"> = {
  kind: "closed",
  reason: "shares cannot be redeemed; withdrawals are paused",
  exit: "stopped",
};

/** Verdicts for the reasons why a vault's view functions show that it accepts no deposit now. */
const REFUSALS: Readonly<Record<Refusal, Verdict>> = {
  not_allowed: { kind: "refused", reason: "the vault admits only accounts on its own list" },
  share_locked: { kind: "refused", reason: "the vault locks a depositor's new shares" },
  token_unsupported: { kind: "refused", reason: "the vault no longer accepts its deposit token" },
  price_stale: { kind: "closed", reason: "the vault has no current price" },
};

/** Verdict where a price, fee or limit could not be read from the vault, without which its shares are unknown. */
const UNPRICED: Verdict = { kind: "refused", reason: "the shares that a deposit mints cannot be computed" };

/**
 * Returns the reason why the vault rejects the deposit according to its view functions, or null if they show no reason.
 */
function refusalOf({ vault, token, amount }: VaultDeposit, terms: DepositTerms): Verdict | null {
  if (terms.asset === null || !sameAddress(terms.asset, token.address))
    return { kind: "refused", reason: `the vault does not confirm that it accepts ${token.symbol}` };
  if (terms.paused) return { kind: "closed", reason: "the vault's contract is paused" };
  if (terms.refusal) return REFUSALS[terms.refusal];
  if (terms.maxDeposit !== null && terms.maxDeposit < amount)
    return { kind: "closed", reason: terms.maxDeposit === 0n ? noRoom(vault) : "the vault is full" };
  if (terms.previewShares === null)
    return terms.previewRevert === null ? UNPRICED : revertVerdict(vault, terms.previewRevert);
  return null;
}

/**
 * Returns why nobody can deposit into a vault whose limit is zero. Known families' limits are the same for every
 * account; another vault may thus keep out all accounts but those of its own list.
 */
const noRoom = (vault: Vault): string =>
  vault.adapter === GENERIC_ADAPTER
    ? "the vault's limit for new accounts is zero: it is full or admits only its own list"
    : "the vault is full";

/** Returns the verdict on a vault that keeps too much of its profits or assets, or null. */
function feeRefusal({ profitFee, yearlyFee }: Fees): Verdict | null {
  const refused = (reason: string): Verdict => ({ kind: "refused", reason });
  const percent = (fee: number): string => `${Math.round(fee * 10_000) / 100}%`;
  if (profitFee !== null && profitFee > MAX_PROFIT_FEE)
    return refused(
      `the vault keeps ${percent(profitFee)} of its profits, more than ${percent(MAX_PROFIT_FEE)}`,
    );
  if (yearlyFee !== null && yearlyFee > MAX_YEARLY_FEE)
    return refused(
      `the vault takes ${percent(yearlyFee)} of its assets a year, more than ${percent(MAX_YEARLY_FEE)}`,
    );
  return null;
}

/**
 * Returns the verdict on a reverted deposit: a vault that is full, paused or without a price is closed, not refused.
 */
function revertVerdict(vault: Vault, revert: `0x${string}`): Verdict {
  const { code, text } = explainVaultRevert(vault, revert);
  const closed = code === "above_maximum" || code === "vault_paused" || code === "price_stale";
  return {
    kind: closed ? "closed" : "refused",
    reason: `a deposit reverts${text === null || text === "" ? " without a reason" : `: ${text}`}`,
  };
}

interface ReadDeposit {
  deposit: VaultDeposit;
  terms: DepositTerms;
  block: BlockTime;
}

async function simulateDeposit(
  ctx: Context,
  { deposit, terms, block }: ReadDeposit,
): Promise<SimulatedProof> {
  const { vault, user, token, amount } = deposit;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: terms.async === true };
  const call = adapterOf(vault).encode(vault, request);
  const payment = {
    ...paymentOf(ctx, deposit),
    ...{ spender: call.spender, block, setting: await readProofSetting(ctx, vault.chainId) },
  };
  const seen = { ...NOTHING_SEEN, amount, blockNumber: block.number };
  if (!(await canSetBalances(ctx, payment))) return { ...seen, ...UNFUNDED };
  const requests = call.async ? asyncDepositsOf(vault) : null;
  const effect = requests === null ? mintEffect(deposit) : requestEffect(deposit, requests);
  const made = await simulatePayment(ctx, { payment, call: userCall(call), reads: effect.reads });
  if (!made.ok) {
    const verdict = revertVerdict(vault, made.revert);
    const larger = verdict.kind === "refused" ? await simulateLarger(ctx, { deposit, terms, block }) : null;
    return larger ?? { ...seen, ...verdict };
  }
  const at = { ...seen, blockNumber: simulatedHead(made.simulation, block) };
  const shares = seenEffect(effect, made.simulation);
  if (shares === "missing") return { ...at, ...UNRECORDED };
  if (shares === null) return { ...at, kind: "passed", reason: "" };
  return {
    ...at,
    ...(await judgeMinted(ctx, { deposit, payment, call, terms, shares, gas: gasLimit(made.gasUsed) })),
    shares,
  };
}

const UNFUNDED: Verdict = {
  // Not a node's failure: the storage of the asset was read.
  kind: "closed",
  reason: "no deposit can be tried: the balances of its asset cannot be set in a simulation",
};

const UNRECORDED: Verdict = {
  kind: "refused",
  reason: "the vault does not take and record the whole amount of a deposit request",
};

/**
 * Returns the minted shares, null for a recorded deposit request, or `missing` if the simulated chain shows that the
 * request was not recorded as it should be. Throws `simulation_unavailable` if the simulation does not show it.
 */
function seenEffect(effect: ExpectedEffect, simulation: SimulationResult): bigint | null | "missing" {
  try {
    return effect.interpret(simulation);
  } catch (error) {
    if (error instanceof AppError && error.code === "upstream_rejected") return "missing";
    throw error;
  }
}

/** Judges a deposit that minted shares: by their value, by their redemption, and by deposits of others. */
async function judgeMinted(
  ctx: Context,
  of: {
    deposit: VaultDeposit;
    payment: TokenPayment;
    call: DepositCall;
    terms: DepositTerms;
    shares: bigint;
    gas: bigint;
  },
): Promise<Verdict & Partial<Pick<SimulatedProof, "returned" | "exit" | "userOnly">>> {
  if (!isWorthIt(of))
    return { kind: "refused", reason: "the minted shares are worth much less than the deposit" };
  const back = await simulateWayBack(ctx, { ...of, larger: agedTimes(ctx, of) });
  const returned = back.kind === "returned" ? back.returned : null;
  const verdict = exitVerdict({ ...of, back });
  if (verdict !== null) return { ...verdict, returned };
  const others = await simulateForOthers(ctx, of);
  if (others.cheats !== null) return { kind: "refused", reason: others.cheats, returned };
  return { kind: "passed", reason: "", returned, userOnly: !others.takes };
}

/** How many times the usual amount is deposited to see whether a vault only refuses small deposits. */
const MANY_TIMES = 1_000n;

/**
 * Repeats the proof with a much larger deposit, because a vault may have a minimum that no view shows. Returns null if
 * it reverts too, if the vault's limit forbids it, or if the amount is not the usual one.
 */
async function simulateLarger(ctx: Context, of: ReadDeposit): Promise<SimulatedProof | null> {
  const { deposit, terms } = of;
  const amount = deposit.amount * MANY_TIMES;
  if (deposit.amount !== 10n ** BigInt(deposit.token.decimals)) return null;
  if (terms.maxDeposit !== null && terms.maxDeposit < amount) return null;
  const proof = await simulateDeposit(ctx, { ...of, deposit: { ...deposit, amount } });
  return proof.kind === "passed" || proof.shares !== null ? proof : null;
}

/** Returns what the redemption of the minted shares shows against the vault, or null. */
function exitVerdict(of: {
  deposit: VaultDeposit;
  terms: DepositTerms;
  shares: bigint;
  back: WayBack;
}): (Verdict & Pick<SimulatedProof, "exit">) | null {
  const { deposit, back } = of;
  const { amount } = deposit;
  if (back.kind === "waiting") return null;
  if (back.kind === "none")
    return { kind: back.exit === null ? "refused" : "closed", reason: back.reason, exit: back.exit };
  const refused = (reason: string) => ({ kind: "refused", reason, exit: null }) as const;
  if (back.returned === 0n) return refused("redeeming the shares at once pays none of the vault's asset");
  if (!isWorth(deposit, { amount, returned: back.returned }))
    return refused("redeeming the shares at once returns much less than the deposit");
  const { shares, terms } = of;
  const stated = terms.price === null ? 0n : mulDivDown(shares, terms.price.assets, terms.price.shares);
  if (!isWorth(deposit, { amount: stated, returned: back.returned }))
    return refused("the vault states a much higher value of its shares than it pays for them");
  if (back.later !== null && !isWorth(deposit, { amount, returned: back.later }))
    return refused("redeeming the shares after 30 days returns much less than the deposit");
  if (back.larger !== null)
    return refused(
      "redeeming a larger deposit after 30 days returns much less than the deposit, and no preview of the vault states this",
    );
  return null;
}

/** Returns the payment of a proof's deposit. The account has no tokens; the simulation sets its balance. */
function paymentOf(
  ctx: Context,
  { vault, user, token, amount }: VaultDeposit,
): Omit<TokenPayment, "spender" | "block"> {
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${vault.chainId} is not served`);
  return { client, payer: user, token: token.address, amount, balance: 0n, allowance: 0n };
}
