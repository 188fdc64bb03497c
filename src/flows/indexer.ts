import type { ChainClient } from "../chains/client.ts";
import { INITIAL_BLOCKS } from "../chains/log-range.ts";
import type { Context } from "../context.ts";
import type { Database } from "../db/client.ts";
import {
  addOmittedFlows,
  applyHistoryStep,
  applyTipStep,
  type HistoryStep,
  type OmittedStep,
  resetFlows,
  rewindFlows,
  type SourcedVault,
  type TipStep,
  writeFlowNote,
  writeStartSearches,
} from "../db/queries/flow-writes.ts";
import { type FlowState, loadFlowState, type StartSearch, selectNewestFinal } from "../db/queries/flows.ts";
import { failure } from "../errors.ts";
import type { BlockId } from "../lib/blocks.ts";
import type { Logger } from "../lib/logger.ts";

/** Where a chain's flows are kept. Every method is one batch: all of it happens, or nothing. */
export interface FlowStore {
  load(): Promise<FlowState>;
  /** False: another run was first. */
  applyTip(step: TipStep): Promise<boolean>;
  applyHistory(step: HistoryStep): Promise<void>;
  /** Adds what an earlier answer left out; returns how many events that were. */
  addMissed(step: OmittedStep): Promise<number>;
  reset(vaults: readonly SourcedVault[]): Promise<void>;
  rewind(from: number): Promise<void>;
  noteStarts(searches: readonly StartSearch[]): Promise<void>;
  /** The newest blocks of which final flows are stored, newest first, with the hashes they had. */
  newestFinal(): Promise<BlockId[]>;
  /** What the last run met, or when work on history was handed out. */
  note(change: { error: string } | { historyAt: Date }): Promise<void>;
}

/** One chain's indexer for one run. */
export interface Indexer {
  chainId: number;
  client: Pick<ChainClient, "onOneNode">;
  /** Kinds of events that the chain's nodes let one question name; null: any number. */
  maxTopics: number | null;
  store: FlowStore;
  log: Logger;
  now(): number;
  randomId(): string;
}

/** Keeps a chain's flows in the database. */
export function storeOf(db: Database, chainId: number): FlowStore {
  return {
    load: () => loadFlowState(db, { chainId, span: INITIAL_BLOCKS }),
    applyTip: (step) => applyTipStep(db, step),
    applyHistory: (step) => applyHistoryStep(db, step),
    addMissed: (step) => addOmittedFlows(db, step),
    reset: (vaults) => resetFlows(db, { chainId, vaults }),
    rewind: (from) => rewindFlows(db, { chainId, from }),
    noteStarts: (searches) => writeStartSearches(db, { chainId, searches }),
    newestFinal: () => selectNewestFinal(db, chainId),
    note: (change) => writeFlowNote(db, { chainId, change }),
  };
}

/** Binds the indexer of a chain to a request or job run. Throws `chain_unsupported`. */
export function indexerOf(ctx: Context, chainId: number): Indexer {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  const { log, now, randomId } = ctx;
  const maxTopics = client.definition.maxLogTopics ?? null;
  return { chainId, client, maxTopics, store: storeOf(ctx.db, chainId), log, now, randomId };
}
