import { type Address, getAddress, keccak256, slice, stringToHex } from "viem";
import type { Context } from "../../context.ts";
import type { VaultDeposit } from "../../orders/order-expected-effect.ts";
import { priceIsSafe } from "../../orders/order-slippage.ts";
import type { DepositTerms } from "../../vaults/vault-adapter.ts";

/** Maximum loss in a proof, as a fraction, between the deposit and the value or the redemption of the shares. */
export const PROOF_SLIPPAGE = 0.03;
/**
 * Largest part of its assets that a vault may take in a year, as a fraction: the limit in Veda's contracts. Lagoon's
 * allow 10%, those of Morpho Vault V2 5%.
 */
export const MAX_YEARLY_FEE = 0.2;
/** Largest part of their value that shares may lose in 30 days, as a fraction: what the largest yearly fee takes. */
export const MAX_MONTHLY_LOSS = (MAX_YEARLY_FEE * 30) / 365;
/** How many times the proof's amount larger deposits are: at least `least`, and less than `least` + `span`. */
const LARGE = { least: 150n, span: 1_350n } as const;
/** How many times a larger deposit the largest one is. */
const LARGEST = 1_000n;

/**
 * Returns true if the minted shares, in the share token's smallest unit, are worth at least 97% of the deposit's amount
 * at the vault's share price, or one unit less if the token has six decimals or more. False if there are no shares, or
 * the price is unknown or unusable.
 */
export function isWorthIt(of: { deposit: VaultDeposit; terms: DepositTerms; shares: bigint }): boolean {
  const { deposit, terms, shares } = of;
  if (shares <= 0n || terms.price === null || terms.price.shares === 0n) return false;
  const { amount, token } = deposit;
  const judged = { amount, shares, price: terms.price, slippage: PROOF_SLIPPAGE };
  return priceIsSafe({ ...judged, assetDecimals: token.decimals });
}

/**
 * Returns true if `returned` is at least `amount`, in the same unit, less rounding and a loss, a fraction from 0.005 to
 * 0.03 (by default 0.03, the slippage of a proof).
 */
export function isWorth(
  { token }: Pick<VaultDeposit, "token">,
  { amount, returned, loss = PROOF_SLIPPAGE }: { amount: bigint; returned: bigint; loss?: number },
): boolean {
  const price = { assets: 1n, shares: 1n };
  const judged = { amount, shares: returned, price, slippage: loss };
  return priceIsSafe({ ...judged, assetDecimals: token.decimals });
}

type Limited = { deposit: VaultDeposit; terms: DepositTerms };

/**
 * Returns how many times the proof's amount a larger deposit is: 150 to 1,499 times, at random, or fewer if the vault's
 * limit is lower; 1 if there is no room for more.
 */
export const largerTimes = (ctx: Context, of: Limited): bigint => timesWithin(of, unforeseen(ctx));

/**
 * Returns how many times the proof's amount the deposits for redemptions after 30 days are: 150,000 to 1.5 million
 * times, and a thousandth of that, within the vault's limit. The largest first; none if there is no room.
 */
export function agedTimes(ctx: Context, of: Limited): bigint[] {
  const times = unforeseen(ctx);
  const within = [times * LARGEST, times].map((one) => timesWithin(of, one));
  return [...new Set(within)].filter((one) => one > 1n);
}

const unforeseen = (ctx: Context): bigint =>
  LARGE.least + (BigInt(`0x${ctx.randomId().slice(0, 8)}`) % LARGE.span);

function timesWithin({ deposit, terms }: Limited, times: bigint): bigint {
  const room = terms.maxDeposit === null ? times : terms.maxDeposit / deposit.amount;
  const within = room < times ? room : times;
  return within > 1n ? within : 1n;
}

/** Returns a random address without a known key, which a vault cannot foresee. */
export function freshAccount(ctx: Context): Address {
  return getAddress(slice(keccak256(stringToHex(`causeway proof ${ctx.randomId()}`)), 12));
}
