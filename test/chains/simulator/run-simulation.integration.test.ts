import { decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex, parseEther } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deploy, startScratchChain } from "../../../scripts/stack/chains/scratch-chain.ts";
import { callSimulatorAbi } from "../../../src/chains/simulator/call-simulator-artifact.ts";
import { encodeSimulation } from "../../../src/chains/simulator/simulator-codec.ts";
import { balanceOf, callOf, numberOf, simulate, tokenAbi } from "../../support/chains/simulate.ts";
import { contracts, STRANGER, type Stage, setStage, transact, USER } from "../../support/chains/stage.ts";

const { abi: proberAbi } = contracts("Prober");
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

describe("runSimulation()", () => {
  test("predicts what sending approve and deposit does", async () => {
    const calls = [stage.approve(400n), stage.deposit(400n)];
    const reads = [
      balanceOf(stage.asset, USER),
      balanceOf(stage.vault, USER),
      balanceOf(stage.asset, stage.vault),
    ];
    const simulation = await simulate(stage.chain, { user: USER, calls, reads });
    expect(simulation.failedAt).toBe(null);
    expect(simulation.before.map(numberOf)).toEqual([1000n, 0n, 0n]);
    expect(simulation.after.map(numberOf)).toEqual([600n, 400n, 400n]);
    expect(numberOf(simulation.calls[1]?.returnData)).toBe(400n);

    for (const call of calls) await transact(stage, call);
    const sent = await simulate(stage.chain, { user: USER, calls: [], reads });
    expect(sent.before).toEqual(simulation.after);
  });

  test("changes nothing on the chain", async () => {
    const reads = [balanceOf(stage.asset, USER)];
    await simulate(stage.chain, { user: USER, calls: [stage.approve(400n), stage.deposit(400n)] });
    expect((await simulate(stage.chain, { user: USER, calls: [], reads })).before.map(numberOf)).toEqual([
      1000n,
    ]);
    expect(await stage.chain.node.getCode({ address: USER })).toBeUndefined();
  });

  test("returns chain id, block and time", async () => {
    const block = await stage.chain.node.getBlock();
    const simulation = await simulate(stage.chain, { user: USER, calls: [] });
    const { chainId, blockNumber, blockTimestamp } = simulation;
    expect({ chainId, blockNumber }).toEqual({ chainId: 31337, blockNumber: block.number });
    expect(blockTimestamp).toBeGreaterThanOrEqual(block.timestamp);
  });

  test("ends at the first call that reverts, with its revert data", async () => {
    const calls = [stage.approve(1n), stage.probe("refuse"), stage.approve(2n)];
    const reads = [
      {
        target: stage.asset,
        data: callOf(tokenAbi, { target: stage.asset, name: "allowance", args: [USER, stage.vault] }).data,
      },
    ];
    const simulation = await simulate(stage.chain, { user: USER, calls, reads });
    expect(simulation.failedAt).toBe(1);
    expect(simulation.calls.map(({ ok }) => ok)).toEqual([true, false]);
    const revert = decodeErrorResult({ abi: proberAbi, data: simulation.calls[1]?.returnData ?? "0x" });
    expect(revert).toMatchObject({ errorName: "Refused", args: [7n, "closed"] });
    expect(simulation.after.map(numberOf)).toEqual([1n]);
  });

  test("returns null for a read that fails or has no code", async () => {
    const bad = { target: stage.prober, data: stage.probe("refuse").data };
    const reads = [bad, balanceOf(STRANGER, USER), balanceOf(stage.asset, USER)];
    const simulation = await simulate(stage.chain, { user: USER, calls: [], reads });
    expect(simulation.before.map(numberOf)).toEqual([null, null, 1000n]);
    expect(simulation.after).toEqual(simulation.before);
  });

  test("simulates with balance and allowance from state overrides", async () => {
    await stage.chain.node.setBalance({ address: STRANGER, value: 0n });
    const calls = [stage.probe("who", [], parseEther("3"))];
    expect(await simulate(stage.chain, { user: STRANGER, calls })).toMatchObject({ failedAt: 0 });
    const overrides = [{ address: STRANGER, balance: parseEther("3") }];
    const simulation = await simulate(stage.chain, { user: STRANGER, calls, overrides });
    const [caller, origin, value] = decodeFunctionResult({
      abi: proberAbi,
      functionName: "who",
      data: simulation.calls[0]?.returnData ?? "0x",
    }) as readonly unknown[];
    expect([caller, origin, value]).toEqual([STRANGER, STRANGER, parseEther("3")]);
  });

  test("survives calls that burn all gas and oversized returndata", async () => {
    // The second read takes more gas than the 64th that a caller always keeps.
    const after = [balanceOf(stage.asset, USER), stage.probe("bomb", [true])];
    const burnt = await simulate(stage.chain, { user: USER, calls: [stage.probe("burn")], reads: after });
    expect(burnt.failedAt).toBe(0);
    expect(burnt.after[1]?.length).toBe(2 + 2 * 4096);
    expect(numberOf(burnt.after[0])).toBe(1000n);
    for (const ok of [true, false]) {
      const simulation = await simulate(stage.chain, { user: USER, calls: [stage.probe("bomb", [ok])] });
      expect(simulation.calls[0]).toMatchObject({ ok });
      expect(simulation.calls[0]?.returnData).toHaveLength(2 + 2 * 4096);
    }
    const reads = [stage.probe("burn"), stage.probe("bomb", [true]), balanceOf(stage.asset, USER)];
    const read = await simulate(stage.chain, { user: USER, calls: [], reads });
    expect(read.before[0]).toBe(null);
    expect(read.before[1]?.length).toBe(2 + 2 * 4096);
    expect(numberOf(read.before[2])).toBe(1000n);
    expect(read.after).toEqual(read.before);
  });
});

