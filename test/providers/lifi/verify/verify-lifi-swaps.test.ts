import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { BridgeTree, ExecuteTree, GenericSwapTree, SwapTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER, DEX, dexStep, NATIVE, ROUTER, tokens, USER } from "../../../support/lifi/parts.ts";
import { scenarioOf } from "../../../support/lifi/scenarios.ts";
import { calldata, facet, fee, send, swap } from "../../../support/lifi/tamper.ts";

describe("checkSwaps()", () => {
  test.each([
    ["across, fee", swap(0, { requiresDeposit: false }), "swaps[0].requiresDeposit"],
    ["across, swapped", swap(1, { requiresDeposit: true }), "swaps[1].requiresDeposit"],
    ["across, fee", swap(0, { fromAmount: 200_000_000n }), "swaps[0].fromAmount"],
    ["across, fee", swap(0, { sendingAssetId: tokens.weth[8453] }), "swaps[0].sendingAssetId"],
    ["across, fee", swap(0, { callTo: USER }), "swaps[0].callTo"],
    ["across, fee", swap(0, { approveTo: USER }), "swaps[0].approveTo"],
    ["across, fee", swap(0, { callTo: tokens.usdc[8453] }), "swaps[0].callTo"],
    ["across, swapped", swap(1, { fromAmount: 1n }), "swaps[1].fromAmount"],
    ["across, swapped", swap(1, { sendingAssetId: tokens.weth[1] }), "swaps[1].sendingAssetId"],
    ["across, swapped", swap(1, { receivingAssetId: tokens.weth[1] }), "bridge.sendingAssetId"],
    ["across, swapped", swap(1, { callTo: USER }), "swaps[1].callTo"],
    ["across, swapped", swap(1, { callTo: tokens.usdc[1] }), "swaps[1].callTo"],
    ["across, swapped", swap(1, { callData: "0x" }), "swaps[1].callData"],
    ["swap, tokens", swap(1, { approveTo: USER }), "swaps[1].approveTo"],
    ["execute, swapped", swap(1, { callTo: ROUTER }), "swaps[1].callTo"],
    [
      "execute, swapped",
      swap(1, { callTo: "0x74a55CaDb12501A3707E9F3C5dfd8b563C6A5940" }),
      "swaps[1].callTo",
    ],
  ] as const)("refuses in %s the change %o as %s", (name, change, field) => {
    expect(calldata(name, change)).toBe(field);
  });

  test("refuses swaps that end in another token", () => {
    const worthless = (at: number) => swap(at, { receivingAssetId: ATTACKER });
    expect(calldata("swap, tokens", worthless(1))).toBe("swaps.receivingAssetId");
    expect(calldata("execute, swapped", worthless(1))).toBe("swaps.receivingAssetId");
  });

  test("refuses swaps that return to their first token", () => {
    const [there, left] = [tokens.weth[8453], 60_000_000n];
    const away = dexStep({
      sendingAssetId: tokens.usdc[8453],
      receivingAssetId: there,
      fromAmount: 99_750_000n,
    });
    const back = dexStep({ sendingAssetId: there, receivingAssetId: tokens.usdc[8453], fromAmount: 1n });
    const least: Readonly<Record<string, (tree: BridgeTree) => void>> = {
      "stargate, fee": send({ amountLD: left, minAmountLD: left }),
      "across, fee": facet({ outputAmount: left, outputAmountMultiplier: 10n ** 18n }),
      "celer, fee": () => undefined,
    };
    for (const [name, change] of Object.entries(least)) {
      const scenario = { ...scenarioOf(name), toAmount: left, toAmountMin: left };
      const tree = scenario.tree as BridgeTree;
      tree.swaps?.push(away, back);
      tree.bridge.minAmount = left;
      change(tree);
      const refused = refusedField(() => verifyAnswer(scenario.request, answerOf(scenario)));
      expect([name, refused]).toEqual([name, "swaps.receivingAssetId"]);
    }
    const executed = (tree: ExecuteTree) => void tree.swaps.splice(1, 0, away, back);
    expect(calldata("execute", executed)).toBe("swaps.receivingAssetId");
  });

  test.each([
    ["another fee contract", swap(0, { callTo: DEX, approveTo: DEX })],
    ["another spender of the fee", swap(0, { approveTo: ATTACKER })],
    ["another fee function", swap(0, { callData: "0xa9059cbb" })],
    ["another fee recipient", fee({ distributions: [{ recipient: ATTACKER, amount: 250_000n }] })],
  ] as const)("accepts %s: the guaranteed amount bounds it", (_what, change) => {
    expect(calldata("across, fee", change)).toBe("accepted");
  });

  test("refuses a fee that the bridged amount does not reflect, and too many calls", () => {
    const recipient = "0xC06ebbefD94032B85424D51906e2A335EFAe264B";
    const tooMuch = (tree: BridgeTree) =>
      fee({ distributions: [{ recipient, amount: 1_000_001n }] })(tree as { swaps: SwapTree[] });
    expect(calldata("across, fee", tooMuch)).toBe("bridge.minAmount");
    const twice = (tree: BridgeTree) => {
      const [first] = tree.swaps ?? [];
      if (first) tree.swaps?.push({ ...first, fromAmount: 99_750_000n, requiresDeposit: false });
    };
    expect(calldata("across, fee", twice)).toBe("bridge.minAmount");
    const many = (tree: BridgeTree) => {
      const step = dexStep({ sendingAssetId: NATIVE, receivingAssetId: DEX, fromAmount: 1n });
      tree.swaps?.push(...Array.from({ length: 8 }, () => step));
    };
    expect(calldata("across, fee", many)).toBe("swaps.length");
    const none = (tree: BridgeTree) => tree.swaps?.splice(0);
    expect(calldata("across, fee", none)).toBe("swaps.length");
  });
});

