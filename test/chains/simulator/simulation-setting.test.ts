import { describe, expect, test } from "vitest";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { RpcError } from "../../../src/chains/json-rpc.ts";
import { runSimulation, type SimulationInput } from "../../../src/chains/simulator/run-simulation.ts";
import { createSetting, feeFields, readHeadFees } from "../../../src/chains/simulator/simulation-setting.ts";
import { failure } from "../../../src/errors.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testChain } from "../../support/chains/rpc-node.ts";

const USER = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const READER = "0x00000000000000000000000000000000000000a1";
const WORD = `0x${"00".repeat(31)}07`;
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
const ok = (returnData: string) => ({ status: "0x1", returnData, gasUsed: "0x5208", logs: [] });

/** A client whose node answers each method so, and the requests that it was sent. */
function clientSaying(answers: Readonly<Record<string, unknown>>) {
  const sent: { method: string; params: readonly unknown[] }[] = [];
  const client = completeClient({
    definition: testChain,
    observe: () => {},
    async request(method: string, params: readonly unknown[]) {
      sent.push({ method, params });
      return answers[method];
    },
  });
  return { ...client, sent };
}

describe("runSimulation() in a setting", () => {
  const setting = createSetting(
    { gasPrice: 12n, baseFee: 10n, isRandom: true },
    { random: "0f".repeat(32), reader: READER },
  );
  const answered = [
    { number: "0x65", timestamp: "0x10", calls: [ok("0x01"), ok("0x"), ok(WORD), ok("0x02")] },
  ];

  test("makes the calls pay for gas in a block with a base fee and a random value, and the reads nothing", async () => {
    const client = clientSaying({ eth_simulateV1: answered });
    await runSimulation(client, { ...asked, setting });
    const [params] = client.sent.map(({ params: [one] }) => one);
    const paid = { gas: "0xb71b00", maxFeePerGas: "0x18", maxPriorityFeePerGas: "0x2" };
    const read = { from: USER, to: READER, data: `0x${TOKEN.slice(2).padStart(64, "0")}cc` };
    const calls = [
      read,
      { from: USER, to: TOKEN, data: "0xaa", value: "0x0", ...paid },
      { from: USER, to: TOKEN, data: "0xbb", value: "0x5", ...paid },
      read,
    ];
    const blockOverrides = { time: "0x11", baseFeePerGas: "0xa", prevRandao: `0x${"0f".repeat(32)}` };
    const stateOverrides = { [READER]: { code: expect.stringMatching(/^0x6020/) } };
    expect(params).toMatchObject({ blockStateCalls: [{ blockOverrides, stateOverrides, calls }] });
  });

  test("leaves a call its own gas limit", async () => {
    const client = clientSaying({ eth_simulateV1: answered });
    const calls = asked.calls.map((call, index) => (index === 0 ? { ...call, gas: 7n } : call));
    await runSimulation(client, { ...asked, calls, setting });
    const [params] = client.sent.map(({ params: [one] }) => one);
    const encoded = [
      { to: READER },
      { gas: "0x7", maxFeePerGas: "0x18" },
      { gas: "0xb71b00" },
      { to: READER },
    ];
    expect(params).toMatchObject({ blockStateCalls: [{ calls: encoded }] });
  });

  test.each<[string, Error]>([
    ["an invalid parameter", new RpcError("unsupported", "invalid params", { ofValues: true })],
    ["a failure of its own", failure("upstream_unavailable", "no node of Testchain gave a usable answer")],
    ["a lack of funds", new RpcError("revert", "insufficient funds for gas: transaction reverted")],
  ])("simulates without it where a node rejects it as %s", async (_what, rejection) => {
    const inner = clientSaying({ eth_simulateV1: answered });
    const request: ChainClient["request"] = async (method, params) => {
      if (JSON.stringify(params).includes("maxFeePerGas")) throw rejection;
      return inner.request(method, params);
    };
    const client = completeClient({ ...inner, request });
    expect(await runSimulation(client, { ...asked, setting })).toMatchObject({ failedAt: null });
    expect(inner.sent).toHaveLength(1);
  });

  test("pays the legacy gas price on a chain without a base fee", () => {
    const legacy = createSetting(
      { gasPrice: 12n, baseFee: null, isRandom: false },
      { random: "0f".repeat(32), reader: READER },
    );
    expect(feeFields(legacy)).toEqual({ gas: 12_000_000n, gasPrice: 12n });
    expect(legacy.prevRandao).toBe(null);
  });

  test("gives the payer funds that differ and that pay for all calls", () => {
    const funds = ["00", "7f", "ff"].map(
      (byte) =>
        createSetting(
          { gasPrice: 12n, baseFee: 10n, isRandom: true },
          { random: byte.repeat(32), reader: READER },
        ).funds,
    );
    expect(new Set(funds).size).toBe(3);
    for (const one of funds) {
      expect(one).toBeGreaterThanOrEqual(6n * 12_000_000n * 12n);
      expect(one).toBeLessThanOrEqual(5n * 6n * 12_000_000n * 12n);
    }
  });
});

describe("readHeadFees()", () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    [
      "proof of stake",
      { baseFeePerGas: "0xa", difficulty: "0x0", mixHash: WORD },
      { baseFee: 10n, isRandom: true },
    ],
    ["another consensus", { difficulty: "0x2", mixHash: WORD }, { baseFee: null, isRandom: false }],
    ["no mixed hash", { baseFeePerGas: "0xa", difficulty: "0x0" }, { baseFee: 10n, isRandom: false }],
  ])("reads the head of a chain with %s", async (_what, head, expected) => {
    const client = clientSaying({ eth_gasPrice: "0xc", eth_getBlockByNumber: head });
    expect(await readHeadFees(client)).toEqual({ gasPrice: 12n, ...(expected as object) });
  });
});
