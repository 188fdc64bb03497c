import {
  type Address,
  createPublicClient,
  defineChain,
  erc4626Abi,
  http,
  numberToHex,
  type PublicClient,
} from "viem";
import { z } from "zod";
import { HELD_PROGRAM, MAX_CALLS } from "../../src/chains/aggregator/aggregator-codec.ts";
import { encodePositionCalls, MAX_OVERRIDE_BYTES } from "../../src/vaults/lens/position-lens.ts";
import { rpc } from "../stack/chains/json-rpc.ts";
import type { StackChain, StackManifest } from "../stack/manifest.ts";
import { setDistance } from "./node-distance.ts";
import { registerOnly } from "./registry.ts";
import { interleave, median } from "./statistics.ts";
import { ms, type Row, ratio } from "./table.ts";
import { runSecondWorker } from "./workers.ts";

const SIZES = [10, 100, 500] as const;
/**
 * Number of vaults on a chain with a large registry. The user holds shares only of the first ones, up to the largest of
 * `SIZES`.
 */
const MANY = 3_000;
/**
 * Gas that public nodes grant one `eth_call`: the default `--rpc.gascap` of geth, reth and their forks. Alchemy grants
 * 550 million, Nethermind 100 million.
 */
const PUBLIC_GAS = 50_000_000;
/** Gas that the lens keeps for its longest read and its answer (PositionLens.sol). */
const KEPT_GAS = 10_000_000;
/** Price reads that one request holds (src/chains/aggregator/aggregator-codec.ts), two for each held vault. */
const HELD_PER_REQUEST = MAX_CALLS / 2;
/** An account without shares. */
const STRANGER: Address = "0x00000000000000000000000000000000000cafe1";
const HOLDER: Address = "0x00000000000000000000000000000000Deadbeef".toLowerCase() as Address;
const ROUNDS = 9;
/** One-way latencies of the node in milliseconds: on the same machine, and typical of a public node. */
const DISTANCES_MS = [0, 25] as const;

/** Shares and assets by lowercase vault address. */
type Held = Record<string, string>;

const Answer = z.object({
  positions: z.array(
    z.object({ vault_address: z.string(), share_balance: z.string(), current_assets: z.string() }),
  ),
});

const SimulatedGas = z.tuple([z.object({ calls: z.tuple([z.object({ gasUsed: z.string() })]) })]);

/** Column titles of the positions benchmark. */
export const positionColumns = ["median", "against ours", "requests to the node"] as const;

/**
 * Compares one positions request with the same reads made by a client: two dependent multicalls, or one call per read.
 * Then measures gas and requests with 3,000 vaults. Replaces the stack's registry and lowers the chain's block gas
 * limit.
 */
export async function benchPositions(folder: string, stack: StackManifest): Promise<Row[]> {
  const chain = stack.chains.find(({ contracts }) => contracts.multicall3 !== null);
  const node = stack.emulators.rpc[chain?.chain_id ?? 0];
  if (chain === undefined || node === undefined) throw new Error("no chain has Multicall3");
  // Imported after the stack has started, because the start compiles its stand-ins.
  const { deployManyVaults } = await import("./many-vaults.ts");
  const most = Math.max(...SIZES);
  const vaults = await deployManyVaults(chain, { count: MANY, holder: HOLDER, held: most });
  const rows: Row[] = [];
  for (const size of SIZES) {
    const held = vaults.slice(0, size);
    await registerOnly(stack, { chain, vaults: held });
    const chainIds = [chain.chain_id];
    const worker = await runSecondWorker(folder, { stack, name: `bench-${size}`, chainIds });
    try {
      const url = `${worker.origin}/v1/positions/${HOLDER}`;
      for (const away of DISTANCES_MS) rows.push(...(await compare({ url, chain, node, held, away })));
    } finally {
      await worker.close();
    }
  }
  rows.push(...(await benchMany(folder, { stack, chain, node, vaults, held: most })));
  return rows;
}

/** Measures a request over many vaults of one chain, most of which the user does not hold. */
async function benchMany(
  folder: string,
  of: { stack: StackManifest; chain: StackChain; node: string; vaults: readonly Address[]; held: number },
): Promise<Row[]> {
  const { stack, chain, node, vaults, held } = of;
  await registerOnly(stack, { chain, vaults });
  const worker = await runSecondWorker(folder, { stack, name: "bench-many", chainIds: [chain.chain_id] });
  // anvil grants a call the gas of a block.
  await rpc(chain.rpc_url, "evm_setBlockGasLimit", numberToHex(PUBLIC_GAS));
  try {
    const [empty, full] = [await gasOfReading(chain, vaults.slice(held)), await gasOfReading(chain, vaults)];
    const least = Math.ceil(full / (PUBLIC_GAS - KEPT_GAS));
    const rows: Row[] = [
      {
        name: `gas: ${Math.round(empty / (vaults.length - held))} a vault without shares; ${vaults.length} vaults, ${held} held: ${(full / 1e6).toFixed(1)} million`,
        values: [],
        aim: `${(PUBLIC_GAS - KEPT_GAS) / 1e6} million a request, of ${PUBLIC_GAS / 1e6} that public nodes grant: ${least} request(s)`,
        reached: least === 1,
      },
    ];
    // The prices of instant redemption are read for what is held, unless indexed flows announce it.
    const users = [
      { user: STRANGER, count: 0, aim: least },
      { user: HOLDER, count: held, aim: least + Math.ceil(held / HELD_PER_REQUEST) },
    ];
    for (const { user, count, aim } of users) {
      const url = `${worker.origin}/v1/positions/${user}`;
      const found = Object.keys(await throughApi(url)).length;
      if (found !== count) throw new Error(`${found} positions instead of ${count}`);
      await setDistance(node, DISTANCES_MS[1]);
      const { ours } = await interleave(ROUNDS, { ours: () => throughApi(url) });
      await setDistance(node, 0);
      const requests = await rpcRequests(url);
      rows.push({
        name: `${vaults.length} vaults, ${count} held, node ${DISTANCES_MS[1]} ms away: GET /v1/positions`,
        values: [ms(median(ours)), "", requests],
        aim: `${aim}: ${least} by the gas, and one for the prices of ${HELD_PER_REQUEST} held`,
        reached: Number(requests) <= aim,
      });
    }
    return rows;
  } finally {
    await worker.close();
  }
}

