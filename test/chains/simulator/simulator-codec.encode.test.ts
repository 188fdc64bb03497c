import fc from "fast-check";
import { type Address, decodeFunctionData, encodeFunctionResult, type Hex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import {
  callSimulatorAbi,
  callSimulatorRuntimeCode,
} from "../../../src/chains/simulator/call-simulator-artifact.ts";
import {
  decodeSimulation,
  encodeSimulation,
  transactionGas,
} from "../../../src/chains/simulator/simulator-codec.ts";

const USER: Address = "0xAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCdEfAbCd".toLowerCase() as Address;
const TOKEN: Address = "0x2222222222222222222222222222222222222222";
const MAX = 2n ** 256n - 1n;

const aHex = fc.uint8Array({ maxLength: 80 }).map((bytes) => toHex(bytes));
const anAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const aCall = fc.record({ target: anAddress, value: fc.bigInt(0n, MAX), data: aHex });
const aRead = fc.record({ target: anAddress, data: aHex });

const lower = <T extends { target: Address }>(items: readonly T[]): T[] =>
  items.map((item) => ({ ...item, target: item.target.toLowerCase() as Address }));

describe("encodeSimulation()", () => {
  test("calls the user's own address with the simulator as its code", () => {
    const request = encodeSimulation({ user: USER, calls: [], reads: [] });
    expect(request).toMatchObject({ account: USER, to: USER });
    expect(request.stateOverride).toEqual([{ address: USER, code: callSimulatorRuntimeCode }]);
  });

  test("keeps other overrides and merges the user's, whatever the address case", () => {
    const slot = toHex(1, { size: 32 });
    const overrides = [
      { address: TOKEN, stateDiff: [{ slot, value: slot }] },
      { address: USER.toUpperCase().replace("0X", "0x") as Address, balance: 5n },
    ];
    const request = encodeSimulation({ user: USER, calls: [], reads: [], overrides });
    expect(request.stateOverride).toEqual([
      { address: TOKEN, stateDiff: [{ slot, value: slot }] },
      { address: USER, balance: 5n, code: callSimulatorRuntimeCode },
    ]);
  });

  test("encodes any calls and reads unchanged", () => {
    fc.assert(
      fc.property(fc.array(aCall, { maxLength: 6 }), fc.array(aRead, { maxLength: 6 }), (calls, reads) => {
        const { data } = encodeSimulation({ user: USER, calls, reads });
        const decoded = decodeFunctionData({ abi: callSimulatorAbi, data });
        if (decoded.functionName !== "run") throw new Error(decoded.functionName);
        expect(lower(decoded.args[0])).toEqual(calls);
        expect(lower(decoded.args[1])).toEqual(reads);
      }),
    );
  });
});

describe("decodeSimulation()", () => {
  const call = (data: Hex) => ({ target: TOKEN, value: 0n, data });
  const head = { chainId: 10n, blockNumber: 99n, timestamp: 1_700_000_000n };
  const answer = (
    results: { ok: boolean; gasUsed: bigint; returnData: Hex }[],
    reads: [Hex[], Hex[]] = [[], []],
    block = head,
  ) =>
    encodeFunctionResult({ abi: callSimulatorAbi, functionName: "run", result: [results, ...reads, block] });
  const passed = { ok: true, gasUsed: 30_000n, returnData: "0x01" as Hex };
  const failed = { ok: false, gasUsed: 40_000n, returnData: "0x02" as Hex };

  test("returns calls, the failed index, reads and block", () => {
    const asked = { calls: [call("0x"), call("0xff"), call("0x")], reads: [call("0x"), call("0x")] };
    const data = answer(
      [passed, failed],
      [
        ["0x05", "0x"],
        ["0x06", "0x07"],
      ],
    );
    expect(decodeSimulation(data, asked)).toMatchInlineSnapshot(`
      {
        "after": [
          "0x06",
          "0x07",
        ],
        "before": [
          "0x05",
          null,
        ],
        "blockNumber": 99n,
        "blockTimestamp": 1700000000n,
        "calls": [
          {
            "gasUsed": 51000n,
            "logs": null,
            "ok": true,
            "returnData": "0x01",
          },
          {
            "gasUsed": 61016n,
            "logs": null,
            "ok": false,
            "returnData": "0x02",
          },
        ],
        "chainId": 10,
        "failedAt": 1,
      }
    `);
  });

  test("returns null for failedAt when all passed, and for an unknown block", () => {
    const data = answer([passed], [[], []], { ...head, blockNumber: MAX });
    const simulation = decodeSimulation(data, { calls: [call("0x")], reads: [] });
    expect(simulation).toMatchObject({ failedAt: null, blockNumber: null });
  });

  test("round-trips any answer of the simulator", () => {
    const aResult = fc.record({ gasUsed: fc.bigInt(0n, 2n ** 40n), returnData: aHex });
    const aCase = fc.record({
      done: fc.array(fc.tuple(aResult, aCall), { minLength: 1, maxLength: 5 }),
      lastFails: fc.boolean(),
      undone: fc.array(aCall, { maxLength: 3 }),
      reads: fc.array(fc.tuple(aRead, aHex, aHex), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(aCase, ({ done, lastFails, undone, reads }) => {
        const results = done.map(([result], index) => ({
          ...result,
          ok: !lastFails || index < done.length - 1,
        }));
        const [before, after] = [reads.map(([, value]) => value), reads.map(([, , value]) => value)];
        const calls = [...done.map(([, made]) => made), ...(lastFails ? undone : [])];
        const simulation = decodeSimulation(answer(results, [before, after]), {
          calls,
          reads: reads.map(([read]) => read),
        });
        expect(simulation.failedAt).toBe(lastFails ? done.length - 1 : null);
        expect(simulation.before).toEqual(before.map((value) => (value === "0x" ? null : value)));
        expect(simulation.after).toEqual(after.map((value) => (value === "0x" ? null : value)));
        expect(simulation.calls).toEqual(
          results.map((result, index) => ({
            ...result,
            gasUsed: transactionGas(calls[index]?.data ?? "0x", result.gasUsed),
            logs: null,
          })),
        );
      }),
    );
  });

  test.each([
    ["fewer calls, all passed", answer([passed]), 2, 0],
    ["more calls", answer([passed, passed]), 1, 0],
    ["a call after the failed one", answer([failed, passed]), 2, 0],
    ["nothing for a call", answer([]), 1, 0],
    ["fewer reads", answer([passed], [["0x01"], ["0x01"]]), 1, 2],
    ["other reads after than before", answer([passed], [["0x01"], []]), 1, 1],
  ])("refuses %s", (_, data, calls, reads) => {
    const asked = { calls: Array(calls).fill(call("0x")), reads: Array(reads).fill(call("0x")) };
    expect(() => decodeSimulation(data, asked)).toThrow(/^simulation answered/);
  });

  test.each<Hex>(["0x", "0x00", `0x${"00".repeat(64)}`])("refuses %s", (data) => {
    expect(() => decodeSimulation(data, { calls: [call("0x")], reads: [] })).toThrow();
  });
});
