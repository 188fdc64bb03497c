import type { Address, Hex } from "viem";
import * as z from "zod";
import { aggregateProgram } from "../chains/aggregate.ts";
import type { ChainClient, NodeReport } from "../chains/client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { mapQuery, type Query, queryAll } from "../chains/query.ts";
import { adapterOf } from "../vaults/families.ts";
import {
  decodePositions,
  encodePositionCalls,
  type LensVault,
  type PositionAnswer,
  type PositionCall,
} from "../vaults/lens/position-lens.ts";
import type { Vault } from "../vaults/vault.ts";

/** Shares a user holds of a vault, and what they are worth in the asset; both in smallest units. */
export interface HeldShares {
  vault: Vault;
  shares: bigint;
  /** Null: no conversion answered. */
  assets: bigint | null;
}

/** A chain's positions at one block. */
export interface ChainPositions {
  held: HeldShares[];
  /** Vaults whose share balance could not be read: not zero, not known. */
  unread: Vault[];
  blockNumber: number | null;
  /** Seconds; null when there was nothing to read. */
  blockTimestamp: number | null;
}

export type LensedVault = LensVault & { vault: Vault };
type Answered = { call: PositionCall<LensedVault>; answer: PositionAnswer };

const AnswerHex = z.string().regex(/^0x([0-9a-fA-F]{2})+$/);
/** A call that ran out of gas is asked again for the rest, this often at most. */
const MAX_ROUNDS = 8;

/**
 * Reads a user's shares of many vaults through the deployless lens: one request for as many vaults as fit
 * one call. Throws what the chain client throws, and an Error when vaults stay out of reach.
 */
export async function readChainPositions(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[] },
): Promise<ChainPositions> {
  const answered: Answered[] = [];
  let open: readonly LensedVault[] = query.lensed;
  for (let round = 0; round < MAX_ROUNDS && (open.length > 0 || answered.length === 0); round += 1) {
    const calls = encodePositionCalls({ user: query.user, vaults: open });
    if (calls.length === 0) break;
    const batch = await Promise.all(
      calls.map(async (call) => ({ call, answer: await callLens(client, call) })),
    );
    answered.push(...batch);
    open = batch.flatMap(({ call, answer }) =>
      call.vaults.filter((_, index) => answer.positions[index]?.status === "not_reached"),
    );
  }
  if (open.length > 0) throw new Error(`${open.length} vaults were not reached`);
  return toChainPositions(answered);
}

/**
 * As `readChainPositions`, with other reads beside it in the same request; null where one request does not hold it
 * all, or no node runs it. Throws what the chain client throws.
 */
export async function readChainPositionsWith<S>(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[]; beside: Query<S> },
): Promise<{ positions: ChainPositions; value: S } | null> {
  const { user, lensed, beside } = query;
  const [call, ...more] = encodePositionCalls({ user, vaults: lensed });
  if (call === undefined || more.length > 0 || beside.next !== undefined) return null;
  try {
    const program = { code: call.data, read: lensReader(call) };
    const told = await aggregateProgram(client, { program, reads: beside.reads });
    if (told === null || told.answer.positions.some(({ status }) => status === "not_reached")) return null;
    const positions = toChainPositions([{ call, answer: told.answer }]);
    return { positions, value: beside.interpret(told.results) };
  } catch (error) {
    // A node that refuses this call may still grant smaller ones.
    if (error instanceof RpcError) return null;
    throw error;
  }
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
    read: (told, seen) => read(AnswerHex.parse(told) as Hex, seen),
  });
}

/** Reads what the lens answered, and tells the chain and head that the answer shows. */
function lensReader(call: PositionCall<LensedVault>) {
  return (told: Hex, seen: (report: NodeReport) => void): PositionAnswer => {
    const answer = decodePositions(told, call.vaults.length);
    const blockNumber = answer.blockNumber === null ? null : Number(answer.blockNumber);
    seen({ chainId: answer.chainId, blockNumber });
    return answer;
  };
}

/** The vaults in which something is held. */
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

/** Which vaults' balances must not be valued as their rows say, by vault id; null where none may have changed. */
export function outdatedQuery(vaults: readonly Vault[]): Query<ReadonlySet<string>> | null {
  const parts = Object.fromEntries(
    vaults.flatMap((vault) => {
      const still = adapterOf(vault).pricingUnchanged?.(vault);
      return still === undefined ? [] : [[vault.vaultId, still] as const];
    }),
  );
  if (Object.keys(parts).length === 0) return null;
  return mapQuery(queryAll(parts), (told) => {
    const outdated = Object.entries(told).filter(([, still]) => !still);
    return new Set(outdated.map(([vaultId]) => vaultId));
  });
}
