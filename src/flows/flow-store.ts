import { type ChainClient, NODE_ATTEMPTS } from "../chains/chain-client.ts";
import { INITIAL_BLOCKS } from "../chains/log-range.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/database-client.ts";
import {
  type FlowRow,
  type FlowState,
  loadFlowState,
  type StartSearch,
  selectNewestFinal,
  selectUnconvertedFlows,
} from "../db/queries/flow-queries.ts";
import {
  addOmittedFlows,
  applyHistoryStep,
  applyTipStep,
  type ConversionStep,
  type HistoryStep,
  type OmittedStep,
  resetFlows,
  rewindFlows,
  type SourcedVault,
  type TipStep,
  writeConversions,
  writeFlowNote,
  writeStartSearches,
} from "../db/queries/flow-write-queries.ts";
import { failure } from "../errors.ts";
import type { BlockId } from "../lib/block-ranges.ts";
import type { Logger } from "../lib/logger.ts";

/** Storage of one chain's flows. Each method runs one statement or one atomic batch, and throws `store_unavailable`. */
export interface FlowStore {
  /**
   * Returns the state from which a run starts. First creates the chain's tip if it is missing, and creates or updates
   * the coverage of vaults whose start block has become known or has changed.
   */
  load(): Promise<FlowState>;
  /** Stores a chain's newest flows. Returns false, and changes nothing, if another run has written meanwhile. */
  applyTip(step: TipStep): Promise<boolean>;
  /** Stores backfilled flows and coverage of vaults with unchanged sources; none if the range is not final any more. */
  applyHistory(step: HistoryStep): Promise<void>;
  /** Adds flows whose event logs a node omitted earlier, and returns their number. */
  addOmitted(step: OmittedStep): Promise<number>;
  /** Returns final flows with unknown assets that may still be converted: never tried ones, then the longest ago. */
  unconverted(limit: number): Promise<FlowRow[]>;
  /** Stores the result of attempts to convert flows, except for flows that changed meanwhile. */
  noteConversions(step: ConversionStep): Promise<void>;
  /** Deletes the flows and the coverage of vaults, and stores their new sources. */
  reset(vaults: readonly SourcedVault[]): Promise<void>;
  /**
   * Deletes the flows and coverage from block `from` on, all provisional flows, and the tip's blocks. Governance events
   * from that block on count as unread.
   */
  rewind(from: number): Promise<void>;
  /** Stores the progress of searches for start blocks. */
  noteStarts(searches: readonly StartSearch[]): Promise<void>;
  /** Returns number and stored hash of the newest blocks with final flows, at most 1,024, newest first. */
  newestFinal(): Promise<BlockId[]>;
  /** Records the error code of a failed run (null clears it), or the time at which backfill messages were queued. */
  noteRun(change: { error: string | null } | { historyAt: Date }): Promise<void>;
}

/** Dependencies of a run that indexes the flows of one chain: the chain's client, the storage, a logger and a clock. */
export interface Indexer {
  chainId: number;
  client: Pick<ChainClient, "onOneNode">;
  /**
   * Maximum number of topics in one list of an `eth_getLogs` request, or null if the chain's nodes are not known to
   * limit it.
   */
  maxTopics: number | null;
  /** Number of nodes on which one reading is tried at most. */
  nodes: number;
  store: FlowStore;
  log: Logger;
  /** Returns the current time in UNIX milliseconds. */
  now(): number;
  /** Returns a random id of 32 hex digits. */
  randomId(): string;
}

/** Creates the `FlowStore` of a chain, which uses the database. */
export function storeOf(db: Database, chainId: number): FlowStore {
  return {
    load: () => loadFlowState(db, { chainId, span: INITIAL_BLOCKS }),
    applyTip: (step) => applyTipStep(db, step),
    applyHistory: (step) => applyHistoryStep(db, step),
    addOmitted: (step) => addOmittedFlows(db, step),
    unconverted: (limit) => selectUnconvertedFlows(db, { chainId, limit }),
    noteConversions: (step) => writeConversions(db, { chainId, ...step }),
    reset: (vaults) => resetFlows(db, { chainId, vaults }),
    rewind: (from) => rewindFlows(db, { chainId, from }),
    noteStarts: (searches) => writeStartSearches(db, { chainId, searches }),
    newestFinal: () => selectNewestFinal(db, chainId),
    noteRun: (change) => writeFlowNote(db, { chainId, change }),
  };
}

/** Creates the indexer of a chain for one request or job run. Throws `chain_unsupported`. */
export function indexerOf(ctx: Context, chainId: number): Indexer {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  const { log, now, randomId } = ctx;
  const { maxLogTopics: maxTopics = null, rpcUrls } = client.definition;
  const nodes = Math.min(rpcUrls.length, NODE_ATTEMPTS);
  return { chainId, client, maxTopics, nodes, store: storeOf(ctx.db, chainId), log, now, randomId };
}
