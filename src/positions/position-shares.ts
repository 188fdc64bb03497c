import type { Address, Hex } from "viem";
import * as z from "zod";
import { aggregateProgram, runQuery } from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient, NodeReport } from "../chains/chain-client.ts";
import { mapQuery, type Query, queryAll } from "../chains/chain-reads.ts";
import { RpcError } from "../chains/json-rpc.ts";
import { adapterOf } from "../vaults/families/vault-families.ts";
import {
  decodePositions,
  encodePositionCalls,
  type LensVault,
  type PositionAnswer,
  type PositionCall,
} from "../vaults/lens/position-lens.ts";
import type { Vault } from "../vaults/vault.ts";

/** A user's shares in one vault and their value in the vault's asset, each in the token's smallest unit. */
export interface HeldShares {
  vault: Vault;
  shares: bigint;
  /** Null if the vault could not convert the shares to assets. */
  assets: bigint | null;
}

/** A user's shares in the vaults of one chain, read at one block. */
export interface ChainPositions {
  held: HeldShares[];
  /** Vaults whose share balance could not be read. */
  unread: Vault[];
  blockNumber: number | null;
  /** Timestamp of the block in UNIX seconds, or null if there was nothing to read. */
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
 * Reads a user's shares in many vaults through the position lens, with as many vaults per `eth_call` as fit, at the
 * latest block. Vaults in which the user holds nothing are left out. Throws an Error if some vaults are not reached in
 * eight rounds of calls. Errors of the chain client propagate.
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
 * Reads a user's shares and the query `additional` in one `eth_call`. Null if one call cannot hold both, or the nodes
 * reject it; the caller then reads them separately. Other errors of the chain client propagate.
 */
export async function readChainPositionsWith<S>(
  client: ChainClient,
  query: { user: Address; lensed: readonly LensedVault[]; additional: Query<S> },
): Promise<{ positions: ChainPositions; value: S } | null> {
  const { user, lensed, additional } = query;
  const [call, ...more] = encodePositionCalls({ user, vaults: lensed });
  if (call === undefined || more.length > 0) return null;
  try {
    const program = { code: call.data, read: lensReader(call) };
    const made = await aggregateProgram(client, { program, reads: additional.reads });
    if (made === null || made.answer.positions.some(({ status }) => status === "not_reached")) return null;
    const positions = toChainPositions([{ call, answer: made.answer }]);
    const further = additional.next?.(made.results) ?? null;
    const value =
      further === null ? additional.interpret(made.results) : (await runQuery(client, further)).value;
    return { positions, value };
  } catch (error) {
    // A node that rejects this call may accept smaller ones.
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
 * Returns the query for the ids of vaults whose shares cannot be valued, because other contracts than those in the
 * registry entry now price them. Null if no vault needs this check.
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