describe("runSimulation() user account", () => {
  test("accepts native money and token callbacks", async () => {
    const receipts = await deploy(stage.chain, contracts("Receipts").creationCode);
    const badges = await deploy(stage.chain, contracts("Badges").creationCode);
    const calls = [
      stage.probe("who", [], parseEther("1")),
      stage.probe("sendBack", [parseEther("1")]),
      callOf(contracts("Receipts").abi, { target: receipts, name: "mint" }),
      callOf(contracts("Badges").abi, { target: badges, name: "mint" }),
    ];
    const simulation = await simulate(stage.chain, { user: USER, calls, reads: [balanceOf(receipts, USER)] });
    expect(simulation.failedAt).toBe(null);
    expect(simulation.after.map(numberOf)).toEqual([1n]);
  });

  test("ignores calls from targets", async () => {
    const steal = callOf(tokenAbi, { target: stage.asset, name: "transfer", args: [stage.prober, 1000n] });
    const run = encodeSimulation({ user: USER, calls: [steal], reads: [] }).data;
    const ask = encodeFunctionData({ abi: callSimulatorAbi, functionName: "readAndRevert", args: [[]] });
    const questions: Hex[] = [run, ask, "0x", "0x12", "0xdeadbeef", `0x1626ba7e${"00".repeat(96)}`];
    const calls = questions.map((data) => stage.probe("callBack", [data]));
    const simulation = await simulate(stage.chain, {
      user: USER,
      calls,
      reads: [balanceOf(stage.asset, USER)],
    });
    expect(simulation.after.map(numberOf)).toEqual([1000n]);
    for (const { returnData } of simulation.calls) {
      const answer = decodeFunctionResult({ abi: proberAbi, functionName: "callBack", data: returnData });
      expect(answer).toEqual([true, "0x"]);
    }
  });

  test("validates no signature", async () => {
    const hash = `0x${"ab".repeat(32)}`;
    const calls = [stage.probe("accepts", [hash, `0x${"01".repeat(65)}`])];
    const simulation = await simulate(stage.chain, { user: USER, calls });
    expect(numberOf(simulation.calls[0]?.returnData)).toBe(0n);
  });
});

test("runSimulation() takes Arbitrum One's block from ArbSys, null without it", async () => {
  const arbitrum = await startScratchChain("--chain-id", "42161");
  try {
    const block = async () => (await simulate(arbitrum, { user: USER, calls: [] })).blockNumber;
    expect(await block()).toBe(null);
    const bytecode = contracts("ArbSys").runtimeCode;
    await arbitrum.node.setCode({ address: "0x0000000000000000000000000000000000000064", bytecode });
    expect(await block()).toBe(400_000_000n);
  } finally {
    await arbitrum.stop();
  }
});
