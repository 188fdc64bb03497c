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
import type { ChainClient } from "./chain-client.ts";
import { RpcError } from "./json-rpc.ts";
import { RpcWord } from "./rpc-values.ts";
import { encodeOverrides } from "./simulator/run-simulation.ts";

/**
 * How a token's storage keeps a mapping by account. `solidity` hashes key then slot, `vyper` slot then key, with
 * `base` the mapping's own slot; `solady` hashes packed addresses with a fixed seed.
 */
export type SlotLayout = { order: "solidity" | "vyper"; base: bigint } | { order: "solady" };

/** The keys of a mapping: one account for balances, owner then spender for allowances. */
export type SlotKeys = readonly [owner: Address] | readonly [owner: Address, spender: Address];

/** A layout to try for some keys: its slot, and the value that the probe writes there. */
export interface SlotCandidate {
  layout: SlotLayout;
  slot: Hex;
  magic: bigint;
}

/**
 * Magic values are `prefix + index`. They stay below 2^96, since tokens keep flags in the top bit (USDC) or
 * balances in uint96 (COMP) and uint128; an amount with their fixed 80 bits is no real balance.
 */
const MAGIC = { balance: 0x4b1d_5ca1_ab1e_c0de_57ad_0000n, allowance: 0x4b1d_5ca1_ab1e_c0de_a110_0000n };
/** `keccak256("openzeppelin.storage.ERC20") - 1` hashed again, last byte cleared. Source: ERC-7201, OpenZeppelin 5. */
const OPENZEPPELIN_ERC20 = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n;
const SOLADY_SEED = { balance: "0x87a211a2", allowance: "0x7f5e9f20" } as const;
const SOLIDITY_SLOTS = 256;
const VYPER_SLOTS = 32;

/** Returns the layouts to try for balances: plain slots of both languages, OpenZeppelin's namespace and solady. */
export function balanceCandidates(owner: Address): SlotCandidate[] {
  return candidates([owner], layouts(OPENZEPPELIN_ERC20));
}

/** Returns the layouts to try for allowances, whose mapping is the second in OpenZeppelin's namespace. */
export function allowanceCandidates(owner: Address, spender: Address): SlotCandidate[] {
  return candidates([owner, spender], layouts(OPENZEPPELIN_ERC20 + 1n));
}

/**
 * Returns the `stateDiff` of a token under which one `eth_call` of `balanceOf(owner)` or `allowance(owner, spender)`
 * shows its layout. The candidates of both lists fit one diff.
 */
export function probeState(tried: readonly SlotCandidate[]): { slot: Hex; value: Hex }[] {
  return tried.map(({ slot, magic }) => ({ slot, value: numberToHex(magic, { size: 32 }) }));
}

/**
 * Returns the candidate whose value the token returned under `probeState`; null for any other answer, as from tokens
 * that scale, pack or keep their balances elsewhere. The probe also writes unrelated mappings of the token, so a
 * simulation that relies on the slot must read back the amount it wrote.
 */
export function matchSlot(tried: readonly SlotCandidate[], answered: bigint): SlotCandidate | null {
  return tried.find(({ magic }) => magic === answered) ?? null;
}

/** Returns the storage slot of an entry of any account, given the token's layout. */
export function slotOf(layout: SlotLayout, keys: SlotKeys): Hex {
  if (layout.order === "solady") return soladySlot(keys);
  const hash = layout.order === "solidity" ? solidityEntry : vyperEntry;
  let slot = numberToHex(layout.base, { size: 32 });
  for (const key of keys) slot = hash(padHex(key, { size: 32 }), slot);
  return slot;
}

const solidityEntry = (key: Hex, slot: Hex): Hex => keccak256(concatHex([key, slot]));
const vyperEntry = (key: Hex, slot: Hex): Hex => keccak256(concatHex([slot, key]));

/** Owner, 8 zero bytes, seed and, for allowances, spender. Source: solady's ERC20. */
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

/** Account of the probe; the layout is the same for all. */
const PROBED: Address = "0x00000000000000000000000000000000C0FFEE01";

/**
 * Finds a token's layout of balances with one `eth_call`; null when it is none of the known ones (rebasing, packed or
 * kept elsewhere). Throws RpcError `unsupported` where nodes do not override state, and what the chain client throws.
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

/** Returns the state override that gives an account a balance of a token, in its smallest unit. */
export function balanceOverride(
  holding: { token: Address; account: Address; amount: bigint },
  layout: SlotLayout,
): StateOverride[number] {
  const slot: Hex = slotOf(layout, [holding.account]);
  return { address: holding.token, stateDiff: [{ slot, value: numberToHex(holding.amount, { size: 32 }) }] };
}
