import { type Address, getAddress, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { answerOf } from "../../../support/lifi/answers.ts";
import type { SwapTree } from "../../../support/lifi/calls.ts";
import { refusedField, verifyAnswer } from "../../../support/lifi/harness.ts";
import { ATTACKER } from "../../../support/lifi/parts.ts";
import { scenarioOf, scenarios } from "../../../support/lifi/scenarios.ts";

describe("verifyLifiTransfer() accepts the expected quote", () => {
  test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("%s", (_, scenario) => {
    const answer = answerOf(scenario);
    expect(refusedField(() => verifyAnswer(scenario.request, answer))).toBe("accepted");
  });
});

test.each([
  ["execute", false],
  ["execute, swapped", true],
] as const)("verifyLifiTransfer() does not count the destination call as a swap: %s", (name, swaps) => {
  const scenario = scenarioOf(name);
  const { swaps: calls } = scenario.tree as { swaps: SwapTree[] };
  Object.assign(calls.at(-1) ?? {}, { receivingAssetId: zeroAddress });
  expect(verifyAnswer(scenario.request, answerOf(scenario)).swaps).toBe(swaps);
});

describe("verifyLifiTransfer() names what the swaps of a route may leave", () => {
  const DAI = "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb";
  const leftBy = (name: string, via: readonly Address[] = []) => {
    const scenario = scenarioOf(name);
    const { swaps } = scenario.tree as { swaps: SwapTree[] };
    const last = swaps.pop();
    if (last === undefined) throw new Error(`no swaps in ${name}`);
    const path = [last.sendingAssetId, ...via, last.receivingAssetId];
    for (const [index, receivingAssetId] of path.slice(1).entries()) {
      const sendingAssetId = path[index] ?? zeroAddress;
      swaps.push({ ...last, sendingAssetId, receivingAssetId });
    }
    return verifyAnswer(scenario.request, answerOf(scenario)).asStep;
  };

  test.each(["swap, tokens", "single swap, tokens", "swap, token to native"])("nothing: %s", (name) => {
    expect(verifyAnswer(scenarioOf(name).request, answerOf(scenarioOf(name))).asStep).toEqual({
      ...{ receiverOffset: 100, leftovers: [] },
    });
  });

  test("each token between two swaps once, on one chain and before a bridge", () => {
    expect(leftBy("swap, tokens, two hops")).toEqual({ receiverOffset: 100, leftovers: [DAI] });
    expect(leftBy("swap, tokens", [DAI, ATTACKER, DAI])?.leftovers).toEqual([DAI, getAddress(ATTACKER)]);
    expect(leftBy("across, swapped", [DAI])).toEqual({ receiverOffset: null, leftovers: [DAI] });
  });

  test("neither the native currency nor the token that is paid, which every order returns", () => {
    expect(leftBy("swap, tokens", [zeroAddress, DAI])?.leftovers).toEqual([DAI]);
  });
});