/** Returns the gas of one request that reads the holder's positions in the vaults, each for the first time in it. */
async function gasOfReading(chain: StackChain, vaults: readonly Address[]): Promise<number> {
  const lensed = vaults.map(
    (vault) => ({ kind: "convert_or_ratio", shareToken: vault, pricer: vault }) as const,
  );
  const [call] = encodePositionCalls({ user: HOLDER, vaults: lensed, maxBytes: MAX_OVERRIDE_BYTES });
  const stateOverrides = { [HELD_PROGRAM]: { code: call?.data } };
  const block = { stateOverrides, calls: [{ to: HELD_PROGRAM }] };
  const simulated = await rpc(chain.rpc_url, "eth_simulateV1", { blockStateCalls: [block] }, "latest");
  return Number(SimulatedGas.parse(simulated)[0].calls[0].gasUsed);
}

type Comparison = { url: string; chain: StackChain; node: string; held: readonly Address[]; away: number };

async function compare({ url, chain, node, held, away }: Comparison): Promise<Row[]> {
  const counter = { requests: 0 };
  const client = clientOf(chain, { node, counter });
  const ways = {
    ours: async () => ({ held: await throughApi(url), requests: 1 }),
    multicall: () => counted(counter, () => throughMulticall(client, held)),
    single: () => counted(counter, () => oneByOne(client, held)),
  };
  const [ours, multicall, single] = [await ways.ours(), await ways.multicall(), await ways.single()];
  for (const other of [multicall, single]) assertSame(ours.held, other.held, held.length);
  await setDistance(node, away);
  const taken = await interleave(held.length > 100 ? Math.ceil(ROUNDS / 2) : ROUNDS, ways);
  await setDistance(node, 0);
  const [own, batched, each] = [median(taken.ours), median(taken.multicall), median(taken.single)];
  const name = `${held.length} vaults, node ${away} ms away: `;
  return [
    { name: `${name}GET /v1/positions`, values: [ms(own), "", await rpcRequests(url)] },
    {
      name: `${name}viem's multicall, twice`,
      values: [ms(batched), ratio(batched / own), `${multicall.requests}`],
    },
    { name: `${name}one call per read`, values: [ms(each), ratio(each / own), `${single.requests}`] },
  ];
}

function clientOf(chain: StackChain, { node, counter }: { node: string; counter: { requests: number } }) {
  const definition = defineChain({
    id: chain.chain_id,
    name: chain.name,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [node] } },
    contracts: { multicall3: { address: chain.contracts.multicall3 ?? "0x" } },
  });
  const onFetchRequest = () => {
    counter.requests += 1;
  };
  return createPublicClient({
    chain: definition,
    transport: http(node, { onFetchRequest, timeout: 60_000 }),
  });
}

async function counted(counter: { requests: number }, work: () => Promise<Held>) {
  const before = counter.requests;
  const held = await work();
  return { held, requests: counter.requests - before };
}

async function throughApi(url: string): Promise<Held> {
  const { positions } = Answer.parse(await (await fetch(url)).json());
  return Object.fromEntries(
    positions.map((one) => [one.vault_address.toLowerCase(), `${one.share_balance} ${one.current_assets}`]),
  );
}

async function throughMulticall(client: PublicClient, vaults: readonly Address[]): Promise<Held> {
  const on = (address: Address) => ({ address, abi: erc4626Abi }) as const;
  const shares = await client.multicall({
    contracts: vaults.map((vault) => ({
      ...on(vault),
      functionName: "balanceOf" as const,
      args: [HOLDER] as const,
    })),
    allowFailure: false,
  });
  const assets = await client.multicall({
    contracts: vaults.map((vault, index) => ({
      ...on(vault),
      functionName: "convertToAssets" as const,
      args: [shares[index] ?? 0n] as const,
    })),
    allowFailure: false,
  });
  return Object.fromEntries(vaults.map((vault, i) => [vault.toLowerCase(), `${shares[i]} ${assets[i]}`]));
}

async function oneByOne(client: PublicClient, vaults: readonly Address[]): Promise<Held> {
  const entries = await Promise.all(
    vaults.map(async (address) => {
      const shares = await client.readContract({
        address,
        abi: erc4626Abi,
        functionName: "balanceOf",
        args: [HOLDER],
      });
      const assets = await client.readContract({
        address,
        abi: erc4626Abi,
        functionName: "convertToAssets",
        args: [shares],
      });
      return [address.toLowerCase(), `${shares} ${assets}`] as const;
    }),
  );
  return Object.fromEntries(entries);
}

function assertSame(a: Held, b: Held, size: number): void {
  const same = Object.entries(a).every(([vault, amounts]) => b[vault] === amounts);
  if (!same || Object.keys(a).length !== size) throw new Error("the ways to read positions disagree");
}

async function rpcRequests(url: string): Promise<string> {
  const header = (await fetch(url)).headers.get("server-timing") ?? "";
  return /rpc;dur=\d+;desc="(\d+)"/.exec(header)?.[1] ?? "?";
}
