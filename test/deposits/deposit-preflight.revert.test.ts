import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { explainDepositRevert, type RevertedDeposit } from "../../src/deposits/deposit-preflight.ts";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import { intentOf, USDC, VAULT } from "../support/deposits/fixtures.ts";

const terms = {
  ...{ asset: USDC, previewShares: 1n, previewRevert: null, price: null },
  ...{ maxDeposit: null, minDeposit: null, paused: false },
};
const paused = encodeErrorResult({
  abi: parseAbi(["error Error(string reason)"]),
  ...{ errorName: "Error", args: ["Pausable: paused"] },
});
const failed = (token: Hex): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName: "TokenFailed", args: [token, paused] });

test.each<[string, RevertedDeposit, string]>([
  ["the vault", { revert: paused, failedCall: "deposit" }, "vault_paused"],
  ["the vault's share", { revert: failed(VAULT), failedCall: "deposit" }, "vault_paused"],
  ["the paid token", { revert: failed(USDC), failedCall: "deposit" }, "would_revert"],
  ["the approval of the paid token", { revert: paused, failedCall: "approval" }, "would_revert"],
])("charges a pause of %s to the contract that is paused", (_what, revert, code) => {
  const error = explainDepositRevert({ intent: intentOf(), amount: 100_000_000n, terms }, revert);
  expect(error.code).toBe(code);
  if (code === "would_revert") expect(error.members).toEqual({ revert: "Pausable: paused" });
});
