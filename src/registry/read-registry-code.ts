import { type Address, getAddress, type Hex, keccak256, parseAbi, slice } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, read, valueOrNull } from "../chains/chain-reads.ts";
import { RpcData, RpcWord } from "../chains/rpc-values.ts";
import { once } from "../lib/once.ts";

/** Storage slots of a proxy's implementation and of its beacon. Source: ERC-1967. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** Pattern of the target address in a minimal proxy's code. Source: ERC-1167. */
const CLONE = /73([0-9a-f]{40})5af4/;
/** Maximum length of a minimal proxy's code with immutable arguments, in hex digits. */
const MAX_CLONE_DIGITS = 1_000;
const beaconAbi = once(() => parseAbi(["function implementation() view returns (address)"]));

/**
 * Reads an identifier of the code that a vault runs: `implementation:<address>` of an ERC-1967 proxy,
 * `beacon:<beacon>/<implementation>` (`unknown` if the beacon does not return it), `clone:<target>` of an ERC-1167
 * proxy, or `code:<keccak256 hash>` of any other contract. Addresses are checksummed. The identifier changes with the
 * code, except behind other kinds of proxies and behind a clone's target. Errors of the chain client propagate.
 */
export async function readVaultCode(client: ChainClient, vault: Address): Promise<string> {
  const slotOf = async (slot: Hex) =>
    addressOf(RpcWord.parse(await client.request("eth_getStorageAt", [vault, slot, "latest"])));
  const [implementation, beacon] = await Promise.all([slotOf(IMPLEMENTATION_SLOT), slotOf(BEACON_SLOT)]);
  if (implementation !== null) return `implementation:${implementation}`;
  if (beacon !== null) return `beacon:${beacon}/${await implementationOf(client, beacon)}`;
  const code = RpcData.parse(await client.request("eth_getCode", [vault, "latest"])).toLowerCase() as Hex;
  const target = code.length <= MAX_CLONE_DIGITS ? CLONE.exec(code)?.[1] : undefined;
  return target === undefined ? `code:${keccak256(code)}` : `clone:${getAddress(`0x${target}`)}`;
}

/**
 * Returns true if an identifier of `readVaultCode` belongs to a proxy that stores its implementation or beacon in the
 * ERC-1967 slots: an administrator or the beacon's owner may be able to replace the vault's code.
 */
export const isReplaceable = (code: string): boolean => /^(implementation|beacon):/.test(code);

const addressOf = (word: Hex): Address | null => (/^0x0+$/.test(word) ? null : getAddress(slice(word, 12)));

async function implementationOf(client: ChainClient, beacon: Address): Promise<Address | "unknown"> {
  const reads = { implementation: read({ to: beacon, abi: beaconAbi(), name: "implementation" }) };
  const { value } = await runQuery(
    client,
    createQuery(reads, (results) => valueOrNull(results.implementation)),
  );
  return value ?? "unknown";
}
