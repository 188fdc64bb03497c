import { type Abi, type Hex, parseAbi, toFunctionSelector } from "viem";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import {
  addressesParam,
  addressParam,
  choiceParam,
  optionalChoiceParam,
  tokensParam,
  wordParam,
} from "../../vault-params.ts";

/**
 * How a DepositVault (Midas's deposit contract) takes deposits. `instant` is true if it mints mTokens immediately,
 * false if an administrator approves each request.
 */
export interface MidasMode {
  instant: boolean;
  /** True if the deposit call takes a recipient; otherwise it mints to the caller. */
  namesRecipient: boolean;
}

/**
 * Reads how a vault takes deposits from the registry parameters `deposit` and `recipient`. Throws an Error if one is
 * missing or has an unknown value.
 */
export function midasMode(vault: Vault): MidasMode {
  const deposit = choiceParam(vault, { name: "deposit", choices: ["instant", "request"] });
  const recipient = choiceParam(vault, { name: "recipient", choices: ["argument", "caller"] });
  return { instant: deposit === "instant", namesRecipient: recipient === "argument" };
}

/** Validates Midas's parameters of a registry entry. Throws an Error if one is invalid or a required one is missing. */
export function checkMidasParams(vault: Vault): void {
  midasMode(vault);
  optionalChoiceParam(vault, { name: "asset_rate", choices: ["stable", "feed"] });
  optionalChoiceParam(vault, { name: "redeem_via", choices: ["router", "user"] });
  addressParam(vault, "redemption_vault");
  addressesParam(vault, "redemption_requests");
  addressParam(vault, "asset_feed");
  tokensParam(vault, "redeem_tokens");
  wordParam(vault, "referrer");
}

/**
 * Returns the factor that converts a token amount from its smallest unit to 18 decimals, with which Midas counts every
 * token. Returns null for a token with more than 18 decimals.
 */
export function midasUnit(decimals: number): bigint | null {
  return decimals <= 18 ? 10n ** BigInt(18 - decimals) : null;
}

/** ABI of each of a DepositVault's four deposit functions: instant or by request, with or without a recipient. */
export const midasDepositAbis = once(() => ({
  instantFor: parseAbi([
    "function depositInstant(address tokenIn, uint256 amountToken, uint256 minReceiveAmount, bytes32 referrerId, address recipient)",
  ]),
  instant: parseAbi([
    "function depositInstant(address tokenIn, uint256 amountToken, uint256 minReceiveAmount, bytes32 referrerId)",
  ]),
  requestFor: parseAbi([
    "function depositRequest(address tokenIn, uint256 amountToken, bytes32 referrerId, address recipient)",
  ]),
  request: parseAbi(["function depositRequest(address tokenIn, uint256 amountToken, bytes32 referrerId)"]),
}));

/** Returns the selector of the deposit function for a mode. Each function can be paused separately, by its selector. */
export function depositSelector({ instant, namesRecipient }: MidasMode): Hex {
  const { instantFor, instant: plain, requestFor, request } = midasDepositAbis();
  const abi: Abi = instant ? (namesRecipient ? instantFor : plain) : namesRecipient ? requestFor : request;
  const [item] = abi;
  if (item?.type !== "function") throw new TypeError("no function");
  return toFunctionSelector(item);
}
