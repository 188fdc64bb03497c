import type { Hex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { fetchCalldata } from "../../chains/chain-transaction.ts";
import type { Context } from "../../context.ts";
import {
  type Candidate,
  type Findings,
  type Sightings,
  selectCandidates,
} from "../../db/queries/deposit-hint-queries.ts";
import { builtDataHashes } from "../deposits/track-deposit-source.ts";
import { innerDataHashes } from "../tracked-calldata-hashes.ts";

/** Maximum number of transactions whose calldata one round reads. */
const MAX_READ = 400;
/** Number of transactions that are read concurrently. */
const CONCURRENCY = 5;

/**
 * Prepares a chain's `sightings` for `addFindings`: reads the calldata of at most 400 possible deposits and
 * withdrawals; those that were not read are in `unread`. Throws `store_unavailable`, but no errors of the RPC nodes.
 */
export async function readFindings(
  ctx: Context,
  of: { chainId: number; client: ChainClient; sightings: Sightings },
): Promise<Findings> {
  const { chainId, client, sightings } = of;
  const { references, payments, mentions, moves, touched } = sightings;
  const candidates = await selectCandidates(ctx.db, { chainId, payments, mentions });
  const hashes = [...new Set(candidates.map(({ txHash }) => txHash))].slice(0, MAX_READ);
  const calldata = await readCalldata(client, hashes);
  const sources: (Candidate & { dataHash: string })[] = [];
  const unread: Candidate[] = [];
  for (const candidate of candidates) {
    const hashesOfCalls = calldata.get(candidate.txHash);
    if (hashesOfCalls === undefined) unread.push(candidate);
    else for (const dataHash of hashesOfCalls) sources.push({ ...candidate, dataHash });
  }
  return { references, payments, moves, touched, sources, unread };
}

/** Reads transactions and returns, by transaction hash, the hashes of their calldata and of the calls in it. */
async function readCalldata(
  client: ChainClient,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const waiting = [...hashes];
  const read = new Map<string, readonly string[]>();
  const lane = async (): Promise<void> => {
    for (let hash = waiting.shift(); hash !== undefined; hash = waiting.shift()) {
      const input = await fetchCalldata(client, hash as Hex).catch(() => null);
      if (input !== null) read.set(hash, [...builtDataHashes(input), ...innerDataHashes(input).keys()]);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  return read;
}
