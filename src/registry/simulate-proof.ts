import { type Address, getAddress, hexToBigInt, keccak256, size, slice, stringToHex } from "viem";
import { runSimulation } from "../chains/simulator/run-simulation.ts";
import type { SimulationResult } from "../chains/simulator/simulation.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { mintEffect, requestEffect, type VaultDeposit } from "../orders/order-expected-effect.ts";
import { priceIsSafe } from "../orders/order-slippage.ts";
import { encodeApprovals, type UserCall } from "../orders/order-wallet-calls.ts";
import {
  balanceOfRead,
  INCLUSION_DELAY_S,
  increaseOf,
  paymentOverrides,
  simulatedHead,
  simulatePayment,
  type TokenPayment,
} from "../orders/simulate-order-payment.ts";
import {
  adapterOf,
  asyncDepositsOf,
  explainExitRevert,
  explainVaultRevert,
} from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositCall, DepositTerms, Refusal } from "../vaults/vault-adapter.ts";
import type { ExitMode } from "../vaults/vault-exits.ts";
import { readUncached } from "../vaults/vault-state.ts";

/** Result of a simulated deposit into a vault. */
export interface SimulatedProof {
  /** As in `ProofFinding`. */
  kind: "passed" | "refused" | "closed";
  /** Human-readable reason why the vault was refused or is closed; empty if the proof passed. */
  reason: string;
  /** Block on whose state the deposit was simulated, or at which the vault's views were read. */
  blockNumber: number | null;
  /** Deposited amount in the token's smallest unit, or null if the views already refused the deposit. */
  amount: bigint | null;
  /** Minted shares in the share token's smallest unit, or null if none were minted immediately. */
  shares: bigint | null;
  /**
   * Assets that redeeming all shares returns, in the asset's smallest unit, rounded down. Null if the redemption
   * reverts, was not simulated, or is not possible immediately.
   */
  returned: bigint | null;
  /** True if the vault takes deposits only from the receiver of the shares, so the Router cannot deposit for users. */
  userOnly: boolean;
}

/** Name of the generic ERC-4626 adapter. For a claim with this name, the proof determines the family. */
export const GENERIC_ADAPTER = "erc4626";
/** Maximum loss in a proof, as a fraction, between the deposit and the value or the redemption of the shares. */
const PROOF_SLIPPAGE = 0.03;
/** Part of the minted shares that is redeemed, because a later block mints slightly fewer shares. */
const REDEEMED_PARTS = { of: 1_000n, parts: 999n } as const;

/**
 * Simulates the deposit that proves a vault: by the vault's own call, from an unused account, on the real state of the
 * chain. If all withdrawals of the vault are instant, also simulates the redemption of the shares; if a vault of no known
 * family redeems on request alone, the request, without which the vault is closed. Simulates nothing if the vault's views
 * already refuse the deposit. The amount is one whole token of the asset (or, if the vault does not
 * accept it, of the first accepted token), adjusted to the vault's limits. A loss of more than 3% in the shares' value
 * or the redemption is refused; a redemption that reverts is not. Throws `chain_unsupported` and
 * `simulation_unavailable`; errors of the RPC nodes propagate.
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
  const refusal = refusalOf(deposit, read.terms);
  if (refusal !== null) return { ...NOTHING_SEEN, ...refusal, blockNumber: read.block.number };
  return simulateDeposit(ctx, { deposit, ...read });
}

const NOTHING_SEEN = { amount: null, shares: null, returned: null, userOnly: false } as const;

/** Returns an address without a known key; it differs in every proof, so that a vault cannot recognize it. */
function freshAccount(ctx: Context): Address {
  return getAddress(slice(keccak256(stringToHex(`causeway proof ${ctx.randomId()}`)), 12));
}

async function readTerms(
  ctx: Context,
  { vault, user, token, amount }: VaultDeposit,
): Promise<{ terms: DepositTerms; block: BlockTime }> {
  const request = { token, amount, caller: user, receiver: user, now: ctx.now() };
  const query = adapterOf(vault).terms(vault, request);
  const { value, block } = await readUncached(ctx, { chainId: vault.chainId, query });
  return { terms: value, block };
}

/** Returns the default amount, adjusted to the vault's limits if these are known. */
function amountWithin({ minDeposit, maxDeposit }: DepositTerms, usual: bigint): bigint {
  if (minDeposit !== null && minDeposit > usual) return minDeposit;
  return maxDeposit !== null && maxDeposit > 0n && maxDeposit < usual ? maxDeposit : usual;
}

type Verdict = Pick<SimulatedProof, "kind" | "reason">;

