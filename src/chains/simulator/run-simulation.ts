import { type Address, concatHex, type Hex, numberToHex, padHex, type StateOverride } from "viem";
import * as z from "zod";
import { AppError, failureFrom } from "../../errors.ts";
import type { ChainClient } from "../chain-client.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcData, RpcQuantity } from "../rpc-values.ts";
import type { SimulatedCall, SimulationCall, SimulationRead, SimulationResult } from "./simulation.ts";
import { feeFields, type SimulationSetting } from "./simulation-setting.ts";
import { decodeSimulation, encodeSimulation } from "./simulator-codec.ts";

/** A later block of a simulation: its calls, and its timestamp in seconds since the epoch. */
export interface LaterBlock {
  calls: readonly SimulationCall[];
  time: number;
}

/** A user's sequence of calls to simulate on overridden state, with the reads to make before and after it. */
export interface SimulationInput {
  user: Address;
  calls: readonly SimulationCall[];
  reads: readonly SimulationRead[];
  /**
   * State that differs from the chain's during the simulation, such as token balances, allowances and the Router's
   * code.
   */
  overrides: StateOverride;
  /**
   * Timestamp of the simulated block in seconds since the epoch, later than the head's. Only `eth_simulateV1` applies
   * it.
   */
  time: number;
  /** True for a single call that needs no overrides, for example because the user has tokens and allowance on-chain. */
  standsAlone: boolean;
  /**
   * True if a call depends on the user's own code, as a signature check does; the simulator's code is then not put at
   * the user's address.
   */
  keepsCode?: boolean;
  /**
   * Account that starts the transaction in which the user, as a contract, makes all calls; absent if the user does.
   * Needs nodes that take state overrides in `eth_call`, and cannot be combined with `later` or `keepsCode`.
   */
  origin?: Address;
  /**
   * Later blocks, in order; the reads after the calls are in the last. Only `eth_simulateV1` can simulate them. Each
   * has the next number, however much later it is, and at least one call.
   */
  later?: readonly LaterBlock[];
  /**
   * What the calls show to contracts that look for signs of a simulation. If the simulation fails with it for any
   * reason but a timeout, it is repeated without it. Null or absent for the nodes' defaults.
   */
  setting?: SimulationSetting | null;
}

const SimulatedBlocks = z
  .array(
    z.object({
      number: RpcQuantity,
      timestamp: RpcQuantity,
      calls: z.array(
        z.object({
          status: RpcQuantity,
          returnData: RpcData,
          gasUsed: RpcQuantity,
          logs: z.array(z.unknown()).optional(),
          error: z.object({ data: RpcData.optional() }).optional(),
        }),
      ),
    }),
  )
  .min(1);

/**
 * Simulates calls on the state of the head block by `eth_simulateV1` (not with `origin`) or, where nodes do not support
 * it, by `eth_call` with state overrides (not with `later` or `keepsCode`), then (`standsAlone`) by a plain `eth_call`.
 * A call that fails is a result, not an error. Throws `simulation_unavailable` if the nodes support none of these or
 * reject the simulation, `upstream_timeout` or `upstream_unavailable`.
 */
export async function runSimulation(client: ChainClient, input: SimulationInput): Promise<SimulationResult> {
  const single = input.later === undefined;
  const asContract = input.origin !== undefined;
  const ways = [
    ...(asContract ? [] : [simulateNatively]),
    ...(input.keepsCode === true || !single ? [] : [simulateByOverride]),
    ...(input.standsAlone && single && !asContract ? [simulatePlainly] : []),
  ];
  let last: unknown;
  for (const way of ways) {
    try {
      return await simulateIn(input, (asked) => way(client, asked));
    } catch (error) {
      if (error instanceof AppError) throw error;
      last = error;
      if (!(error instanceof RpcError && error.kind === "unsupported")) break;
    }
  }
  throw failureFrom("simulation_unavailable", `no node of ${client.definition.name} could simulate`, last);
}

/** Simulates in the setting of the input if it has one, and without it if a node rejects it. */
async function simulateIn(
  input: SimulationInput,
  simulate: (input: SimulationInput) => Promise<SimulationResult>,
): Promise<SimulationResult> {
  if (input.setting == null) return simulate(input);
  try {
    return await simulate(input);
  } catch (error) {
    // A node may reject fees with any error: as unsupported, as a failure of its own, or as a lack of funds.
    if (error instanceof AppError && error.code !== "upstream_unavailable") throw error;
    return simulate({ ...input, setting: null });
  }
}

