import { type Address, encodeFunctionResult, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import {
  callSimulatorAbi,
  callSimulatorRuntimeCode,
} from "../../../src/chains/simulator/call-simulator-artifact.ts";
import {
  encodeOverrides,
  runSimulation,
  type SimulationInput,
} from "../../../src/chains/simulator/run-simulation.ts";
import { failure } from "../../../src/errors.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testChain } from "../../support/chains/rpc-node.ts";

const USER: Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const TOKEN: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const OTHER: Address = "0x00000000000000000000000000000000000000b0";
const SLOT: Hex = `0x${"01".repeat(32)}`;
const WORD: Hex = `0x${"00".repeat(31)}07`;
const asked: SimulationInput = {
  user: USER,
  calls: [
    { target: TOKEN, value: 0n, data: "0xaa" },
    { target: TOKEN, value: 5n, data: "0xbb" },
  ],
  reads: [{ target: TOKEN, data: "0xcc" }],
  overrides: [{ address: USER, balance: 9n }],
  time: 17,
  standsAlone: false,
};

type Answer = unknown | Error;

interface ClientUnderTest extends ChainClient {
  asked: { method: string; params: readonly unknown[] }[];
  observed: unknown[];
}

/** A client whose node answers each method so; an error is thrown. */
function clientSaying(answers: Readonly<Record<string, Answer>>): ClientUnderTest {
  const sent: ClientUnderTest["asked"] = [];
  const observed: unknown[] = [];
  return completeClient({
    asked: sent,
    observed,
    definition: testChain,
    observe: (report: unknown) => void observed.push(report),
    async request(method: string, params: readonly unknown[]) {
      sent.push({ method, params });
      const answer = answers[method];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
}

const ok = (returnData: Hex, gasUsed = "0x5208") => ({ status: "0x1", returnData, gasUsed, logs: [] });
const reverted = (data: Hex) => ({
  status: "0x0",
  returnData: "0x",
  gasUsed: "0x6000",
  error: { code: 3, data },
});
const block = (calls: unknown[]) => [{ number: "0x65", timestamp: "0x10", calls }];
const unsupported = new RpcError("unsupported", "the method does not exist");

describe("runSimulation() by eth_simulateV1", () => {
  test("requests reads, calls and reads again, from the user, with overrides", async () => {
    const client = clientSaying({ eth_simulateV1: block([ok("0x01"), ok("0x"), ok(WORD), ok("0x02")]) });
    await runSimulation(client, asked);
    const read = { from: USER, to: TOKEN, data: "0xcc" };
    const calls = [
      read,
      { from: USER, to: TOKEN, data: "0xaa", value: "0x0" },
      { from: USER, to: TOKEN, data: "0xbb", value: "0x5" },
      read,
    ];
    const stateOverrides = { [USER]: { balance: "0x9" } };
    const blockStateCalls = [{ blockOverrides: { time: "0x11" }, stateOverrides, calls }];
    const params = [{ blockStateCalls, validation: false, traceTransfers: false }, "latest"];
    expect(client.asked).toEqual([{ method: "eth_simulateV1", params }]);
  });

  test("returns each call, the reads around them and the base block", async () => {
    const client = clientSaying({
      eth_simulateV1: block([ok("0x01"), ok("0x"), ok(WORD, "0x7000"), ok("0x02")]),
    });
    expect(await runSimulation(client, asked)).toEqual({
      chainId: 31337,
      blockNumber: 100n,
      blockTimestamp: 16n,
      calls: [
        { ok: true, gasUsed: 21_000n, returnData: "0x", logs: [] },
        { ok: true, gasUsed: 0x7000n, returnData: WORD, logs: [] },
      ],
      failedAt: null,
      before: ["0x01"],
      after: ["0x02"],
    });
  });

  test("ends with the failed call and its revert data", async () => {
    const client = clientSaying({
      eth_simulateV1: block([ok("0x01"), reverted("0x08c379a0"), ok("0x"), ok("0x02")]),
    });
    const { calls, failedAt } = await runSimulation(client, asked);
    expect(failedAt).toBe(0);
    expect(calls).toEqual([{ ok: false, gasUsed: 0x6000n, returnData: "0x08c379a0", logs: null }]);
  });

  test("returns null for a read that failed or returned nothing", async () => {
    const client = clientSaying({ eth_simulateV1: block([reverted("0x01"), ok("0x"), ok("0x"), ok("0x")]) });
    expect(await runSimulation(client, asked)).toMatchObject({
      before: [null],
      after: [null],
      failedAt: null,
    });
  });

  test("makes later calls in a block of their own, and the reads after them", async () => {
    const second = { number: "0x66", timestamp: "0x63", calls: [ok("0x0a"), ok("0x02")] };
    const first = block([ok("0x01"), ok("0x"), ok(WORD)]);
    const client = clientSaying({ eth_simulateV1: [...first, second] });
    const later = [{ calls: [{ target: TOKEN, value: 0n, data: "0xdd" as const, from: OTHER }], time: 99 }];
    expect(await runSimulation(client, { ...asked, later })).toMatchObject({
      ...{ failedAt: null, blockNumber: 100n, before: ["0x01"], after: ["0x02"] },
      calls: [{ ok: true }, { ok: true }, { ok: true, returnData: "0x0a" }],
    });
    const read = { from: USER, to: TOKEN, data: "0xcc" };
    const call = (data: Hex, value = "0x0") => ({ from: USER, to: TOKEN, data, value });
    expect(client.asked).toMatchObject([
      {
        params: [
          {
            blockStateCalls: [
              { blockOverrides: { time: "0x11" }, calls: [read, call("0xaa"), call("0xbb", "0x5")] },
              {
                blockOverrides: { time: "0x63" },
                calls: [{ ...call("0xdd"), from: OTHER }, read],
              },
            ],
          },
          "latest",
        ],
      },
    ]);
  });

  test("makes each block of later calls, and the reads after the last", async () => {
    const second = { number: "0x66", timestamp: "0x63", calls: [ok("0x0a")] };
    const third = { number: "0x67", timestamp: "0x64", calls: [reverted("0x0b"), ok("0x02")] };
    const client = clientSaying({
      eth_simulateV1: [...block([ok("0x01"), ok("0x"), ok(WORD)]), second, third],
    });
    const call = { target: TOKEN, value: 0n, data: "0xdd" as const };
    const later = [99, 100].map((time) => ({ calls: [call], time }));
    expect(await runSimulation(client, { ...asked, later })).toMatchObject({
      ...{ failedAt: 3, before: ["0x01"], after: ["0x02"] },
      calls: [{ ok: true }, { ok: true }, { returnData: "0x0a" }, { ok: false, returnData: "0x0b" }],
    });
  });

  test("makes no later calls in any other way, which would not be later", async () => {
    const client = clientSaying({ eth_simulateV1: unsupported, eth_call: WORD });
    const later = [{ calls: [], time: 99 }];
    const made = runSimulation(client, { ...asked, standsAlone: true, later });
    await expect(made).rejects.toMatchObject({ code: "simulation_unavailable" });
    expect(client.asked.map(({ method }) => method)).toEqual(["eth_simulateV1"]);
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["no block", []],
    ["a call too few", block([ok("0x01"), ok("0x"), ok("0x02")])],
    ["a call too many", block(Array(5).fill(ok("0x")))],
    ["a call without status", block([ok("0x01"), { ...ok("0x"), status: undefined }, ok("0x"), ok("0x02")])],
    ["a gas that is none", block([ok("0x01"), ok("0x", "many"), ok("0x"), ok("0x02")])],
    ["a text", "yes"],
  ])("throws simulation_unavailable for an unusable answer: %s", async (_what, answer) => {
    await expect(runSimulation(clientSaying({ eth_simulateV1: answer }), asked)).rejects.toMatchObject({
      code: "simulation_unavailable",
      message: "no node of Testchain could simulate",
    });
  });

  test("throws the nodes' failure without another attempt when none answers", async () => {
    const down = failure("upstream_timeout", "no node of Testchain gave a usable answer");
    const client = clientSaying({ eth_simulateV1: down });
    await expect(runSimulation(client, asked)).rejects.toBe(down);
    expect(client.asked).toHaveLength(1);
  });
});

describe("runSimulation() by the simulator in an eth_call", () => {
  const answer = encodeFunctionResult({
    abi: callSimulatorAbi,
    functionName: "run",
    result: [
      [
        { ok: true, gasUsed: 100n, returnData: "0x" },
        { ok: true, gasUsed: 200n, returnData: WORD },
      ],
      ["0x01"],
      ["0x02"],
      { chainId: 31337n, blockNumber: 100n, timestamp: 16n },
    ],
  });

  test("runs when no node has eth_simulateV1, and reports chain id and head", async () => {
    const client = clientSaying({ eth_simulateV1: unsupported, eth_call: answer });
    const simulation = await runSimulation(client, asked);
    expect(simulation).toMatchObject({
      failedAt: null,
      before: ["0x01"],
      after: ["0x02"],
      blockNumber: 100n,
    });
    expect(client.observed).toEqual([{ chainId: 31337, blockNumber: 100 }]);
    const [call, tag, overrides] = client.asked[1]?.params ?? [];
    expect([call, tag]).toMatchObject([{ from: USER, to: USER }, "latest"]);
    expect(overrides).toEqual({ [USER]: { balance: "0x9", code: callSimulatorRuntimeCode } });
  });

  test("lets another account start what the user does as a contract, in no other way", async () => {
    const client = clientSaying({ eth_call: answer });
    const overrides = [...asked.overrides, { address: TOKEN, balance: 1n }];
    await runSimulation(client, { ...asked, origin: TOKEN, overrides, standsAlone: true });
    expect(client.asked).toMatchObject([
      { method: "eth_call", params: [{ from: TOKEN, to: USER }, "latest", expect.anything()] },
    ]);
  });

  test("refuses an answer from another chain", async () => {
    const client = clientSaying({ eth_simulateV1: unsupported, eth_call: answer });
    const strict = {
      ...client,
      observe: () => {
        throw new Error("the node serves chain 1");
      },
    };
    await expect(runSimulation(strict, asked)).rejects.toMatchObject({ code: "simulation_unavailable" });
  });

  test.each<[string, Answer]>([
    ["not supported either", unsupported],
    ["reverts", new RpcError("revert", "execution reverted")],
    ["null", null],
    ["nothing", "0x"],
    ["no answer of ours", WORD],
  ])("throws simulation_unavailable for an unusable answer: %s", async (_what, said) => {
    const client = clientSaying({ eth_simulateV1: unsupported, eth_call: said });
    await expect(runSimulation(client, asked)).rejects.toMatchObject({ code: "simulation_unavailable" });
  });
});

describe("runSimulation() by a plain eth_call", () => {
  const one: SimulationInput = {
    ...asked,
    calls: [{ target: TOKEN, value: 5n, data: "0xbb" }],
    standsAlone: true,
  };
  /** Knows neither eth_simulateV1 nor overrides; answers the plain call so. */
  const plainClient = (call: Answer, gas: Answer = "0x5208"): ClientUnderTest => {
    const inner = clientSaying({ eth_simulateV1: unsupported, eth_estimateGas: gas });
    const request: ChainClient["request"] = async (method, params) => {
      if (method !== "eth_call") return inner.request(method, params);
      const answer = params.length === 3 ? unsupported : call;
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { ...inner, request };
  };

  test("proves a single call without overrides when no node supports more", async () => {
    const { calls, failedAt, before, after } = await runSimulation(plainClient(WORD), one);
    expect([failedAt, before, after]).toEqual([null, [null], [null]]);
    expect(calls).toMatchObject([{ ok: true, returnData: WORD }]);
    expect((calls[0]?.gasUsed ?? 0n) >= 21_000n).toBe(true);
  });

  test("returns its revert too", async () => {
    const client = plainClient(new RpcError("revert", "execution reverted", { data: "0x08c379a0" }));
    expect(await runSimulation(client, one)).toMatchObject({
      failedAt: 0,
      calls: [{ ok: false, returnData: "0x08c379a0" }],
    });
  });

  test.each<[string, Answer, Answer]>([
    ["no node calls it", unsupported, "0x5208"],
    ["no node says what it costs", WORD, unsupported],
    ["the cost is none", WORD, "much"],
    ["the answer is none", null, "0x5208"],
  ])("throws simulation_unavailable when %s", async (_why, call, gas) => {
    await expect(runSimulation(plainClient(call, gas), one)).rejects.toMatchObject({
      code: "simulation_unavailable",
    });
  });

  test("is not used when balance or allowance need an override", async () => {
    const made = { ...one, standsAlone: false };
    await expect(runSimulation(plainClient(WORD), made)).rejects.toMatchObject({
      code: "simulation_unavailable",
    });
  });
});

test("encodeOverrides() encodes only the fields that are set", () => {
  expect(
    encodeOverrides([
      { address: USER, balance: 255n },
      { address: TOKEN, code: "0x00", stateDiff: [{ slot: SLOT, value: WORD }] },
    ]),
  ).toEqual({ [USER]: { balance: "0xff" }, [TOKEN]: { code: "0x00", stateDiff: { [SLOT]: WORD } } });
});

test("encodeOverrides() adds up the overrides of one address", () => {
  const other: Hex = `0x${"02".repeat(32)}`;
  expect(
    encodeOverrides([
      { address: TOKEN, balance: 1n, stateDiff: [{ slot: SLOT, value: WORD }] },
      { address: TOKEN, stateDiff: [{ slot: other, value: WORD }] },
    ]),
  ).toEqual({ [TOKEN]: { balance: "0x1", stateDiff: { [SLOT]: WORD, [other]: WORD } } });
});
