import { type Address, type Hex, toFunctionSelector } from "viem";
import * as z from "zod";
import type { NodeSession } from "../chains/chain-client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { findFamily } from "../vaults/families/vault-families.ts";
import type { LinkedContracts } from "../vaults/governance/governance-event.ts";
import type { Vault } from "../vaults/vault.ts";

/** A view function without arguments, by contract and selector. */
interface LinkView {
  address: Address;
  selector: Hex;
}

const Words = z.string().regex(/^0x([0-9a-fA-F]{64})*$/);
const ADDRESS_WORD = /^0{24}(?!0{40})[0-9a-f]{40}$/;
/**
 * Maximum number of view calls in one program, which takes 55 bytes of code per call; creation code may have 49,152
 * bytes.
 */
const MAX_VIEWS = 800;
/**
 * Gas limit of one view call in hex (100,000), so that a contract that uses up its gas does not affect the other calls.
 */
const VIEW_GAS = "0186a0";

/**
 * Encodes contract creation code that runs in an `eth_call` and returns one word per view function: its result, or zero
 * if the call failed or returned nothing.
 */
function encodeViews(views: readonly LinkView[]): Hex {
  const word = (value: number): string => value.toString(16).padStart(4, "0");
  const asked = views.map(({ address, selector }, index) => {
    const at = word(32 + 32 * index);
    // PUSH4 selector, PUSH1 224, SHL, PUSH1 0, MSTORE
    const question = `63${selector.slice(2)}60e01b600052`;
    // Writes 32 bytes to `at`, given 4 bytes at 0: PUSH1, PUSH2, PUSH1, PUSH1, PUSH20, PUSH3, STATICCALL
    const call = `602061${at}6004600073${address.slice(2).toLowerCase()}62${VIEW_GAS}fa`;
    // Multiplies the result by the success flag: PUSH2, MLOAD, MUL, PUSH2, MSTORE
    return `${question}${call}61${at}510261${at}52`;
  });
  // PUSH2 length, PUSH1 32, RETURN
  return `0x${asked.join("")}61${word(32 * views.length)}6020f3`;
}

/** Storage slot of a proxy's beacon: keccak256("eip1967.proxy.beacon") − 1. Source: ERC-1967. */
const BEACON_SLOT = "a3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
/**
 * Runtime code that returns the value of the beacon slot: PUSH32 slot, SLOAD, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0,
 * RETURN.
 */
const READ_BEACON_CODE: Hex = `0x7f${BEACON_SLOT}5460005260206000f3`;

/**
 * Reads, at the latest block, the addresses of the linked contracts that govern vaults, such as beacons: by vault id,
 * in lowercase, without unknown ones. On a node that does not support state overrides, no beacons are found. Throws
 * RpcError or OutsideError if the node fails.
 */
export async function readLinkedContracts(
  node: NodeSession,
  vaults: readonly Vault[],
): Promise<ReadonlyMap<string, LinkedContracts>> {
  const links = new Map<string, LinkedContracts>();
  const add = (vault: Vault, link: LinkedContracts): void => {
    links.set(vault.vaultId, { ...links.get(vault.vaultId), ...link });
  };
  const viewed = vaults.flatMap((vault) => {
    const link = findFamily(vault.adapter)?.governanceLink;
    return link === undefined
      ? []
      : [{ vault, contract: link.contract, selector: toFunctionSelector(link.view) }];
  });
  const asked = viewed.map(({ vault, selector }) => ({ address: vault.address, selector }));
  const returned = await readAddresses(node, { views: asked });
  for (const [index, { vault, contract }] of viewed.entries()) {
    const address = returned[index];
    if (address != null) add(vault, { [contract]: address });
  }
  const beacons = await readBeacons(node, vaults);
  for (const [index, vault] of vaults.entries()) {
    const beacon = beacons[index];
    if (beacon != null) add(vault, { beacon });
  }
  return links;
}

async function readBeacons(node: NodeSession, vaults: readonly Vault[]): Promise<(string | null)[]> {
  const views = vaults.map(({ address }) => ({ address, selector: "0x00000000" as const }));
  const overrides = Object.fromEntries(vaults.map(({ address }) => [address, { code: READ_BEACON_CODE }]));
  try {
    return await readAddresses(node, { views, overrides });
  } catch (error) {
    if (error instanceof RpcError && error.kind === "unsupported") return [];
    throw error;
  }
}

/** Returns the addresses that view functions return, with null where a result is not an address. */
async function readAddresses(
  node: NodeSession,
  query: { views: readonly LinkView[]; overrides?: Record<string, { code: Hex }> },
): Promise<(string | null)[]> {
  const { views, overrides } = query;
  const found: (string | null)[] = [];
  for (let start = 0; start < views.length; start += MAX_VIEWS) {
    const some = views.slice(start, start + MAX_VIEWS);
    const params = [{ data: encodeViews(some) }, "latest", ...(overrides === undefined ? [] : [overrides])];
    const returned = Words.safeParse(await node.request("eth_call", params));
    if (!returned.success || returned.data.length !== 2 + 64 * some.length)
      throw new OutsideError("malformed", "the node did not return the results of the views");
    const words = returned.data.slice(2).toLowerCase().match(/.{64}/g) ?? [];
    found.push(...words.map((word) => (ADDRESS_WORD.test(word) ? `0x${word.slice(24)}` : null)));
  }
  return found;
}
