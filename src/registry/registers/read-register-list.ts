import {
  type Address,
  BaseError,
  decodeFunctionResult,
  encodeFunctionData,
  stringToHex,
  zeroAddress,
} from "viem";
import { runWholeQuery } from "../../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../../chains/chain-client.ts";
import { createQuery, type Read, read, valueOrNull } from "../../chains/chain-reads.ts";
import { RpcError } from "../../chains/json-rpc.ts";
import { RpcData } from "../../chains/rpc-values.ts";
import { failure } from "../../errors.ts";
import { registerAbi, type VaultRegister } from "./vault-registers.ts";

type ListView = Extract<VaultRegister["reading"], { kind: "list" }>["view"];
/** View functions that return a whole list of addresses in one call. */
type WholeList = Exclude<ListView, "strategyProxies">;

/** Maximum number of curators or strategies of one register; more are rejected as implausible. */
const MAX_MEMBERS = 500;
/** Number of strategies that one batch of reads asks for. */
const STRATEGY_BATCH = 50;

/** Keys in Gearbox's address providers. Sources: Gearbox-protocol/core-v3, Gearbox-protocol/permissionless. */
const POOLS = stringToHex("CONTRACTS_REGISTER", { size: 32 });
const CURATORS = stringToHex("MARKET_CONFIGURATOR_FACTORY", { size: 32 });

/** Vaults of a register, some perhaps twice; `complete` is false if a part of its list could not be read. */
interface RegisterList {
  vaults: Address[];
  complete: boolean;
}

/**
 * Returns the vaults that a register lists, without those of a curator whose contracts do not respond. Null if its own
 * does not respond as expected. Throws `upstream_rejected` if it has more than 500 curators or
 * strategies, and errors of the chain client.
 */
export async function readRegisterList(
  client: ChainClient,
  { register: { address }, view }: { register: Pick<VaultRegister, "address">; view: ListView },
): Promise<RegisterList | null> {
  if (view === "getMarketConfigurators") return readCuratedPools(client, address);
  const vaults = await readWholeList(client, { address, view });
  return vaults === null ? null : { vaults, complete: true };
}

function readWholeList(
  client: ChainClient,
  { address, view }: { address: Address; view: Exclude<ListView, "getMarketConfigurators"> },
): Promise<Address[] | null> {
  if (view === "getPools") return readProvided(client, { provider: address, key: POOLS, view });
  if (view === "strategyProxies") return readStrategyVaults(client, address);
  return callList(client, { to: address, view });
}

/** Returns the list of the contract that Gearbox's address provider names by a key, or null if one does not respond. */
async function readProvided(
  client: ChainClient,
  { provider, key, view }: { provider: Address; key: `0x${string}`; view: WholeList },
): Promise<Address[] | null> {
  const args = [key, 0n] as const;
  const [provided] = await readEach(client, [
    read({ to: provider, abi: registerAbi(), name: "getAddressOrRevert", args }),
  ]);
  return provided == null ? null : callList(client, { to: provided, view });
}

/**
 * Returns the pools of all curators of Gearbox v3.1. Those of a curator whose contracts do not respond are missing, which
 * says nothing about them.
 */
async function readCuratedPools(client: ChainClient, provider: Address): Promise<RegisterList | null> {
  const view = "getMarketConfigurators";
  const curators = await readProvided(client, { provider, key: CURATORS, view });
  if (curators === null) return null;
  assertPlausible(curators.length);
  const named = await readEach(
    client,
    curators.map((to) => read({ to, abi: registerAbi(), name: "contractsRegister" })),
  );
  const pools: (Address[] | null)[] = [];
  for (const to of named) pools.push(to === null ? null : await callList(client, { to, view: "getPools" }));
  return { vaults: pools.flatMap((list) => list ?? []), complete: !pools.includes(null) };
}

/** Returns the vault of each strategy of a factory, or null if the factory responds to neither view. */
async function readStrategyVaults(client: ChainClient, factory: Address): Promise<Address[] | null> {
  const strategies: Address[] = [];
  for (let start = 0; ; start += STRATEGY_BATCH) {
    const batch = await readEach(
      client,
      Array.from({ length: STRATEGY_BATCH }, (_, index) =>
        read({ to: factory, abi: registerAbi(), name: "strategyProxies", args: [BigInt(start + index)] }),
      ),
    );
    const end = batch.indexOf(null);
    for (const strategy of end === -1 ? batch : batch.slice(0, end))
      if (strategy !== null) strategies.push(strategy);
    assertPlausible(strategies.length);
    if (end !== -1) break;
  }
  // Also tells a factory without strategies from a contract that is none.
  const vaults = await readEach(
    client,
    [zeroAddress, ...strategies].map((strategy) =>
      read({ to: factory, abi: registerAbi(), name: "strategyVaults", args: [strategy] }),
    ),
  );
  if (vaults.includes(null)) return null;
  return vaults.flatMap((vault) => (vault === null || vault === zeroAddress ? [] : [vault]));
}

/** Makes reads in one batch and returns their values, null for each that failed. Throws as `runWholeQuery`. */
async function readEach(client: ChainClient, reads: readonly Read<Address>[]): Promise<(Address | null)[]> {
  const named = Object.fromEntries(reads.map((one, index) => [index, one]));
  return runWholeQuery(
    client,
    createQuery(named, (results) => reads.map((_, index) => readValue(results[index]))),
  );
}

const readValue = (result: Parameters<typeof valueOrNull<Address>>[0] | undefined): Address | null =>
  result === undefined ? null : valueOrNull(result);

function assertPlausible(members: number): void {
  if (members > MAX_MEMBERS)
    throw failure("upstream_rejected", "the contract does not answer as this register");
}

/** Calls the view of a list by itself, because the aggregator returns 4,096 bytes of a call at most. */
async function callList(
  client: ChainClient,
  { to, view }: { to: Address; view: WholeList },
): Promise<Address[] | null> {
  const call = { to, data: encodeFunctionData({ abi: registerAbi(), functionName: view }) };
  try {
    const data = await client.onOneNode(async (node) =>
      RpcData.parse(await node.request("eth_call", [call, "latest"])),
    );
    return decodeFunctionResult({ abi: registerAbi(), functionName: view, data }).flat();
  } catch (error) {
    if (error instanceof BaseError || (error instanceof RpcError && error.kind === "revert")) return null;
    throw error;
  }
}
