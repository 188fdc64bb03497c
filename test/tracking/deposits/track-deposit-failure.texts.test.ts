import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { decodeRouterError } from "../../../src/router/router-codec.ts";
import { reasonOf } from "../../../src/tracking/deposits/track-deposit-failure.ts";

const abi = parseAbi([
  "error Error(string reason)",
  "error Panic(uint256 code)",
  "error TellerWithMultiAssetSupport__MinimumMintNotMet()",
  "error TellerWithMultiAssetSupport__MinimumAssetsNotMet()",
  "error FluidLendingError(uint256 errorId)",
]);
const fluid = (id: bigint): Hex => encodeErrorResult({ abi, errorName: "FluidLendingError", args: [id] });
const says = (reason: string): Hex => encodeErrorResult({ abi, errorName: "Error", args: [reason] });

test.each<[string, Hex, string]>([
  ["OpenZeppelin 4, allowance", says("ERC20: insufficient allowance"), "INSUFFICIENT_ALLOWANCE"],
  ["USDC, allowance", says("ERC20: transfer amount exceeds allowance"), "INSUFFICIENT_ALLOWANCE"],
  ["USDC, balance", says("ERC20: transfer amount exceeds balance"), "INSUFFICIENT_BALANCE"],
  ["DAI, allowance", says("Dai/insufficient-allowance"), "INSUFFICIENT_ALLOWANCE"],
  ["DAI, balance", says("Dai/insufficient-balance"), "INSUFFICIENT_BALANCE"],
  ["Midas, minimum mTokens", says("DV: minReceiveAmount > actual"), "SLIPPAGE_EXCEEDED"],
  ["Midas, minimum of a redemption", says("RVS: minReceiveAmount > actual"), "SLIPPAGE_EXCEEDED"],
  [
    "Veda, minimum shares",
    encodeErrorResult({ abi, errorName: "TellerWithMultiAssetSupport__MinimumMintNotMet" }),
    "SLIPPAGE_EXCEEDED",
  ],
  [
    "Veda, minimum assets",
    encodeErrorResult({ abi, errorName: "TellerWithMultiAssetSupport__MinimumAssetsNotMet" }),
    "SLIPPAGE_EXCEEDED",
  ],
  ["Fluid, minimum shares", fluid(20_002n), "SLIPPAGE_EXCEEDED"],
  ["Fluid, another error", fluid(20_003n), "UNKNOWN_ERROR"],
  ["text that only mentions a minimum", says("minReceiveAmount > actual"), "UNKNOWN_ERROR"],
])("reasonOf() for %s", (_what, revert, reason) => {
  expect(reasonOf(revert)).toBe(reason);
});

test("reasonOf() attributes no foreign error to the Router", () => {
  expect(decodeRouterError(says("ZERO_SHARES"))).toBe(null);
  expect(decodeRouterError(encodeErrorResult({ abi, errorName: "Panic", args: [17n] }))).toBe(null);
});
