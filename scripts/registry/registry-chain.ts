import { type Hex, keccak256 } from "viem";
import { z } from "zod";
import { type ChainClient, createChainClient, NodeHealth } from "../../src/chains/chain-client.ts";
import type { ChainDefinition } from "../../src/chains/chain-definitions.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { Timing } from "../../src/lib/outside-call-timing.ts";
import { depositRouterAddress, depositRouterCodeHash } from "../../src/router/router-address.ts";

const Code = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/)
  .transform((text) => text as Hex);

/** Returns the code at an address, `0x` if there is none. Errors of the chain client propagate. */
export async function codeAt(client: ChainClient, address: string): Promise<Hex> {
  return Code.parse(await client.request("eth_getCode", [address, "latest"]));
}

const ChainId = z.object({ result: z.string().transform(Number) });
const ASK_MS = 10_000;

/** Describes why the given node cannot be used. Omits its URL, which may hold an API key. */
async function nodeProblem(url: string, chainId: number): Promise<string> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }),
      signal: AbortSignal.timeout(ASK_MS),
    });
    const { result } = ChainId.parse(await response.json());
    if (result !== chainId) return `the node of --rpc serves chain ${result}, not ${chainId}`;
    return "the node of --rpc gave no usable response";
  } catch {
    return "the node of --rpc does not respond";
  }
}

/**
 * Opens a client of a chain, on the given node or on the public nodes listed in the code. Throws an Error for an
 * unknown chain without a node, and when the given node cannot be used; errors of the public nodes propagate.
 */
export async function openChain(chainId: number, rpcUrl: string | null): Promise<ChainClient> {
  const known = knownChains.find((chain) => chain.chainId === chainId);
  if (known === undefined && rpcUrl === null)
    throw new Error(`chain ${chainId} is unknown: give a node with --rpc`);
  const unknown = { name: `chain ${chainId}`, key: "", explorer: "", native: { symbol: "", decimals: 18 } };
  const definition: ChainDefinition = {
    ...(known ?? { ...unknown, wrappedNative: null, confirmations: 1 }),
    chainId,
    rpcUrls: rpcUrl === null ? (known?.rpcUrls ?? []) : [rpcUrl],
  };
  const now = () => Date.now();
  const client = createChainClient({
    definition,
    health: new NodeHealth(),
    fetch,
    timing: new Timing(now),
    now,
  });
  try {
    // The client verifies a node's chain id with its first request.
    await client.request("eth_blockNumber", []);
  } catch (error) {
    throw rpcUrl === null ? error : new Error(await nodeProblem(rpcUrl, chainId), { cause: error });
  }
  return client;
}

/**
 * Compares the code at the Router's address with the expected code; `absent` if there is none. Errors of the chain
 * client propagate.
 */
export async function compareRouter(client: ChainClient): Promise<"right" | "absent" | "differs"> {
  const code = await codeAt(client, depositRouterAddress);
  if (code === "0x") return "absent";
  return keccak256(code) === depositRouterCodeHash ? "right" : "differs";
}