async function simulateNatively(client: ChainClient, input: SimulationInput): Promise<SimulationResult> {
  const readCount = input.reads.length;
  const blockStateCalls = encodeBlocks(input);
  const params = [{ blockStateCalls, validation: false, traceTransfers: false }, "latest"];
  const { first, results } = await client.ask({
    method: "eth_simulateV1",
    params,
    read: (response) => {
      const blocks = SimulatedBlocks.parse(response);
      const [head] = blocks;
      const answersAll = blockStateCalls.every(
        ({ calls }, index) => blocks[index]?.calls.length === calls.length,
      );
      if (head !== undefined && answersAll && blocks.length === blockStateCalls.length)
        return { first: head, results: blocks.flatMap(({ calls }) => calls.map(toSimulatedCall)) };
      throw new RangeError("the simulation answers other calls than it was asked");
    },
  });
  const own = results.slice(readCount, results.length - readCount);
  const failedAt = own.findIndex((call) => !call.ok);
  const answers = (part: typeof results) =>
    part.map((call) => (call.ok && call.returnData !== "0x" ? call.returnData : null));
  return {
    calls: failedAt === -1 ? own : own.slice(0, failedAt + 1),
    failedAt: failedAt === -1 ? null : failedAt,
    before: answers(results.slice(0, readCount)),
    after: answers(results.slice(readCount + own.length)),
    chainId: client.definition.chainId,
    // The simulated block is the one after the head it was built on.
    blockNumber: first.number - 1n,
    blockTimestamp: first.timestamp,
  };
}

/**
 * Gas limit of a read by a setting's reader. Nodes limit the gas of a whole simulation, to 50 million by geth's default
 * in all of its blocks together, so that a hostile view without a limit of its own would take that of the calls.
 */
const READ_GAS = 2_500_000n;

/**
 * Code that makes a static call, to the address in the first word of its calldata with what follows, and returns or
 * reverts with what that returns.
 */
const READER_CODE: Hex = "0x60203603806020600037600060009160006000355afa3d600060003e3d600082602457fd5bf3";

interface EncodedBlock {
  blockOverrides: Record<string, Hex>;
  stateOverrides?: Record<Address, WireOverride>;
  calls: readonly Record<string, Hex>[];
}

/**
 * Encodes the reads, the calls and the reads again as `eth_simulateV1` takes them: in one block, or more with `later`.
 */
function encodeBlocks(input: SimulationInput): EncodedBlock[] {
  const { user, calls, reads, overrides, time, later = [], setting } = input;
  const paid = setting == null ? {} : encodeQuantities(feeFields(setting));
  const block = {
    ...(setting?.baseFee == null ? {} : { baseFeePerGas: numberToHex(setting.baseFee) }),
    ...(setting?.prevRandao == null ? {} : { prevRandao: setting.prevRandao }),
  };
  const encodedReads = reads.map(({ target, data }) =>
    setting == null
      ? { from: user, to: target, data }
      : {
          ...{ from: user, to: setting.reader, data: concatHex([padHex(target, { size: 32 }), data]) },
          gas: numberToHex(READ_GAS),
        },
  );
  const reader = setting == null ? [] : [{ address: setting.reader, code: READER_CODE }];
  const encode = (call: SimulationCall) => ({
    from: call.from ?? user,
    to: call.target,
    data: call.data,
    value: numberToHex(call.value),
    ...paid,
    ...(call.gas === undefined ? {} : { gas: numberToHex(call.gas) }),
  });
  const blocks = [{ calls, time }, ...later].map((one) => ({
    blockOverrides: { time: numberToHex(one.time), ...block },
    calls: one.calls.map(encode),
  }));
  return blocks.map((one, index) => ({
    ...one,
    ...(index === 0 ? { stateOverrides: encodeOverrides([...overrides, ...reader]) } : {}),
    calls: [
      ...(index === 0 ? encodedReads : []),
      ...one.calls,
      ...(index === blocks.length - 1 ? encodedReads : []),
    ],
  }));
}

const encodeQuantities = (fields: Record<string, bigint>): Record<string, Hex> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, numberToHex(value)]));

