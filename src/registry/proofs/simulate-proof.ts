import { createQuery, queryAll } from "../../chains/chain-reads.ts";
import { RpcError } from "../../chains/json-rpc.ts";
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
import { readSimulationSetting } from "../../orders/read-simulation-setting.ts";
import {
  canSetBalances,
  simulatedHead,
  simulatePayment,
  type TokenPayment,
} from "../../orders/simulate-order-payment.ts";
import { adapterOf, asyncDepositsOf, findFamily } from "../../vaults/families/vault-families.ts";
import type { Vault } from "../../vaults/vault.ts";
import type { DepositCall, DepositTerms } from "../../vaults/vault-adapter.ts";
import { readUncached } from "../../vaults/vault-state.ts";
import type { Closure } from "./decide-vault-proof.ts";
import { userCall } from "./proof-exit-calls.ts";
import { type ExitWays, exitWaysQuery, GENERIC_ADAPTER, type ProofExit } from "./proof-exit-ways.ts";
import {
  type Fees,
  feeVerdict,
  fullVerdict,
  revertVerdict,
  type Verdict,
  viewVerdict,
} from "./proof-verdicts.ts";
import { agedTimes, freshAccount, isWorth, isWorthIt } from "./proof-worth.ts";
import { simulateForOthers } from "./simulate-proof-foreign-deposit.ts";
import { findOtherTaker } from "./simulate-proof-taker.ts";
import { simulateWayBack, type WayBack } from "./simulate-proof-way-back.ts";

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
  closure: Closure | null;
}

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
  const refusal = viewVerdict(deposit, read.terms) ?? feeVerdict(read);
  if (refusal !== null) return { ...NOTHING_SEEN, ...refusal, blockNumber: read.block.number };
  if (read.exits.paused) return { ...NOTHING_SEEN, ...EXITS_PAUSED, blockNumber: read.block.number };
  return simulateDeposit(ctx, { deposit, ...read, ways: read.exits.ways });
}

const NOTHING_SEEN = { amount: null, shares: null, returned: null, userOnly: false, closure: null } as const;

type ReadTerms = Fees & { terms: DepositTerms; exits: ExitWays; block: BlockTime };

async function readTerms(ctx: Context, { vault, user, token, amount }: VaultDeposit): Promise<ReadTerms> {
  const request = { token, amount, caller: user, receiver: user, now: ctx.now() };
  const family = findFamily(vault.adapter);
  const profitFee = family?.profitFeeQuery?.(vault) ?? createQuery({}, () => null);
  const yearlyFee = family?.yearlyFeeQuery?.(vault) ?? createQuery({}, () => null);
  const exits = exitWaysQuery({ vault, token, user, now: ctx.now() });
  const terms = adapterOf(vault).terms(vault, request);
  const query = queryAll({ terms, profitFee, yearlyFee, exits });
  const { value, block } = await readUncached(ctx, { chainId: vault.chainId, query });
  return { ...value, block };
}

/**
 * A vault's limit is that of the amount only if it is at least one part in so many of the default amount: a deposit of
 * less would prove nothing. The default amount is kept then, whose deposit shows whether the limit is true.
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

const EXITS_PAUSED = {
  kind: "closed",
  reason: "shares cannot be redeemed; withdrawals are paused",
  closure: "stopped",
} as const;

interface ReadDeposit {
  deposit: VaultDeposit;
  terms: DepositTerms;
  block: BlockTime;
  ways: readonly ProofExit[];
  /** True for the larger deposit after a smaller one has reverted. */
  isLarger?: true;
}

async function simulateDeposit(ctx: Context, of: ReadDeposit): Promise<SimulatedProof> {
  const { deposit, terms, block } = of;
  const { vault, user, token, amount } = deposit;
  const request = { token, amount, caller: user, receiver: user, minShares: 1n, async: terms.async === true };
  const call = adapterOf(vault).encode(vault, request);
  const full = fullVerdict(terms, amount);
  const payment = {
    ...paymentOf(ctx, deposit),
    ...{ spender: call.spender, block, setting: await readSimulationSetting(ctx, vault.chainId) },
  };
  const seen = { ...NOTHING_SEEN, amount, blockNumber: block.number };
  if (!(await canFund(ctx, { payment, full }))) return { ...seen, ...(full ?? UNFUNDED) };
  const requests = call.async ? asyncDepositsOf(vault) : null;
  const effect = requests === null ? mintEffect(deposit) : requestEffect(deposit, requests);
  const made = await simulatePayment(ctx, { payment, call: userCall(call), reads: effect.reads });
  if (!made.ok) {
    const verdict = revertVerdict(vault, { revert: made.revert, full });
    if (verdict.kind !== "refused" || of.isLarger) return { ...seen, ...verdict };
    const larger = await simulateLarger(ctx, of);
    return larger ?? { ...seen, ...((await takerVerdict(ctx, { vault, payment, call })) ?? verdict) };
  }
  const at = { ...seen, blockNumber: simulatedHead(made.simulation, block) };
  const shares = seenEffect(effect, made.simulation);
  if (shares === "missing") return { ...at, ...UNRECORDED };
  if (shares === null) return { ...at, kind: "passed", reason: "" };
  return {
    ...at,
    ...(await judgeMinted(ctx, {
      ...{ deposit, payment, call, shares, gas: gasLimit(made.gasUsed), ways: of.ways },
      // A limit that the deposit exceeded, as of vaults that count what an account holds, says nothing of larger ones.
      terms: full === null ? terms : { ...terms, maxDeposit: null },
    })),
    shares,
  };
}

/** Returns the verdict on a generic vault that takes its asset through a contract which no approval names, or null. */
async function takerVerdict(
  ctx: Context,
  { vault, payment, call }: { vault: Vault; payment: TokenPayment; call: DepositCall },
): Promise<Verdict | null> {
  if (vault.adapter !== GENERIC_ADAPTER) return null;
  // What the nodes fail to show of the taker changes nothing: the deposit was refused.
  const taker = await nullIfFailed(findOtherTaker(ctx, { payment, call: userCall(call) }));
  const reason = `the vault's deposit takes the asset through another contract than the vault: ${taker}`;
  return taker === null ? null : { kind: "refused", reason };
}

/** As `canSetBalances`, but false if the nodes fail and the vault says that it is full. */
async function canFund(
  ctx: Context,
  { payment, full }: { payment: TokenPayment; full: Verdict | null },
): Promise<boolean> {
  const settable = canSetBalances(ctx, payment);
  return full === null ? settable : ((await nullIfFailed(settable)) ?? false);
}

/** Returns a result, or null if it ends with an error of the nodes; other errors propagate. */
async function nullIfFailed<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof AppError || error instanceof RpcError) return null;
    throw error;
  }
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
    ways: readonly ProofExit[];
  },
): Promise<Verdict & Partial<Pick<SimulatedProof, "returned" | "userOnly">>> {
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
  const proof = await simulateDeposit(ctx, { ...of, deposit: { ...deposit, amount }, isLarger: true });
  return proof.kind === "passed" || proof.shares !== null ? proof : null;
}

/** Returns what the redemption of the minted shares shows against the vault, or null. */
function exitVerdict(of: {
  deposit: VaultDeposit;
  terms: DepositTerms;
  shares: bigint;
  back: WayBack;
}): Verdict | null {
  const { deposit, back } = of;
  const { amount } = deposit;
  if (back.kind === "waiting") return null;
  if (back.kind === "none")
    return { kind: back.exit === null ? "refused" : "closed", reason: back.reason, closure: back.exit };
  const refused = (reason: string) => ({ kind: "refused", reason }) as const;
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
