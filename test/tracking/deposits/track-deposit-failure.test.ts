import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import type { Transaction } from "../../../src/chains/chain-transaction.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { failure } from "../../../src/errors.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { failureReason, reasonOf } from "../../../src/tracking/deposits/track-deposit-failure.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { OTHER, USER } from "../../support/deposits/fixtures.ts";
import { receiptOf } from "../../support/deposits/logs.ts";

const abi = parseAbi([
  "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error Error(string reason)",
  "error Panic(uint256 code)",
]);
const says = (reason: string): Hex => encodeErrorResult({ abi, errorName: "Error", args: [reason] });
const router = (errorName: "OutputBelowMinimum" | "InputBelowMinimum" | "DeadlinePassed"): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName, args: [1n, 2n] });
const within = (errorName: "StepFailed" | "TokenFailed", of: bigint | Hex, reason: Hex): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName, args: [of, reason] } as never);

describe("reasonOf()", () => {
  test.each<[string, Hex, string]>([
    ["too few shares", router("OutputBelowMinimum"), "SLIPPAGE_EXCEEDED"],
    ["too little that arrived", router("InputBelowMinimum"), "SLIPPAGE_EXCEEDED"],
    [
      "too little for a later step",
      encodeErrorResult({ abi: depositRouterAbi, errorName: "StepUnderfunded", args: [1n, 2n, 3n] }),
      "SLIPPAGE_EXCEEDED",
    ],
    ["a deadline passed", router("DeadlinePassed"), "EXPIRED"],
    [
      "another refusal of the Router's",
      encodeErrorResult({ abi: depositRouterAbi, errorName: "SameToken", args: [OTHER] }),
      "UNKNOWN_ERROR",
    ],
    [
      "a token's reason for the payment",
      within("TokenFailed", OTHER, says("allowance")),
      "INSUFFICIENT_ALLOWANCE",
    ],
    ["a step's reason", within("StepFailed", 1n, says("balance")), "INSUFFICIENT_BALANCE"],
    ["a step that poses as the Router", within("StepFailed", 0n, router("DeadlinePassed")), "UNKNOWN_ERROR"],
    [
      "OpenZeppelin 5, allowance",
      encodeErrorResult({ abi, errorName: "ERC20InsufficientAllowance", args: [OTHER, 1n, 2n] }),
      "INSUFFICIENT_ALLOWANCE",
    ],
    [
      "OpenZeppelin 5, balance",
      encodeErrorResult({ abi, errorName: "ERC20InsufficientBalance", args: [USER, 1n, 2n] }),
      "INSUFFICIENT_BALANCE",
    ],
    ["solmate", says("TRANSFER_FROM_FAILED"), "UNKNOWN_ERROR"],
    ["a reason of the vault's own", says("Pausable: paused"), "UNKNOWN_ERROR"],
    ["an overflow", encodeErrorResult({ abi, errorName: "Panic", args: [17n] }), "UNKNOWN_ERROR"],
    ["nothing", "0x", "UNKNOWN_ERROR"],
    ["half a selector", "0x08c3", "UNKNOWN_ERROR"],
    ["a reason that is cut off", says("ERC20: insufficient allowance").slice(0, 80) as Hex, "UNKNOWN_ERROR"],
    ["an error nobody knows", "0xdeadbeef", "UNKNOWN_ERROR"],
  ])("%s", (_what, revert, reason) => {
    expect(reasonOf(revert)).toBe(reason);
  });
});

describe("failureReason()", () => {
  const transaction: Transaction = {
    hash: `0x${"ab".repeat(32)}`,
    from: USER,
    to: depositRouterAddress,
    input: "0x1234",
    value: 5n,
    gas: 100_000n,
  };
  const receipt = { ...receiptOf(), succeeded: false, gasUsed: 60_000n };
  let asked: unknown[] = [];
  beforeEach(() => {
    asked = [];
  });
  const clientThat = (request: () => Promise<unknown>): ChainClient =>
    completeClient({
      definition: testChain,
      observe: () => undefined,
      request: (method: string, params: readonly unknown[]) => {
        asked.push([method, params]);
        return request();
      },
    });

  test("returns the reason of the replayed revert", async () => {
    const client = clientThat(() =>
      Promise.reject(new RpcError("revert", "reverted", { data: router("DeadlinePassed") })),
    );
    expect(await failureReason(client, { transaction, receipt })).toBe("EXPIRED");
    expect(asked).toEqual([
      ["eth_call", [{ from: USER, to: depositRouterAddress, data: "0x1234", value: "0x5" }, "0x63"]],
    ]);
  });

  test("returns OUT_OF_GAS when all gas was used", async () => {
    const spent = { ...receipt, gasUsed: 100_000n };
    expect(
      await failureReason(
        clientThat(async () => "0x"),
        { transaction, receipt: spent },
      ),
    ).toBe("OUT_OF_GAS");
  });

  test("returns OUT_OF_GAS when nearly all gas was used and the replay succeeds", async () => {
    const spent = { ...receipt, gasUsed: 98_000n };
    expect(
      await failureReason(
        clientThat(async () => "0x"),
        { transaction, receipt: spent },
      ),
    ).toBe("OUT_OF_GAS");
  });

  test.each<[string, () => Promise<unknown>]>([
    ["it does not revert there", async () => "0x"],
    ["it reverts without data", () => Promise.reject(new RpcError("revert", "execution reverted"))],
    ["the state is gone", () => Promise.reject(new RpcError("node", "missing trie node"))],
    ["no node answers", () => Promise.reject(failure("upstream_unavailable", "no node"))],
    ["something breaks", () => Promise.reject(new TypeError("x"))],
  ])("returns UNKNOWN_ERROR when %s", async (_what, request) => {
    expect(await failureReason(clientThat(request), { transaction, receipt })).toBe("UNKNOWN_ERROR");
  });
});
