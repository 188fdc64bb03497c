import { type Address, parseAbi } from "viem";
import { isUnmade, type ReadResult, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { MAX_UINT256, mulDivDown, smallestAmount } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { ExitTerms } from "../../vault-exits.ts";
import {
  addressesParam,
  addressParam,
  choiceParam,
  optionalChoiceParam,
  tokensParam,
} from "../../vault-params.ts";

/**
 * Versions of Veda's teller (deposit contract) by release: `a` 2024-04, `b` 2024-09, `c` 2025-04, `d` 2025-09. Version
 * `a` has no share premium; version `d` takes a referrer.
 */
const GENERATIONS = ["a", "b", "c", "d"] as const;

/** Returns the version of a vault's teller from its registry entry. Throws an Error if it is missing or unknown. */
export const generationOf = (vault: Vault): (typeof GENERATIONS)[number] =>
  choiceParam(vault, { name: "teller", choices: GENERATIONS });

/**
 * Returns true if yield accrues to the accountant's rate every second (registry parameter `rate`); deposits are then
 * priced at the rate plus one smallest unit. Throws an Error if the parameter is invalid.
 */
export const isStreamed = (vault: Vault): boolean =>
  vault.params["rate"] !== undefined &&
  choiceParam(vault, { name: "rate", choices: ["pushed", "streamed"] }) === "streamed";

/** Validates Veda's parameters of a registry entry. Throws an Error if one is invalid or `teller` is missing. */
export function checkVedaParams(vault: Vault): void {
  generationOf(vault);
  isStreamed(vault);
  optionalChoiceParam(vault, { name: "teller_withdraw", choices: ["public"] });
  addressParam(vault, "referrer");
  addressParam(vault, "withdraw_queue");
  addressParam(vault, "delayed_withdraw");
  addressesParam(vault, "queue_requests");
  addressesParam(vault, "delayed_requests");
  addressesParam(vault, "atomic_queues");
  tokensParam(vault, "redeem_tokens");
  tokensParam(vault, "stopped_tokens");
}

/** ABI of the view functions of a teller, Veda's deposit contract. */
export const tellerAbi = once(() =>
  parseAbi([
    "function isSupported(address) view returns (bool)",
    "function assetData(address) view returns (bool allowDeposits, bool allowWithdraws, uint16 sharePremium)",
    "function isPaused() view returns (bool)",
    "function depositCap() view returns (uint112)",
    "function accountant() view returns (address)",
    "function vault() view returns (address)",
  ]),
);
/**
 * ABI of the view functions of Veda's accountant, the pricing contract: the price of one whole share in a given token's
 * smallest unit. The `Safe` variant reverts while the accountant is paused.
 */
export const accountantAbi = once(() =>
  parseAbi([
    "function getRateInQuote(address) view returns (uint256)",
    "function getRateInQuoteSafe(address) view returns (uint256)",
  ]),
);
const shareAbi = once(() => parseAbi(["function totalSupply() view returns (uint256)"]));

const BPS = 10_000n;
/** Value of a teller's `depositCap` that means there is no cap. */
const NO_CAP = 2n ** 112n - 1n;

/** A teller's settings for one token: whether it accepts deposits of it, and the share premium in basis points. */
interface TokenSupport {
  accepted: boolean;
  premium: bigint;
}

/**
 * What determines the result of a deposit of one token. A field is null if unknown, `cap` also if the teller has no
 * view for it. `cap` (2^112 - 1 means none) and `supply` are in the share token's smallest unit.
 */
export interface VedaMarket {
  /** Price of one whole share in the deposited token's smallest unit. Null also if the accountant's pause hides it. */
  rate: bigint | null;
  support: TokenSupport | null;
  cap: bigint | null;
  supply: bigint | null;
}

/** Returns the number of smallest units in one whole share. */
export const oneShare = (vault: Vault): bigint => 10n ** BigInt(vault.shareDecimals);

/**
 * Creates the reads of the price, the token's settings and the pauses, for deposits of one token. Throws an Error if
 * the registry parameter `teller` is missing or unknown.
 */
export function marketReads(vault: Vault, token: Address) {
  const teller = { to: vault.entryPoint, abi: tellerAbi() } as const;
  const args = [token] as const;
  const support =
    generationOf(vault) === "a"
      ? read({ ...teller, name: "isSupported", args })
      : read({ ...teller, name: "assetData", args });
  return {
    support,
    rate: read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuoteSafe", args }),
    // Also works while the accountant is paused: if only the `Safe` variant reverts, the accountant is paused.
    rateAnyway: read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuote", args }),
    tellerPaused: read({ ...teller, name: "isPaused" }),
  };
}

/**
 * Creates two reads: the teller's cap on the total supply of shares (2^112 - 1 means none; older tellers have no such
 * view), and that supply. Both are in the share token's smallest unit.
 */
export function capReads(vault: Vault) {
  return {
    cap: read({ to: vault.entryPoint, abi: tellerAbi(), name: "depositCap" }),
    supply: read({ to: vault.shareToken, abi: shareAbi(), name: "totalSupply" }),
  };
}

type SupportAnswer = boolean | readonly [boolean, boolean, number];

/**
 * Interprets a teller's settings for a token: `isSupported` of version `a`, which has no premium, or `assetData` of
 * later versions. Returns null if the read failed.
 */
export function supportOf(result: ReadResult<SupportAnswer>): TokenSupport | null {
  if (!result.ok) return null;
  const { value } = result;
  if (typeof value === "boolean") return { accepted: value, premium: 0n };
  return { accepted: value[0], premium: BigInt(value[2]) };
}

interface PauseResults {
  tellerPaused: ReadResult<boolean>;
  support: ReadResult<SupportAnswer>;
  rate: ReadResult<bigint>;
  rateAnyway: ReadResult<bigint>;
}

/**
 * Returns true if deposits of the token are stopped: the teller is paused, or the accountant, because only its `Safe`
 * price reverts, or the teller does not accept the token. Unknown conditions do not count.
 */
export function isPaused(results: PauseResults): boolean {
  // A paused accountant returns its price only through the view that ignores the pause.
  const accountantPaused = !results.rate.ok && results.rate.revert !== null && results.rateAnyway.ok;
  const refused = supportOf(results.support)?.accepted === false;
  return valueOrNull(results.tellerPaused) === true || accountantPaused || refused;
}

/**
 * Returns true if a read failed that would show a stop of deposits (`isPaused`). Reverts of the token's settings, and
 * of both prices together, do not count.
 */
export const isPauseUnknown = ({ tellerPaused, support, rate, rateAnyway }: PauseResults): boolean =>
  !tellerPaused.ok || isUnmade(support) || (!rate.ok && (rate.revert === null || isUnmade(rateAnyway)));

/**
 * Returns the shares that an amount mints after the share premium, rounded down twice as in the teller. Both are in
 * smallest units. Null if the price is unknown or 0, or if the premium is unknown or above 100%.
 */
export function mintedShares(vault: Vault, input: { market: VedaMarket; amount: bigint }): bigint | null {
  const { rate, support } = input.market;
  if (rate === null || rate === 0n || support === null || support.premium > BPS) return null;
  const shares = mulDivDown(input.amount, oneShare(vault), isStreamed(vault) ? rate + 1n : rate);
  return mulDivDown(shares, BPS - support.premium, BPS);
}

/**
 * Returns the largest deposit under the teller's cap on shares, in the deposited token's smallest unit: the largest
 * uint256 if the cap is 2^112 - 1 or no amount exceeds it; null if unknown, also for a teller without `depositCap()`.
 */
export function depositRoom(vault: Vault, market: VedaMarket): bigint | null {
  const { cap, supply } = market;
  if (cap === NO_CAP) return MAX_UINT256;
  if (cap === null || supply === null || mintedShares(vault, { market, amount: 1n }) === null) return null;
  if (cap <= supply) return 0n;
  const left = cap - supply;
  const over = (amount: bigint) => (mintedShares(vault, { market, amount }) ?? 0n) > left;
  const tooMuch = smallestAmount(MAX_UINT256, over);
  return tooMuch === null ? MAX_UINT256 : tooMuch - 1n;
}

/**
 * Returns the limits of a teller's payment if `shares` are worth more than the vault's balance of the token (`idle`),
 * from which it pays; `maxShares` is rounded down. Empty if the balance suffices, or if it or the shares' value is
 * unknown.
 */
export function tellerLimits(
  { grossAssets }: ExitTerms,
  { idle, shares }: { idle: bigint | null; shares: bigint },
): Pick<ExitTerms, "availableAssets" | "maxShares"> | Record<string, never> {
  if (idle === null || grossAssets === null || idle >= grossAssets) return {};
  // The value was rounded down.
  return { availableAssets: idle, maxShares: mulDivDown(idle, shares, grossAssets + 1n) };
}
