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
import { MAX_UINT256 } from "../../lib/amount.ts";
import { decodeResults, encodeCalls } from "../aggregator/aggregator-codec.ts";
import type { ChainClient } from "../chain-client.ts";
import { RpcError } from "../json-rpc.ts";
import { RpcData, RpcWord } from "../rpc-values.ts";
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
/** Slots of upgradeable tokens that have many base contracts, each with a storage gap. */
const FAR_LAYOUTS: readonly SlotLayout[] = Array.from({ length: SOLIDITY_SLOTS }, (_, index) => ({
  order: "solidity",
  base: BigInt(SOLIDITY_SLOTS + index),
}));

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
 * Storage layout of a token's balances. `scale` is present if the token rebases: a slot with the value `stored` gave
 * the balance `returned`, and other balances are in proportion.
 */
export type BalanceLayout = SlotLayout & { scale?: { stored: bigint; returned: bigint } | undefined };

/**
 * Finds the storage layout of a token's balances, also if the token rebases, so that each balance is a stored value
 * times a common factor. Returns null if no known layout, or more than one of a rebasing token, fits. Throws RpcError
 * `unsupported` if the nodes reject state overrides; errors of the chain client propagate.
 */
export async function findBalanceLayout(client: ChainClient, token: Address): Promise<BalanceLayout | null> {
  const lists = [layouts(OPENZEPPELIN_ERC20), FAR_LAYOUTS];
  for (const list of lists) {
    const tried = candidates([PROBED], list);
    const answered = await probeBalance(client, { token, tried });
    const found = answered === null ? null : matchSlot(tried, answered);
    if (found !== null) return found.layout;
  }
  for (const list of lists) {
    const found = await findScaledLayout(client, { token, list });
    if (found !== null) return found;
  }
  return null;
}

const balanceCall = (token: Address, account: Address) => ({
  to: token,
  data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [account] }),
});

/** Returns the balance of the probed account under `probeState`, or null if `balanceOf` reverts or returns no word. */
async function probeBalance(
  client: ChainClient,
  { token, tried }: { token: Address; tried: readonly SlotCandidate[] },
): Promise<bigint | null> {
  const overrides = encodeOverrides([{ address: token, stateDiff: probeState(tried) }]);
  try {
    const answer = RpcWord.safeParse(
      await client.request("eth_call", [balanceCall(token, PROBED), "latest", overrides]),
    );
    return answer.success ? BigInt(answer.data) : null;
  } catch (error) {
    if (error instanceof RpcError && error.kind === "revert") return null;
    throw error;
  }
}

/** Value that probes for a rebasing token write. It stays below 2^96, and far above what rounding changes. */
const SCALED_MAGIC = 2n ** 94n;
/** Largest difference of a balance from what is in proportion to its stored value: one part in so many. */
const SCALE_PRECISION = 10n ** 6n;

/**
 * Finds a layout under which balances are in proportion to stored values. Each layout of the list is tried for an
 * account of its own, because a rebasing token may keep further values by account. Half of the value must confirm the
 * layout by half of the balance.
 */
async function findScaledLayout(
  client: ChainClient,
  { token, list }: { token: Address; list: readonly SlotLayout[] },
): Promise<BalanceLayout | null> {
  const tried = list.map((layout, index) => {
    const account = numberToHex(BigInt(PROBED) + BigInt(index + 1), { size: 20 });
    return { layout, account, slot: slotOf(layout, [account]), magic: SCALED_MAGIC };
  });
  const data = encodeCalls(tried.map(({ account }) => balanceCall(token, account)));
  const overrides = encodeOverrides([{ address: token, stateDiff: probeState(tried) }]);
  const results = await client.ask({
    method: "eth_call",
    params: [{ data }, "latest", overrides],
    read: (response, seen) => {
      const { chainId, blockNumber, results: all } = decodeResults(RpcData.parse(response), tried.length);
      seen({ chainId, blockNumber });
      return all;
    },
  });
  const found = results.flatMap((result, index) => {
    const word = result.status === "answered" ? RpcWord.safeParse(result.data) : null;
    const layout = tried[index]?.layout;
    if (word?.success !== true || layout === undefined || BigInt(word.data) === 0n) return [];
    return [{ layout, returned: BigInt(word.data) }];
  });
  const [first] = found;
  if (first === undefined || found.length > 1) return null;
  const { layout, returned } = first;
  const half = { layout, slot: slotOf(layout, [PROBED]), magic: SCALED_MAGIC / 2n };
  const confirmed = await probeBalance(client, { token, tried: [half] });
  if (confirmed === null) return null;
  const difference = returned > 2n * confirmed ? returned - 2n * confirmed : 2n * confirmed - returned;
  if (difference * SCALE_PRECISION > returned) return null;
  return { ...layout, scale: { stored: SCALED_MAGIC, returned } };
}

/** Part of a balance that is added to a rebasing token's, whose factor may have changed since it was measured. */
const REBASE_MARGIN = 16n;

/**
 * Returns the state override that gives an account a balance of a token; `amount` is in the token's smallest unit. The
 * balance of a rebasing token is about a sixteenth more than the amount.
 */
export function balanceOverride(
  holding: { token: Address; account: Address; amount: bigint },
  layout: BalanceLayout,
): StateOverride[number] {
  const slot: Hex = slotOf(layout, [holding.account]);
  const value = numberToHex(storedValue(holding.amount, layout), { size: 32 });
  return { address: holding.token, stateDiff: [{ slot, value }] };
}

function storedValue(amount: bigint, { scale }: BalanceLayout): bigint {
  if (scale === undefined || amount === 0n) return amount;
  const wanted = amount + amount / REBASE_MARGIN + 1n;
  const value = (wanted * scale.stored) / scale.returned + 1n;
  return value < MAX_UINT256 ? value : MAX_UINT256;
}
