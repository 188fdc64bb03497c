import { type Address, type Hex, numberToHex, size } from "viem";
import * as z from "zod";
import { aggregateProgram, runHeldProgram, runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient, NodeReport } from "../chains/chain-client.ts";
import { mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { AppError } from "../errors.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import {
  decodePositions,
  encodePositionCalls,
  type LensVault,
  MAX_INITCODE_BYTES,
  MAX_OVERRIDE_BYTES,
  type PositionAnswer,
  type PositionCall,
} from "../vaults/lens/position-lens.ts";
import type { Vault } from "../vaults/vault.ts";

/** A user's shares in one vault, in the share token's smallest unit, and their value, in the asset's smallest unit. */
export interface HeldShares {
  vault: Vault;
  shares: bigint;
  /**
   * Null if unknown, for example because the conversion failed or other contracts than the registry entry's price the
   * shares.
   */
  assets: bigint | null;
}

/** A user's shares in the vaults of one chain, which may be read at different blocks. */
export interface ChainPositions {
  held: HeldShares[];
  /** Vaults whose share balance could not be read. */
  unread: Vault[];
  /** Number of the first block that was read, or null if nothing was read or the chain does not provide it. */
  blockNumber: number | null;
  /** Timestamp of that block in UNIX seconds, or null if there was nothing to read. */
  blockTimestamp: number | null;
}

/**
 * A vault with the parameters by which the position lens reads it. The lens is contract code that runs in an `eth_call`
 * without being deployed.
 */
export type LensedVault = LensVault & { vault: Vault };
type Answered = { call: PositionCall<LensedVault>; answer: PositionAnswer };

const AnswerHex = z.string().regex(/^0x([0-9a-fA-F]{2})+$/);
/**
 * Maximum number of rounds of lens calls. Vaults that a call does not reach, because it runs out of gas, are read in
 * the next round.
 */
const MAX_ROUNDS = 8;

/**
 * Reads a user's shares in many vaults through the position lens, at the latest block of each call, without vaults in
 * which the user has none. Throws an Error if eight rounds of calls do not reach all vaults; errors of the chain client
 * propagate.
 */
export async function readChainPositions(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[] },
): Promise<ChainPositions> {
  return toChainPositions(await readRounds(client, { ...query, answered: [] }));
}

/** Reads the vaults that no answer has reached yet, in rounds, and returns all answers. */
async function readRounds(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[]; answered: readonly Answered[] },
): Promise<readonly Answered[]> {
  const answered = [...query.answered];
  let open = answered.length === 0 ? query.lensed : answered.flatMap(notReached);
  for (let round = 0; round < MAX_ROUNDS && open.length > 0; round += 1) {
    const batch = await readRound(client, { user: query.user, vaults: open });
    answered.push(...batch);
    open = batch.flatMap(notReached);
  }
  if (open.length > 0) throw new Error(`${open.length} vaults were not reached`);
  return answered;
}

const notReached = ({ call, answer }: Answered): LensedVault[] =>
  call.vaults.filter((_, index) => answer.positions[index]?.status === "not_reached");

/**
 * Reads vaults with one `eth_call` if its size allows. More vaults than fit into creation code are read by the code of
 * a state override; if the nodes reject that, by several calls in parallel.
 */
async function readRound(
  client: ChainClient,
  query: { user: Address; vaults: readonly LensedVault[] },
): Promise<Answered[]> {
  const calls = encodePositionCalls(query);
  if (calls.length > 1) {
    const [held, ...more] = encodePositionCalls({ ...query, maxBytes: MAX_OVERRIDE_BYTES });
    const answered = held === undefined || more.length > 0 ? null : await tryOverride(client, held);
    if (answered !== null) return [answered];
  }
  return Promise.all(calls.map(async (call) => ({ call, answer: await callLens(client, call) })));
}

/** Reads vaults by a state override, or returns null if the nodes reject this call or none is available. */
async function tryOverride(client: ChainClient, call: PositionCall<LensedVault>): Promise<Answered | null> {
  try {
    return { call, answer: await runHeldProgram(client, { code: call.data, read: lensReader(call) }) };
  } catch (error) {
    if (isRejection(error)) return null;
    throw error;
  }
}

/** Returns true if nodes may have rejected a call for its size, gas or override, and may accept smaller ones. */
const isRejection = (error: unknown): boolean =>
  error instanceof RpcError || (error instanceof AppError && error.code === "upstream_unavailable");

/**
 * Reads a user's shares and the first batch of `additional` in one `eth_call`; vaults that it does not reach, and
 * further batches, are read by further calls. Null if there are no vaults, the call does not fit or fails, or a call
 * ends with an RpcError or, if the lens call exceeds `MAX_INITCODE_BYTES`, with `upstream_unavailable`; then read both
 * separately. Throws an Error if vaults are still not reached; other errors of the chain client propagate.
 */
export async function readChainPositionsWith<S>(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[]; additional: Query<S> },
): Promise<{ positions: ChainPositions; value: S } | null> {
  const { user, lensed, additional } = query;
  const [call, ...more] = encodePositionCalls({ user, vaults: lensed, maxBytes: MAX_OVERRIDE_BYTES });
  if (call === undefined || more.length > 0) return null;
  try {
    const program = { code: call.data, read: lensReader(call) };
    const made = await aggregateProgram(client, { program, reads: additional.reads });
    if (made === null) return null;
    const answered = [{ call, answer: made.answer }];
    const positions = toChainPositions(await readRounds(client, { user, lensed, answered }));
    const further = additional.next?.(made.results) ?? null;
    const value =
      further === null ? additional.interpret(made.results) : (await runQuery(client, further)).value;
    return { positions, value };
  } catch (error) {
    // A node that rejects this call may accept smaller ones.
    if (error instanceof RpcError || (isLarge(call) && isRejection(error))) return null;
    throw error;
  }
}