const toSimulatedCall = (call: z.infer<typeof SimulatedBlocks>[number]["calls"][number]): SimulatedCall => ({
  ok: call.status === 1n,
  gasUsed: call.gasUsed,
  returnData: call.status === 1n ? call.returnData : (call.error?.data ?? call.returnData),
  logs: call.logs ?? null,
});

async function simulateByOverride(client: ChainClient, input: SimulationInput): Promise<SimulationResult> {
  const { account, to, data, stateOverride } = encodeSimulation(input);
  // One call makes all of the user's calls here.
  const gas = GAS_OF_ALL * (input.setting?.gas ?? 0n);
  const paid = input.setting == null ? {} : encodeQuantities({ ...feeFields(input.setting), gas });
  const params = [{ from: account, to, data, ...paid }, "latest", encodeOverrides(stateOverride)];
  const simulation = await client.ask({
    method: "eth_call",
    params,
    read: (response, seen) => {
      const made = decodeSimulation(RpcData.parse(response), input);
      const blockNumber = made.blockNumber === null ? null : Number(made.blockNumber);
      seen({ chainId: made.chainId, blockNumber });
      return made;
    },
  });
  const calls = simulation.calls.map((call, index) => ({
    ...call,
    gasUsed: call.gasUsed + BigInt(index) * WARM_GAS + INTEREST_ACCRUAL_GAS,
  }));
  return { ...simulation, calls };
}

/**
 * Simulates one call on the real state and returns success, return data and gas. Balances after the call cannot be read
 * this way, so all reads are null.
 */
async function simulatePlainly(client: ChainClient, input: SimulationInput): Promise<SimulationResult> {
  const { definition } = client;
  const [call] = input.calls;
  if (call === undefined) throw new RangeError("nothing to simulate");
  const request = { from: input.user, to: call.target, data: call.data, value: numberToHex(call.value) };
  const unread = input.reads.map(() => null);
  const block = { chainId: definition.chainId, blockNumber: null, blockTimestamp: BigInt(input.time) };
  const ended = (made: { ok: boolean; gasUsed: bigint; returnData: Hex }): SimulationResult => ({
    ...block,
    calls: [{ ...made, logs: null }],
    failedAt: made.ok ? null : 0,
    before: unread,
    after: unread,
  });
  try {
    const [returned, gas] = await Promise.all([
      client.request("eth_call", [request, "latest"]),
      client.request("eth_estimateGas", [request]),
    ]);
    const gasUsed = RpcQuantity.parse(gas) + INTEREST_ACCRUAL_GAS;
    return ended({ ok: true, gasUsed, returnData: RpcData.parse(returned) });
  } catch (error) {
    if (!(error instanceof RpcError && error.kind === "revert")) throw error;
    return ended({ ok: false, gasUsed: 0n, returnData: error.data ?? "0x" });
  }
}

/** Gas limit of the `eth_call` that makes all calls, in gas limits of one call. */
const GAS_OF_ALL = 3n;
/**
 * Gas added per earlier call in the same `eth_call`, because earlier calls have warmed proxies, code and storage slots
 * (EIP-2929).
 */
const WARM_GAS = 15_000n;
/** Gas added for accruing interest since the head, which an `eth_call` at the head's own time does not include. */
const INTEREST_ACCRUAL_GAS = 60_000n;

type WireOverride = { balance?: Hex; code?: Hex; stateDiff?: Record<Hex, Hex> };

/**
 * Encodes state overrides as nodes take them, for example in the third parameter of `eth_call`. Only balance, code and
 * `stateDiff` are encoded. Overrides of one address in the same letter case are merged.
 */
export function encodeOverrides(overrides: StateOverride): Record<Address, WireOverride> {
  const wire: Record<Address, WireOverride> = {};
  for (const { address, balance, code, stateDiff } of overrides) {
    const earlier = wire[address];
    wire[address] = {
      ...earlier,
      ...(balance === undefined ? {} : { balance: numberToHex(balance) }),
      ...(code === undefined ? {} : { code }),
      ...(stateDiff === undefined
        ? {}
        : {
            stateDiff: {
              ...earlier?.stateDiff,
              ...Object.fromEntries(stateDiff.map(({ slot, value }) => [slot, value])),
            },
          }),
    };
  }
  return wire;
}
