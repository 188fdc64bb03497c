import { type Address, getAddress, keccak256, slice, stringToHex } from "viem";
import { createQuery, queryAll } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { mulDivDown } from "../lib/amount.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { mintEffect, requestEffect, type VaultDeposit } from "../orders/order-expected-effect.ts";
import { priceIsSafe } from "../orders/order-slippage.ts";
import type { UserCall } from "../orders/order-wallet-calls.ts";
import {
  balanceOfRead,
  increaseOf,
  simulatedHead,
  simulatePayment,
  type TokenPayment,
} from "../orders/simulate-order-payment.ts";
import {
  adapterOf,
  asyncDepositsOf,
  explainVaultRevert,
  findFamily,
} from "../vaults/families/vault-families.ts";
import type { Vault } from "../vaults/vault.ts";
import type { DepositCall, DepositTerms, Refusal } from "../vaults/vault-adapter.ts";
import { readUncached } from "../vaults/vault-state.ts";
import type { ClosedExit } from "./decide-vault-proof.ts";
import { readProofSetting } from "./proof-setting.ts";
import { exitsPausedQuery, GENERIC_ADAPTER, simulateWayBack, type WayBack } from "./simulate-way-back.ts";

/** Result of a simulated deposit into a vault. */
export interface SimulatedProof {
  /** As in `ProofFinding`. */
  kind: "passed" | "refused" | "closed";
  /** Human-readable reason why the vault was refused or is closed; empty if the proof passed. */
  reason: string;
  /** Block on whose state the deposit was simulated, or at which the views were read that refused it; never null. */
  blockNumber: number | null;
  /** Deposited amount in the token's smallest unit, or null if the views already refused the deposit. */
  amount: bigint | null;
  /** Minted shares in the share token's smallest unit; null if nothing was simulated, or for a deposit request. */
  shares: bigint | null;
  /**
   * Assets that redeeming all shares returns, in the asset's smallest unit, rounded down. Null if the redemption
   * reverts, was not simulated, or is not possible immediately.
   */
  returned: bigint | null;
  /** True if the vault takes deposits only from the receiver of the shares, so the Router cannot deposit for users. */
  userOnly: boolean;
  /** As in `ProofFinding`. */
  exit: ClosedExit | null;
}

/**
 * Largest part of its profits that a vault may keep, as a fraction: the limit in the contracts of most curated vaults
 * (MetaMorpho, Morpho Vault V2, Yearn's strategies, Lagoon).
 */
const MAX_PROFIT_FEE = 0.5;
/** Code of a contract that does nothing: one `STOP`. */
const CONTRACT_CODE = "0x00";
/** Maximum loss in a proof, as a fraction, between the deposit and the value or the redemption of the shares. */
const PROOF_SLIPPAGE = 0.03;

/**
 * Simulates the deposit that proves a vault: by the vault's own call, from an unused account, on the real state of the
 * chain. Also simulates the way back (see `simulateWayBack`) and, for generic vaults, a larger deposit by a contract.
 * Simulates nothing if the vault's views already refuse the deposit. The amount is one whole token of the asset (or, if
 * the vault does not accept it, of the first accepted token), adjusted to the vault's limits. A loss of more than 3% in
 * the shares' value or the redemption is refused, as is a vault that keeps more than half of its profits; one that
 * nobody can leave is refused or closed. Throws `chain_unsupported` and `simulation_unavailable`; errors of the RPC
 * nodes propagate.
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
  const refusal = refusalOf(deposit, read.terms) ?? feeRefusal(read.profitFee);
  if (refusal !== null) return { ...NOTHING_SEEN, ...refusal, blockNumber: read.block.number };
  if (read.exitsPaused) return { ...NOTHING_SEEN, ...EXITS_PAUSED, blockNumber: read.block.number };
  return simulateDeposit(ctx, { deposit, ...read });
}

const NOTHING_SEEN = { amount: null, shares: null, returned: null, userOnly: false, exit: null } as const;

/** Returns an address without a known key; it differs in every proof, so that a vault cannot recognize it. */
function freshAccount(ctx: Context): Address {
  return getAddress(slice(keccak256(stringToHex(`causeway proof ${ctx.randomId()}`)), 12));
}

async function readTerms(
  ctx: Context,
  { vault, user, token, amount }: VaultDeposit,
): Promise<{ terms: DepositTerms; profitFee: number | null; exitsPaused: boolean; block: BlockTime }> {
  const request = { token, amount, caller: user, receiver: user, now: ctx.now() };
  const profitFee = findFamily(vault.adapter)?.profitFeeQuery?.(vault) ?? createQuery({}, () => null);
  const exitsPaused = exitsPausedQuery(vault, { user, now: ctx.now() });
  const query = queryAll({ terms: adapterOf(vault).terms(vault, request), profitFee, exitsPaused });
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
  reason: "nobody can leave: withdrawals are paused",
  exit: "stopped",
};

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