/** Returns true if a call is too large for creation code, so that nodes may reject its size. */
const isLarge = ({ data }: PositionCall<LensedVault>): boolean => size(data) > MAX_INITCODE_BYTES;

/**
 * Reads a user's balances of share tokens at the end of an earlier block, by the token's lowercase address. A balance
 * that cannot be read is null; the result is empty if the call fails, does not report this block, or would be too
 * large. Never throws.
 */
export async function readSharesAt(
  client: ChainClient,
  query: { user: Address; tokens: readonly Address[]; blockNumber: number },
): Promise<ReadonlyMap<string, bigint | null>> {
  const { user, tokens, blockNumber } = query;
  const vaults = tokens.map((shareToken): LensVault => ({ kind: "balance", shareToken }));
  const [call, ...more] = encodePositionCalls({ user, vaults });
  if (call === undefined || more.length > 0) return new Map();
  const answer = await callAt(client, { call, blockNumber }).catch(() => null);
  if (answer === null) return new Map();
  if (answer.chainId !== client.definition.chainId || answer.blockNumber !== BigInt(blockNumber))
    return new Map();
  return new Map(tokens.map((token, index) => [token.toLowerCase(), balanceOf(answer.positions[index])]));
}

function balanceOf(position: PositionAnswer["positions"][number] | undefined): bigint | null {
  if (position === undefined) return null;
  if (position.status === "none") return 0n;
  return "balance" in position ? position.balance : null;
}

/** Calls the lens on one node at an earlier block. Null if the node does not return a usable answer. */
function callAt(
  client: ChainClient,
  { call, blockNumber }: { call: PositionCall<LensVault>; blockNumber: number },
): Promise<PositionAnswer | null> {
  const params = [{ data: call.data }, numberToHex(blockNumber)];
  return client.onOneNode((node) =>
    node
      .request("eth_call", params)
      .then((answer) => decodePositions(AnswerHex.parse(answer) as Hex, call.vaults.length))
      // If the session threw, it would be repeated on the next node.
      .catch(() => null),
  );
}

function toChainPositions(answered: readonly Answered[]): ChainPositions {
  const first = answered[0]?.answer ?? null;
  return {
    held: answered.flatMap(heldShares),
    unread: answered.flatMap(({ call, answer }) =>
      call.vaults.flatMap(({ vault }, index) =>
        answer.positions[index]?.status === "balance_unknown" ? [vault] : [],
      ),
    ),
    blockNumber: first === null || first.blockNumber === null ? null : Number(first.blockNumber),
    blockTimestamp: first === null ? null : Number(first.blockTimestamp),
  };
}

function callLens(client: ChainClient, call: PositionCall<LensedVault>): Promise<PositionAnswer> {
  const read = lensReader(call);
  return client.ask({
    method: "eth_call",
    params: [{ data: call.data }, "latest"],
    read: (answer, seen) => read(AnswerHex.parse(answer) as Hex, seen),
  });
}

/** Returns the decoder of a lens result. It also passes the chain id and block number of the result to `seen`. */
function lensReader(call: PositionCall<LensedVault>) {
  return (returndata: Hex, seen: (report: NodeReport) => void): PositionAnswer => {
    const answer = decodePositions(returndata, call.vaults.length);
    const blockNumber = answer.blockNumber === null ? null : Number(answer.blockNumber);
    seen({ chainId: answer.chainId, blockNumber });
    return answer;
  };
}

/**
 * Returns a user's shares and their value for the vaults of one lens call, without vaults in which the user has none.
 */
function heldShares({ call, answer }: Answered): HeldShares[] {
  return call.vaults.flatMap(({ vault }, index): HeldShares[] => {
    const position = answer.positions[index];
    switch (position?.status) {
      case "converted":
      case "ratio":
        return [{ vault, shares: position.balance, assets: position.assets }];
      case "rate": {
        const { balance: shares, rate } = position;
        return [{ vault, shares, assets: adapterOf(vault).toAssets?.(vault, { shares, rate }) ?? null }];
      }
      case "assets_unknown":
        return [{ vault, shares: position.balance, assets: null }];
      default:
        return [];
    }
  });
}

/**
 * Returns the query for the ids of vaults whose shares cannot be valued, because other contracts than the registry
 * entry's price them now or because that cannot be read. Null if no vault needs this check.
 */
export function outdatedQuery(vaults: readonly Vault[]): Query<ReadonlySet<string>> | null {
  const parts = Object.fromEntries(
    vaults.flatMap((vault) => {
      const still = adapterOf(vault).pricingUnchanged?.(vault);
      return still === undefined ? [] : [[vault.vaultId, still] as const];
    }),
  );
  if (Object.keys(parts).length === 0) return null;
  return mapQuery(queryAll(parts), (valued) => {
    const outdated = Object.entries(valued).filter(([, still]) => !still);
    return new Set(outdated.map(([vaultId]) => vaultId));
  });
}