/** Verdicts for the reasons why a vault's view functions show that it accepts no deposit now. */
const REFUSALS: Readonly<Record<Refusal, Verdict>> = {
  not_allowed: { kind: "refused", reason: "the vault admits only accounts on its own list" },
  share_locked: { kind: "refused", reason: "the vault locks new shares of the depositor" },
  token_unsupported: { kind: "refused", reason: "the vault no longer accepts this token" },
  price_stale: { kind: "closed", reason: "the vault has no current price" },
};

/**
 * Returns the reason why the vault rejects the deposit according to its view functions, or null if they show no reason.
 */
function refusalOf({ vault, token, amount }: VaultDeposit, terms: DepositTerms): Verdict | null {
  if (terms.asset === null || !sameAddress(terms.asset, token.address))
    return { kind: "refused", reason: `the vault does not confirm that it takes ${token.symbol}` };
  if (terms.paused) return { kind: "closed", reason: "the vault's contract is paused" };
  if (terms.refusal) return REFUSALS[terms.refusal];
  if (terms.maxDeposit !== null && terms.maxDeposit < amount)
    return { kind: "closed", reason: "the vault is full" };
  if (terms.previewShares === null) return revertVerdict(vault, terms.previewRevert ?? "0x");
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
    reason: `a deposit reverts${text === null ? " without a reason" : `: ${text}`}`,
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
  const payment = { ...paymentOf(ctx, deposit), spender: call.spender, block };
  const requests = call.async ? asyncDepositsOf(vault) : null;
  const effect = requests === null ? mintEffect(deposit) : requestEffect(deposit, requests);
  const made = await simulatePayment(ctx, { payment, call: userCall(call), reads: effect.reads });
  const seen = { ...NOTHING_SEEN, amount, blockNumber: block.number };
  if (!made.ok) return { ...seen, ...revertVerdict(vault, made.revert) };
  const at = { ...seen, blockNumber: simulatedHead(made.simulation, block) };
  const shares = effect.interpret(made.simulation);
  if (shares === null) return { ...at, kind: "passed", reason: "" };
  if (!isWorthIt({ deposit, terms, shares }))
    return {
      ...at,
      shares,
      kind: "refused",
      reason: "the minted shares are worth much less than the deposit",
    };
  const closed = await requestRefusal(ctx, { deposit, payment, call, shares });
  if (closed !== null) return { ...at, shares, kind: "closed", reason: closed };
  const returned = await simulateWayBack(ctx, { deposit, payment, call, shares });
  const loss = returned === null ? null : lossOf({ deposit, terms, shares, returned });
  const verdict = { kind: loss === null ? "passed" : "refused", reason: loss ?? "" } as const;
  const userOnly = loss === null && !(await takesDepositsForOthers(ctx, { deposit, payment }));
  return { ...at, ...verdict, shares, returned, userOnly };
}

/**
 * Returns true if an account can deposit for another one, as the Router does. Only simulated for vaults of the generic
 * family that the Router would call: other families' views show who may call them.
 */
async function takesDepositsForOthers(
  ctx: Context,
  { deposit, payment }: { deposit: VaultDeposit; payment: TokenPayment },
): Promise<boolean> {
  const { vault, user, token, amount } = deposit;
  if (vault.adapter !== GENERIC_ADAPTER || vault.caller !== "router") return true;
  const payer = freshAccount(ctx);
  const request = { token, amount, caller: payer, receiver: user, minShares: 1n, async: false };
  const call = adapterOf(vault).encode(vault, request);
  const reads = [balanceOfRead(vault.shareToken, user)];
  const made = await simulatePayment(ctx, { payment: { ...payment, payer }, call: userCall(call), reads });
  return made.ok && (increaseOf(made.simulation, 0) ?? 0n) > 0n;
}

/** Returns what the redemption of the minted shares shows against the vault, or null. */
function lossOf(of: {
  deposit: VaultDeposit;
  terms: DepositTerms;
  shares: bigint;
  returned: bigint;
}): string | null {
  const { deposit, terms, shares, returned } = of;
  if (!isWorth(deposit, { amount: deposit.amount, returned }))
    return "redeeming the shares at once returns much less than the deposit";
  const stated = terms.price === null ? 0n : mulDivDown(shares, terms.price.assets, terms.price.shares);
  return isWorth(deposit, { amount: stated, returned })
    ? null
    : "the vault states a much higher value of its shares than it pays for them";
}

const userCall = ({ target, data }: Pick<DepositCall, "target" | "data">): UserCall => ({
  target,
  value: 0n,
  data,
});

