import { type Abi, type Hex, parseAbi, toFunctionSelector } from "viem";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { addressParam, choiceParam, wordParam } from "../../vault-params.ts";

/** How a row's deposits are made. `instant`: minted at once; else an administrator approves each request. */
export interface MidasMode {
  instant: boolean;
  /** Whether the deposit names who receives the tokens; older vaults mint to whoever calls. */
  names: boolean;
}

/** The mode by `params.deposit` and `params.recipient`. Throws an Error for a row that does not say. */
export function midasMode(vault: Vault): MidasMode {
  const deposit = choiceParam(vault, { name: "deposit", choices: ["instant", "request"] });
  const recipient = choiceParam(vault, { name: "recipient", choices: ["argument", "caller"] });
  return { instant: deposit === "instant", names: recipient === "argument" };
}

/** Reads all parameters of a row. Throws an Error where one of them is none. */
export function checkMidasParams(vault: Vault): void {
  midasMode(vault);
  addressParam(vault, "redemption_vault");
  addressParam(vault, "asset_feed");
  wordParam(vault, "referrer");
}

/** How many of the family's units, of which a token always has 10^18, are one smallest unit; null: not one. */
export function midasUnit(decimals: number): bigint | null {
  return decimals <= 18 ? 10n ** BigInt(18 - decimals) : null;
}

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

/** The selector that a deposit of this mode calls, which may be paused by itself. */
export function depositSelector({ instant, names }: MidasMode): Hex {
  const { instantFor, instant: plain, requestFor, request } = midasDepositAbis();
  const abi: Abi = instant ? (names ? instantFor : plain) : names ? requestFor : request;
  const [item] = abi;
  if (item?.type !== "function") throw new TypeError("no function");
  return toFunctionSelector(item);
}
