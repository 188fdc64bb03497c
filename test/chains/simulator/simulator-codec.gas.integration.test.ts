import type { Hex } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { send } from "../../../scripts/stack/chains/scratch-chain.ts";
import type { SimulationCall } from "../../../src/chains/simulator/simulation.ts";
import { balanceOf, callOf, simulate, tokenAbi } from "../../support/chains/simulate.ts";
import { contracts, STRANGER, type Stage, setStage, transact, USER } from "../../support/chains/stage.ts";

let stage: Stage;
let snapshot: Hex;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.chain.stop());
beforeEach(async () => {
  snapshot = await stage.chain.node.snapshot();
});
afterEach(() => stage.chain.node.revert({ id: snapshot }));

describe("gas of a simulated call", () => {
  /**
   * A transaction pays what it uses less refunds of at most a fifth (EIP-3529). Simulated gas has no refunds
   * and some 150 gas for the CALL itself.
   */
  async function compare(
    call: SimulationCall,
    reads = [balanceOf(stage.asset, USER), balanceOf(stage.vault, USER)],
  ) {
    const simulation = await simulate(stage.chain, { user: USER, calls: [call], reads });
    const simulated = simulation.calls[0]?.gasUsed ?? 0n;
    const { gasUsed } = await transact(stage, call);
    expect(simulation.failedAt).toBe(null);
    expect(simulated).toBeGreaterThanOrEqual(gasUsed);
    expect(simulated).toBeLessThanOrEqual((gasUsed * 5n) / 4n + 300n);
    return { simulated, gasUsed };
  }

  test("equals the transaction's for approve, deposit, native deposit and transfer", async () => {
    for (const call of [
      stage.approve(500n),
      callOf(tokenAbi, { target: stage.asset, name: "transfer", args: [STRANGER, 5n] }),
      callOf(contracts("Wrapped").abi, { target: stage.wrapped, name: "deposit", value: 5n }),
      callOf(contracts("Wrapped").abi, { target: stage.wrapped, name: "withdraw", args: [2n] }),
      { target: stage.prober, value: 1n, data: "0x" as const },
      stage.probe("who", [], 1n),
      stage.probe("write", [10n]),
    ]) {
      const { simulated, gasUsed } = await compare(call);
      expect(simulated - gasUsed).toBeLessThanOrEqual(300n);
    }
  });

  test("excludes the refund, which a gas limit must not count on", async () => {
    await transact(stage, stage.approve(500n));
    const { simulated, gasUsed } = await compare(stage.deposit(500n));
    expect(simulated - gasUsed).toBeGreaterThan(2_000n);
    await transact(stage, stage.probe("write", [40n]));
    const cleared = await compare(stage.probe("clear"));
    expect(cleared.simulated - cleared.gasUsed).toBeGreaterThan(20_000n);
  });

  test("suffices as the limit of the transaction", async () => {
    await transact(stage, stage.approve(500n));
    const simulation = await simulate(stage.chain, { user: USER, calls: [stage.deposit(500n)] });
    const { target, data } = stage.deposit(500n);
    await send(stage.chain, { from: USER, to: target, data, gas: simulation.calls[0]?.gasUsed ?? 0n });
  });

  test("is never below the floor for calldata", async () => {
    const data: Hex = `0x${"ff".repeat(3000)}`;
    const { simulated, gasUsed } = await compare({ target: STRANGER, value: 0n, data });
    expect([simulated, gasUsed]).toEqual([21_000n + 120_000n, 21_000n + 120_000n]);
  });

  test("is reduced by earlier calls only, not by reads", async () => {
    await transact(stage, stage.approve(500n));
    const gasOf = async (calls: SimulationCall[], reads = [balanceOf(stage.asset, USER)]) =>
      (await simulate(stage.chain, { user: USER, calls, reads })).calls.at(-1)?.gasUsed ?? 0n;
    expect(await gasOf([stage.deposit(5n)])).toBe(await gasOf([stage.deposit(5n)], []));
    expect(await gasOf([stage.approve(5n), stage.deposit(5n)])).toBeLessThan(
      await gasOf([stage.deposit(5n)]),
    );
  });
});
