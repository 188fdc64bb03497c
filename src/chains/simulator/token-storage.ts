import {
  type Address,
  concatHex,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
  type StateOverride,
} from "viem";
import type { ChainClient } from "../chain-client.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcWord } from "../rpc-values.ts";
import { encodeOverrides } from "./run-simulation.ts";

/**
 * Storage layout of a token's mapping by account. An entry's slot is the hash of the key and the mapping's slot `base`
 * (`solidity`), of both in the opposite order (`vyper`), or of packed addresses and a seed (`solady`).
 */
export type SlotLayout = { order: "solidity" | "vyper"; base: bigint } | { order: "solady" };

/** The keys of a token's mapping: the account for balances, the owner and the spender for allowances. */
export type SlotKeys = readonly [owner: Address] | readonly [owner: Address, spender: Address];

/**
 * A storage layout to test for some keys: their slot under that layout, and the magic value that the probe writes to
 * the slot.
 */
export interface SlotCandidate {
  layout: SlotLayout;
  slot: Hex;
  magic: bigint;
}

/**
 * Prefixes of the probe's magic values, which are `prefix + index`. They stay below 2^96, because tokens keep flags in
 * the top bit (USDC) or balances in uint96 (COMP).
 */
const MAGIC = { balance: 0x4b1d_5ca1_ab1e_c0de_57ad_0000n, allowance: 0x4b1d_5ca1_ab1e_c0de_a110_0000n };
/**
 * OpenZeppelin 5's ERC-7201 storage location of ERC-20 state: `keccak256("openzeppelin.storage.ERC20") - 1` hashed
 * again, with the last byte cleared. Source: ERC-7201, OpenZeppelin 5.
 */
const OPENZEPPELIN_ERC20 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const SOLADY_SEED = { balance: "0x87a211a2", allowance: "0x7f5e9f20" } as const;
const SOLIDITY_SLOTS = 256;
const VYPER_SLOTS = 32;

/**
 * Returns the storage layouts to probe for a token's balances, with the slots of `owner`: plain slots of Solidity (0 to
 * 255) and Vyper (0 to 31), OpenZeppelin's namespace and solady.
 */
export function balanceCandidates(owner: Address): SlotCandidate[] {
  return candidates([owner], layouts(OPENZEPPELIN_ERC20));
}

/**
 * Returns the storage layouts to probe for a token's allowances, with the slots of `owner` and `spender`: those of
 * `balanceCandidates`, but with the second mapping in OpenZeppelin's namespace.
 */
export function allowanceCandidates(owner: Address, spender: Address): SlotCandidate[] {
  return candidates([owner, spender], layouts(OPENZEPPELIN_ERC20 + 1n));
}

/**
 * Returns the `stateDiff` that writes every candidate's magic value, so that one `eth_call` of `balanceOf(owner)` or
 * `allowance(owner, spender)` shows which of the layouts the token has, if any.
 */
export function probeState(tried: readonly SlotCandidate[]): { slot: Hex; value: Hex }[] {
  return tried.map(({ slot, magic }) => ({ slot, value: numberToHex(magic, { size: 32 }) }));
}

/**
 * Returns the candidate whose magic value the token returned under `probeState`, or null. The probe also writes to the
 * token's other mappings, so a simulation that relies on the slot must read back the amount it wrote.
 */
export function matchSlot(tried: readonly SlotCandidate[], answered: bigint): SlotCandidate | null {
  return tried.find(({ magic }) => magic === answered) ?? null;
}

/** Returns the storage slot of an account's balance or allowance, given the token's storage layout. */
export function slotOf(layout: SlotLayout, keys: SlotKeys): Hex {
  if (layout.order === "solady") return soladySlot(keys);
  const hash = layout.order === "solidity" ? solidityEntry : vyperEntry;
  let slot = numberToHex(layout.base, { size: 32 });
  for (const key of keys) slot = hash(padHex(key, { size: 32 }), slot);
  return slot;
}

const solidityEntry = (key: Hex, slot: Hex): Hex => keccak256(concatHex([key, slot]));
const vyperEntry = (key: Hex, slot: Hex): Hex => keccak256(concatHex([slot, key]));

/**
 * Returns the storage slot under solady's layout, which hashes the owner, 8 zero bytes, the seed and, for allowances,
 * the spender. Source: solady's ERC20.
 */
function soladySlot([owner, spender]: SlotKeys): Hex {
  const gap: Hex = "0x0000000000000000";
  if (spender === undefined) return keccak256(concatHex([owner, gap, SOLADY_SEED.balance]));
  return keccak256(concatHex([owner, gap, SOLADY_SEED.allowance, spender]));
}

function layouts(namespaced: bigint): SlotLayout[] {
  const plain = (order: "solidity" | "vyper", count: number): SlotLayout[] =>
    Array.from({ length: count }, (_, index) => ({ order, base: BigInt(index) }));
  return [
    ...plain("solidity", SOLIDITY_SLOTS),
    ...plain("vyper", VYPER_SLOTS),
    { order: "solidity", base: namespaced },
    { order: "solady" },
  ];
}

function candidates(keys: SlotKeys, tried: readonly SlotLayout[]): SlotCandidate[] {
  const prefix = keys.length === 1 ? MAGIC.balance : MAGIC.allowance;
  return tried.map((layout, index) => ({
    layout,
    slot: slotOf(layout, keys),
    magic: prefix + BigInt(index),
  }));
}

/** Account whose balance is probed; the storage layout is the same for all accounts. */
const PROBED: Address = "0x00000000000000000000000000000000C0FFEE01";

/**
 * Finds the storage layout of a token's balances, or null if it is none of the known ones or `balanceOf` fails. Throws
 * RpcError `unsupported` if the nodes reject state overrides; errors of the chain client propagate.
 */
export async function findBalanceLayout(client: ChainClient, token: Address): Promise<SlotLayout | null> {
  const tried = balanceCandidates(PROBED);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [PROBED] });
  const overrides = encodeOverrides([{ address: token, stateDiff: probeState(tried) }]);
  try {
    const answer = RpcWord.safeParse(
      await client.request("eth_call", [{ to: token, data }, "latest", overrides]),
    );
    return answer.success ? (matchSlot(tried, BigInt(answer.data))?.layout ?? null) : null;
  } catch (error) {
    if (error instanceof RpcError && error.kind === "revert") return null;
    throw error;
  }
}

/** Returns the state override that gives an account a balance of a token; `amount` is in the token's smallest unit. */
export function balanceOverride(
  holding: { token: Address; account: Address; amount: bigint },
  layout: SlotLayout,
): StateOverride[number] {
  const slot: Hex = slotOf(layout, [holding.account]);
  return { address: holding.token, stateDiff: [{ slot, value: numberToHex(holding.amount, { size: 32 }) }] };
}
