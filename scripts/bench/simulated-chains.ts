import { createHash } from "node:crypto";
import {
  decodeFunctionResult,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  keccak256,
  numberToHex,
  toFunctionSelector,
  toHex,
} from "viem";
import { z } from "zod";
import { aggregatorCreationCode } from "../../src/chains/aggregator/aggregator-artifact.ts";
import { HELD_PROGRAM } from "../../src/chains/aggregator/aggregator-codec.ts";
import { callSimulatorAbi } from "../../src/chains/simulator/call-simulator-artifact.ts";
import type { Fetch } from "../../src/lib/bounded-fetch.ts";

/** Number of blocks below a chain's head that are not final. */
const UNFINAL_BLOCKS = 80;
/** Length of the chain id, block number and timestamp with which the answers of our own programs begin, in hex digits. */
const HEAD_DIGITS = 48;

const Request = z.object({ method: z.string(), params: z.array(z.unknown()) });
const Call = z.object({ data: z.string().optional() });

/** Start of the calls that run the call simulator. */
const SIMULATOR_RUN = toFunctionSelector(getAbiItem({ abi: callSimulatorAbi, name: "run" }));

/** Returns a result of the call simulator as of another block of another chain. */
function withHead(
  data: Hex,
  { chainId, number, time }: { chainId: number; number: number; time: number },
): Hex {
  const of = { abi: callSimulatorAbi, functionName: "run" } as const;
  const [calls, before, after] = decodeFunctionResult({ ...of, data });
  const head = { chainId: BigInt(chainId), blockNumber: BigInt(number), timestamp: BigInt(time) };
  return encodeFunctionResult({ ...of, result: [calls, before, after, head] });
}

/** Time and place of the simulated chains. */
interface SimulatedWorld {
  /** URL of the node whose contracts all chains have. */
  node: string;
  chainIds: readonly number[];
  /** Seconds between two blocks. */
  blockSeconds: number;
  /** Returns the time, in unix milliseconds. */
  now: () => number;
}

/**
 * Many chains with the contracts of one node: each has an id, and blocks that follow the given clock. Nothing happens on
 * them, so that a read of contracts costs the node one execution however often it is repeated, which makes days of
 * simulated time affordable. Chain `n` of the list has the URL `http://chain.invalid/<n>`.
 */
export class SimulatedChains {
  readonly #world: SimulatedWorld;
  readonly #startedAt: number;
  readonly #answers = new Map<string, unknown>();
  /** Delay of every response in milliseconds. */
  distanceMs = 0;

  constructor(world: SimulatedWorld) {
    this.#world = world;
    // The head is far above the blocks that a search for start blocks leaves out.
    this.#startedAt = world.now() - 20_000 * world.blockSeconds * 1_000;
  }

  /** Fetches from the simulated chains, and everything else from the network. */
  readonly fetch: Fetch = async (input, init) => {
    const url = new URL(input);
    if (url.hostname !== "chain.invalid") return globalThis.fetch(input, init);
    if (this.distanceMs > 0) await new Promise((resolve) => setTimeout(resolve, this.distanceMs));
    const { method, params } = Request.parse(JSON.parse(String(init?.body)));
    const chainId = this.#world.chainIds[Number(url.pathname.slice(1))] ?? 0;
    return Response.json({ jsonrpc: "2.0", id: 1, ...(await this.#answer({ method, params, chainId })) });
  };

  #head(): number {
    return Math.floor((this.#world.now() - this.#startedAt) / (this.#world.blockSeconds * 1_000));
  }

  #timeOf(block: number): number {
    return Math.floor(this.#startedAt / 1_000) + block * this.#world.blockSeconds;
  }

  async #answer(asked: { method: string; params: unknown[]; chainId: number }): Promise<object> {
    const { method, params, chainId } = asked;
    switch (method) {
      case "eth_chainId":
        return { result: numberToHex(chainId) };
      case "eth_blockNumber":
        return { result: numberToHex(this.#head()) };
      case "eth_getBlockByNumber":
        return { result: this.#block(chainId, String(params[0])) };
      case "eth_getLogs":
        return { result: [] };
      case "eth_call":
        return this.#call(chainId, params);
      case "eth_getCode":
      case "eth_getStorageAt":
        return this.#once(method, params);
      default:
        return this.#forward(method, params);
    }
  }

  #block(chainId: number, tag: string) {
    const head = this.#head();
    const number = tag === "latest" ? head : tag === "finalized" ? head - UNFINAL_BLOCKS : Number(tag);
    if (number > head) return null;
    const hash = keccak256(toHex(`${chainId} ${number}`));
    return { number: numberToHex(number), hash, timestamp: numberToHex(this.#timeOf(number)) };
  }

  /** Answers a call as of the chain's head, because nothing has changed since earlier blocks. */
  async #call(chainId: number, [call, , ...overrides]: unknown[]): Promise<object> {
    const answered = await this.#once("eth_call", [call, "latest", ...overrides]);
    const { data } = Call.parse(call);
    if (!("result" in answered)) return answered;
    const number = this.#head();
    if (data?.startsWith(SIMULATOR_RUN) === true)
      return {
        result: withHead(String(answered.result) as Hex, { chainId, number, time: this.#timeOf(number) }),
      };
    if (data?.startsWith(aggregatorCreationCode) !== true && !(HELD_PROGRAM in Object(overrides[0])))
      return answered;
    const digits = (value: number): string => value.toString(16).padStart(16, "0");
    const head = `0x${digits(chainId)}${digits(number)}${digits(this.#timeOf(number))}` satisfies Hex;
    return { result: head + String(answered.result).slice(2 + HEAD_DIGITS) };
  }

  /** Asks the node the first time, and repeats its answer afterwards. */
  async #once(method: string, params: readonly unknown[]): Promise<object> {
    const key = createHash("sha1").update(method).update(JSON.stringify(params)).digest("base64");
    const known = this.#answers.get(key);
    if (known !== undefined) return { result: known };
    const answered = await this.#forward(method, params);
    if ("result" in answered) this.#answers.set(key, answered.result);
    return answered;
  }

  async #forward(method: string, params: readonly unknown[]): Promise<object> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = { "content-type": "application/json" };
    return (await fetch(this.#world.node, { method: "POST", headers, body })).json() as Promise<object>;
  }
}