describe("verifySwapCall() and verifyExecuteCall()", () => {
  const own = (change: Partial<GenericSwapTree>) => (tree: GenericSwapTree) =>
    void Object.assign(tree, change);
  const run = (change: Partial<ExecuteTree>) => (tree: ExecuteTree) => void Object.assign(tree, change);
  test.each([
    [own({ receiver: ATTACKER }), "swap.receiver"],
    [own({ minAmountOut: 35_999_999_999_999_999n }), "swap.minAmountOut"],
    [own({ minAmountOut: 37_000_000_000_000_001n }), "swap.minAmountOut"],
    [own({ integrator: "somebody" }), "accepted"],
    [own({ referrer: ATTACKER }), "accepted"],
    [own({ transactionId: `0x${"11".repeat(32)}` }), "swap.transactionId"],
    [own({ functionName: "swapTokensMultipleV3ERC20ToNative" }), "selector"],
    [own({ functionName: "swapTokensMultipleV3NativeToERC20" }), "selector"],
  ])("judge %o as %s", (change, field) => {
    expect(calldata("swap, tokens", change)).toBe(field);
  });

  test.each([
    [run({ receiver: ATTACKER }), "execute.receiver"],
    [run({ amount: 100_000_001n }), "execute.amount"],
    [run({ transferredAssetId: tokens.weth[8453] }), "execute.transferredAssetId"],
    [run({ transactionId: `0x${"11".repeat(32)}` }), "execute.transactionId"],
    [swap(1, { callTo: ATTACKER }), "call.callTo"],
    [swap(1, { callData: "0x12345678" }), "call.callData"],
    [swap(1, { fromAmount: 99_750_001n }), "no_route"],
    [(tree: ExecuteTree) => void tree.swaps.push(...tree.swaps.slice(-1)), "swaps[1].fromAmount"],
    [(tree: ExecuteTree) => void tree.swaps.reverse(), "swaps[0].fromAmount"],
    [(tree: ExecuteTree) => void tree.swaps.splice(0), "swaps.length"],
  ])("refuse %o as %s", (change, field) => {
    expect(calldata("execute", change)).toBe(field);
  });
});