/** Returns the verdict on a vault that keeps too much of its profits, or null. */
function feeRefusal(profitFee: number | null): Verdict | null {
  if (profitFee === null || profitFee <= MAX_PROFIT_FEE) return null;
  return { kind: "refused", reason: `the vault keeps ${Math.round(profitFee * 100)}% of its profits` };
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
  const payment = {
    ...paymentOf(ctx, deposit),
    ...{ spender: call.spender, block, setting: await readProofSetting(ctx, vault.chainId) },
  };
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
  const back = await simulateWayBack(ctx, { deposit, payment, call, shares });
  const returned = back.kind === "returned" ? back.returned : null;
  const verdict = exitVerdict({ deposit, terms, shares, back });
  if (verdict !== null) return { ...at, ...verdict, shares, returned };
  const others = await simulateForOthers(ctx, { deposit, payment, terms });
  if (others.cheats !== null) return { ...at, kind: "refused", reason: others.cheats, shares, returned };
  return { ...at, kind: "passed", reason: "", shares, returned, userOnly: !others.takes };
}

/**
 * Simulates a deposit for another account by a contract, as the Router's executor makes it, of a larger amount than the
 * proof's. `takes`: the vault takes such deposits, if not of this amount then of the proof's. `cheats`: why the minted
 * shares count against the vault, or null. Only simulated for vaults of the generic family that the Router would call:
 * other families' views show who may call them.
 */
async function simulateForOthers(
  ctx: Context,
  of: { deposit: VaultDeposit; payment: TokenPayment; terms: DepositTerms },
): Promise<{ takes: boolean; cheats: string | null }> {
  const { deposit, terms } = of;
  if (deposit.vault.adapter !== GENERIC_ADAPTER || deposit.vault.caller !== "router")
    return { takes: true, cheats: null };
  const judge = async (amount: bigint): Promise<"paid" | "short" | "none"> => {
    const shares = await mintedForOther(ctx, { ...of, amount });
    if (shares === 0n) return "none";
    return isWorthIt({ deposit: { ...deposit, amount }, terms, shares }) ? "paid" : "short";
  };
  const large = await judge(largerAmount(ctx, of));
  if (large === "paid") return { takes: true, cheats: null };
  // Limits that no view shows may reject the larger amount.
  const usual = await judge(deposit.amount);
  if (usual === "short") return { takes: true, cheats: "a contract's deposit mints shares worth much less" };
  const cheats = large === "short" ? "a larger deposit mints shares worth much less" : null;
  return { takes: usual === "paid", cheats };
}

/**
 * Returns an amount two to four times the proof's that nobody can foresee, or the vault's limit if that is lower. Much
 * larger ones would move the price of vaults that trade what they take.
 */
function largerAmount(
  ctx: Context,
  { deposit, terms }: { deposit: VaultDeposit; terms: DepositTerms },
): bigint {
  const chance = BigInt(`0x${ctx.randomId().slice(0, 8)}`) % 100_000n;
  const amount = 2n * deposit.amount + (deposit.amount * 2n * chance) / 100_000n;
  return terms.maxDeposit !== null && terms.maxDeposit < amount ? terms.maxDeposit : amount;
}

/** Returns the shares that a deposit by a contract mints to another account, or 0 if it reverts. */
async function mintedForOther(
  ctx: Context,
  of: { deposit: VaultDeposit; payment: TokenPayment; amount: bigint },
): Promise<bigint> {
  const { deposit, payment, amount } = of;
  const { vault, user, token } = deposit;
  const payer = freshAccount(ctx);
  const request = { token, amount, caller: payer, receiver: user, minShares: 1n, async: false };
  const call = adapterOf(vault).encode(vault, request);
  const made = await simulatePayment(ctx, {
    payment: { ...payment, payer, amount, payerCode: CONTRACT_CODE },
    call: userCall(call),
    reads: [balanceOfRead(vault.shareToken, user)],
  });
  const minted = made.ok ? increaseOf(made.simulation, 0) : null;
  return minted !== null && minted > 0n ? minted : 0n;
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
  if (!isWorth(deposit, { amount, returned: back.returned }))
    return refused("redeeming the shares at once returns much less than the deposit");
  const { shares, terms } = of;
  const stated = terms.price === null ? 0n : mulDivDown(shares, terms.price.assets, terms.price.shares);
  if (!isWorth(deposit, { amount: stated, returned: back.returned }))
    return refused("the vault states a much higher value of its shares than it pays for them");
  if (back.later !== null && !isWorth(deposit, { amount, returned: back.later }))
    return refused("redeeming the shares after 30 days returns much less than the deposit");
  return null;
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
