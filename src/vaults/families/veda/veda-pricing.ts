import { type Address, parseAbi } from "viem";
import { type ReadResult, read, valueOrNull } from "../../../chains/chain-query.ts";
import { leastAmount, MAX_UINT256, mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { addressParam, choiceParam } from "../../vault-params.ts";

/** Teller generations of 2024-04, 2024-09, 2025-04 and 2025-09. `a` has no premium; `d` takes a referrer. */
const GENERATIONS = ["a", "b", "c", "d"] as const;

/** Returns the generation of a row's teller. Throws an Error for a row without a valid one. */
export const generationOf = (vault: Vault): (typeof GENERATIONS)[number] =>
  choiceParam(vault, { name: "teller", choices: GENERATIONS });

/** Returns true when yield accrues to the rate every second. Such a teller mints at a rate that is one unit higher. */
export const isStreamed = (vault: Vault): boolean =>
  vault.params["rate"] !== undefined &&
  choiceParam(vault, { name: "rate", choices: ["pushed", "streamed"] }) === "streamed";

/** Checks all parameters of a row. Throws an Error for an invalid one. */
export function checkVedaParams(vault: Vault): void {
  generationOf(vault);
  isStreamed(vault);
  addressParam(vault, "referrer");
}

/** Views of a teller. */
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
const accountantAbi = once(() =>
  parseAbi([
    "function getRateInQuote(address) view returns (uint256)",
    "function getRateInQuoteSafe(address) view returns (uint256)",
  ]),
);
const shareAbi = once(() => parseAbi(["function totalSupply() view returns (uint256)"]));

const BPS = 10_000n;
/** The value of `depositCap` that means no cap. */
const NO_CAP = 2n ** 112n - 1n;

/** A teller's terms for a token: whether it accepts deposits, and the share premium in basis points. */
interface TokenSupport {
  accepted: boolean;
  premium: bigint;
}

/** Rate, terms and cap for one token. `rate` is in smallest units of the token per whole share. Null when a read failed. */
export interface VedaMarket {
  rate: bigint | null;
  support: TokenSupport | null;
  cap: bigint | null;
  supply: bigint | null;
}

/** One whole share in its smallest unit. */
export const oneShare = (vault: Vault): bigint => 10n ** BigInt(vault.shareDecimals);

/** Reads of rate, terms and pause for deposits of one token. */
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
    // Answers while the accountant is paused too, which shows the pause.
    rateAnyway: read({ to: vault.pricer, abi: accountantAbi(), name: "getRateInQuote", args }),
    tellerPaused: read({ ...teller, name: "isPaused" }),
  };
}

/** Reads of the cap on shares and of the total supply. */
export function capReads(vault: Vault) {
  return {
    cap: read({ to: vault.entryPoint, abi: tellerAbi(), name: "depositCap" }),
    supply: read({ to: vault.shareToken, abi: shareAbi(), name: "totalSupply" }),
  };
}

type SupportAnswer = boolean | readonly [boolean, boolean, number];

/** Interprets `isSupported` of the first generation or `assetData` of later ones; null when the read failed. */
export function supportOf(result: ReadResult<SupportAnswer>): TokenSupport | null {
  if (!result.ok) return null;
  const { value } = result;
  if (typeof value === "boolean") return { accepted: value, premium: 0n };
  return { accepted: value[0], premium: BigInt(value[2]) };
}

/** Returns true when the teller, the accountant or the token's own switch stops all deposits of the token. */
export function isPaused(results: {
  tellerPaused: ReadResult<boolean>;
  support: ReadResult<SupportAnswer>;
  rate: ReadResult<bigint>;
  rateAnyway: ReadResult<bigint>;
}): boolean {
  const accountantPaused = !results.rate.ok && results.rateAnyway.ok;
  const refused = supportOf(results.support)?.accepted === false;
  return valueOrNull(results.tellerPaused) === true || accountantPaused || refused;
}

/** Returns the shares for an amount after the premium, rounded down twice as the teller does. Null when not known. */
export function mintedShares(vault: Vault, input: { market: VedaMarket; amount: bigint }): bigint | null {
  const { rate, support } = input.market;
  if (rate === null || rate === 0n || support === null || support.premium > BPS) return null;
  const shares = mulDivDown(input.amount, oneShare(vault), isStreamed(vault) ? rate + 1n : rate);
  return mulDivDown(shares, BPS - support.premium, BPS);
}

/**
 * Returns the largest amount that fits under the teller's cap on shares: the largest uint256 without a cap, null when not known.
 */
export function depositRoom(vault: Vault, market: VedaMarket): bigint | null {
  const { cap, supply } = market;
  if (cap === NO_CAP) return MAX_UINT256;
  if (cap === null || supply === null || mintedShares(vault, { market, amount: 1n }) === null) return null;
  if (cap <= supply) return 0n;
  const left = cap - supply;
  const over = (amount: bigint) => (mintedShares(vault, { market, amount }) ?? 0n) > left;
  const tooMuch = leastAmount(MAX_UINT256, over);
  return tooMuch === null ? MAX_UINT256 : tooMuch - 1n;
}