/** Returns the payment of a proof's deposit. The account has no tokens; the simulation sets its balance. */
function paymentOf(
  ctx: Context,
  { vault, user, token, amount }: VaultDeposit,
): Omit<TokenPayment, "spender" | "block"> {
  const client = ctx.chains.client(vault.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${vault.chainId} is not served`);
  return { client, payer: user, token: token.address, amount, balance: 0n, allowance: 0n };
}

function isWorthIt(of: { deposit: VaultDeposit; terms: DepositTerms; shares: bigint }): boolean {
  const { deposit, terms, shares } = of;
  if (shares <= 0n || terms.price === null || terms.price.shares === 0n) return false;
  const { amount, token } = deposit;
  const judged = { amount, shares, price: terms.price, slippage: PROOF_SLIPPAGE };
  return priceIsSafe({ ...judged, assetDecimals: token.decimals });
}

/** Returns true if the returned assets are worth an amount, less the slippage of a proof. */
function isWorth(
  { token }: VaultDeposit,
  { amount, returned }: { amount: bigint; returned: bigint },
): boolean {
  const price = { assets: 1n, shares: 1n };
  const judged = { amount, shares: returned, price, slippage: PROOF_SLIPPAGE };
  return priceIsSafe({ ...judged, assetDecimals: token.decimals });
}

interface WayBack {
  deposit: VaultDeposit;
  payment: TokenPayment;
  call: DepositCall;
  shares: bigint;
}

/**
 * Simulates the deposit followed by the redemption of the minted shares. Returns the assets for all shares, rounded
 * down, or null if the vault has no instant withdrawals now. A reverting redemption does not refute the vault, because
 * shares may be locked and liquidity lent out.
 */
async function simulateWayBack(ctx: Context, of: WayBack): Promise<bigint | null> {
  const { deposit, shares } = of;
  const { vault, token } = deposit;
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  // Where a known family makes some holders wait, leaving at once may cost a fee that says nothing against a deposit.
  const pays = vault.adapter === GENERIC_ADAPTER ? modes.includes("instant") : modes.join() === "instant";
  const redeemed = mulDivDown(shares, REDEEMED_PARTS.parts, REDEEMED_PARTS.of);
  if (!pays || redeemed === 0n || !sameAddress(token.address, vault.asset.address)) return null;
  const simulation = await simulateExit(ctx, { ...of, mode: "instant", redeemed });
  if (simulation === null || simulation.failedAt !== null) return null;
  const change = increaseOf(simulation, 0);
  const paidBack = change === null ? wordOf(simulation.calls.at(-1)?.returnData) : deposit.amount + change;
  // A vault that may let holders wait did so.
  if (paidBack === 0n && modes.length > 1) return null;
  return paidBack === null ? null : mulDivDown(paidBack, REDEEMED_PARTS.of, REDEEMED_PARTS.parts);
}

/**
 * Returns why a vault rejects the redemption request of an account that has just deposited, or null if it takes it. Only
 * simulated for vaults of the generic family that redeem on request alone, of which nothing else shows a way out.
 */
async function requestRefusal(ctx: Context, of: WayBack): Promise<string | null> {
  const { vault } = of.deposit;
  const modes = adapterOf(vault).exits?.modes(vault) ?? [];
  const redeemed = mulDivDown(of.shares, REDEEMED_PARTS.parts, REDEEMED_PARTS.of);
  if (vault.adapter !== GENERIC_ADAPTER || modes.join() !== "request" || redeemed === 0n) return null;
  const simulation = await simulateExit(ctx, { ...of, mode: "request", redeemed });
  if (simulation === null || simulation.failedAt === null) return null;
  const { text } = explainExitRevert(vault, simulation.calls.at(-1)?.returnData ?? "0x");
  return `a redemption request reverts${text === null ? " without a reason" : `: ${text}`}`;
}

/** Simulates the deposit and the redemption of some of its shares, or returns null if the vault has no such mode. */
async function simulateExit(
  ctx: Context,
  of: WayBack & { mode: ExitMode; redeemed: bigint },
): Promise<SimulationResult | null> {
  const { deposit, payment, call, mode, redeemed } = of;
  const { vault, user, token } = deposit;
  const { exits } = adapterOf(vault);
  if (exits === undefined) return null;
  const exit = exits.encode(vault, {
    ...{ mode, token, shares: redeemed, owner: user, caller: user, receiver: user, minAssets: 0n },
  });
  const spender = exit.spender ?? exits.mayNeedAllowance?.(vault, mode) ?? null;
  const allowance = { token: vault.shareToken, amount: redeemed, allowance: 0n, reset: false };
  const shareApprovals = spender === null ? [] : encodeApprovals({ ...allowance, spender });
  const approvals = encodeApprovals({ ...payment, reset: false });
  return runSimulation(payment.client, {
    ...{ user, calls: [...approvals, userCall(call), ...shareApprovals, userCall(exit)], standsAlone: false },
    time: payment.block.timestamp + INCLUSION_DELAY_S,
    reads: [balanceOfRead(token.address, user)],
    overrides: await paymentOverrides(ctx, payment),
  });
}

const wordOf = (data: `0x${string}` | undefined): bigint | null =>
  data !== undefined && size(data) === 32 ? hexToBigInt(data) : null;
