import { type Address, getAddress, type Hex, keccak256, parseAbi, slice } from "viem";
import { runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, read, valueOrNull } from "../chains/chain-reads.ts";
import { readContractCode } from "../chains/code-at-block.ts";
import { RpcWord } from "../chains/rpc-values.ts";
import { once } from "../lib/once.ts";
import { cloneTarget, delegatesCalls } from "./scan-registry-bytecode.ts";

/** Storage slots of a proxy's implementation and of its beacon. Source: ERC-1967. */
const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/** Older slots: of OpenZeppelin's first proxies (keccak256("org.zeppelinos.proxy.implementation")) and of ERC-1822. */
const OLD_SLOTS: readonly Hex[] = [
  "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
];
const beaconAbi = once(() => parseAbi(["function implementation() view returns (address)"]));

/**
 * Reads an identifier of the code that a vault runs: `implementation:<address>/<hash>`,
 * `beacon:<beacon>/<implementation>/<hash>` (`unknown` if the beacon names none), `clone:<target>` or `code:<hash>`,
 * with the keccak256 hash of the vault's own code. Addresses are checksummed. Errors of the chain client propagate.
 */
export async function readVaultCode(client: ChainClient, vault: Address): Promise<string> {
  const slotOf = (slot: Hex) => readStoredAddress(client, { vault, slot });
  const [implementation, beacon, code] = await Promise.all([
    slotOf(IMPLEMENTATION_SLOT),
    slotOf(BEACON_SLOT),
    readContractCode(client, vault),
  ]);
  // Any contract can write a proxy's slots, so they identify no code by themselves.
  const hash = keccak256(code);
  if (implementation !== null) return `implementation:${implementation}/${hash}`;
  if (beacon !== null) return `beacon:${beacon}/${await implementationOf(client, beacon)}/${hash}`;
  const target = cloneTarget(code);
  if (target !== null) return `clone:${target}`;
  const older = delegatesCalls(code) ? await Promise.all(OLD_SLOTS.map(slotOf)) : [];
  const named = older.find((address) => address !== null);
  return named === undefined ? `code:${hash}` : `implementation:${named}/${hash}`;
}

/**
 * Returns false only if the code of a vault, or that of which it is a clone, has no reachable `DELEGATECALL`,
 * `CALLCODE` or `SELFDESTRUCT`. True also for accounts without code. Errors of the chain client propagate.
 */
export async function canRunOtherCode(client: ChainClient, vault: Address): Promise<boolean> {
  const code = await readContractCode(client, vault);
  const target = cloneTarget(code);
  return delegatesCalls(target === null ? code : await readContractCode(client, target));
}

/**
 * Returns true if an identifier of `readVaultCode` contains the address of an implementation that a proxy's storage or
 * beacon names, and that can therefore be replaced. False for a clone, whose target is constant, for a beacon whose
 * implementation is `unknown`, and for code that is no known kind of proxy.
 */
export const namesImplementation = (code: string): boolean =>
  /^(implementation:|beacon:[^/]+\/(?!unknown\/))/.test(code);

/**
 * Returns an identifier of `readVaultCode` without the hash of the proxy's own code if it names an implementation,
 * otherwise unchanged. It proves nothing about a proxy that no known factory created, because any contract can write a
 * proxy's slots.
 */
export const withoutProxyHash = (code: string): string =>
  namesImplementation(code) ? code.replace(/\/0x[0-9a-f]{64}$/, "") : code;

/** Reads the address in a vault's storage slot, or null for zero. Errors of the chain client propagate. */
export const readStoredAddress = (
  client: ChainClient,
  { vault, slot }: { vault: Address; slot: Hex },
): Promise<Address | null> =>
  client.ask({
    method: "eth_getStorageAt",
    params: [vault, slot, "latest"],
    read: (answer) => addressOf(RpcWord.parse(answer)),
  });

const addressOf = (word: Hex): Address | null => (/^0x0+$/.test(word) ? null : getAddress(slice(word, 12)));

async function implementationOf(client: ChainClient, beacon: Address): Promise<Address | "unknown"> {
  const reads = { implementation: read({ to: beacon, abi: beaconAbi(), name: "implementation" }) };
  const { value } = await runQuery(
    client,
    createQuery(reads, (results) => valueOrNull(results.implementation)),
  );
  return value ?? "unknown";
}
