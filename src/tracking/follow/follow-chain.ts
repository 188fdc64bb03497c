import type { ChainClient, NodeSession } from "../../chains/chain-client.ts";
import type { ChainLog } from "../../chains/chain-logs.ts";
import { readFinalBlock } from "../../chains/final-block.ts";
import { blockAtTime } from "../../chains/find-block-at-time.ts";
import { INITIAL_BLOCKS } from "../../chains/log-range.ts";
import { readLogs } from "../../chains/log-reader.ts";
import { readBlock } from "../../chains/read-block.ts";
import { createBudget, onOneNodeWithinBudget, type RequestBudget } from "../../chains/rpc-request-budget.ts";
import type { Context } from "../../context.ts";
import { addFindings } from "../../db/queries/deposit-hint-queries.ts";
import {
  applyFollowStep,
  type FollowedChain,
  type FollowState,
  type FollowStep,
  loadFollowState,
  MAX_UNCHECKED,
  noteFollowError,
  selectOldestOpen,
  selectWatchList,
} from "../../db/queries/follow-queries.ts";
import { AppError, failure } from "../../errors.ts";
import {
  type Block,
  type BlockId,
  type BlockRange,
  countBlocks,
  subtractRanges,
  uniteRanges,
} from "../../lib/block-ranges.ts";
import { OutsideError } from "../../lib/bounded-fetch.ts";
import { SECOND_MS } from "../../lib/durations.ts";
import { describeError } from "../../lib/logger.ts";
import { readFindings } from "./follow-candidates.ts";
import { depositLogFilters, type LogSearch, routerEmitter } from "./follow-log-filters.ts";
import { sightingsOf } from "./follow-log-sightings.ts";

/** Maximum number of requests for blocks and logs in one round on a chain. */
const REQUESTS = 80;
/** Number of requests that must remain for a round to start reading another gap in the coverage. */
const MIN_REQUESTS = 20;
/** Time after which a round reads no further logs, in milliseconds. */
const READING_MS = 15 * SECOND_MS;
/** Maximum number of topics per list if the limit of the chain's nodes is unknown. */
const USUAL_TOPICS = 100;
/** Maximum number of evidence blocks that a round requests. Blocks of logs that it has read need no request. */
const MAX_EVIDENCE_READS = 24;

/** Result of one tracking round on a chain: how far its logs have been read. */
export interface ChainRound {
  /**
   * Number of the last block read (the final block if a reorg replaced evidence), and of the chain's head at that time.
   */
  followed: number;
  head: number;
  /** Number of logs that matched the filters. */
  logs: number;
  /** Numbers of final blocks that this round has read, and of those that no round has read since they became final. */
  covered: number;
  missing: number;
  /** False if another round stored its progress at the same time, in which case this one stored none. */
  applied: boolean;
}

/**
 * Runs one tracking round on a chain, with `withLock`: reads logs, stores hints and checks evidence for reorgs. Null if
 * another round holds the lock, or a successful one ended less than `pauseMs` ago. Throws `chain_unsupported`,
 * `store_unavailable`, `internal` if the providers' settings are invalid, and errors of the RPC nodes.
 */
export async function followChain(
  ctx: Context,
  { chainId, pauseMs = 0 }: { chainId: number; pauseMs?: number },
): Promise<ChainRound | null> {
  const client = ctx.chains.client(chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${chainId} is not served`);
  return ctx.withLock({
    key: `follow:${chainId}`,
    work: async () => {
      try {
        return await runRound(ctx, { chainId, client, pauseMs });
      } catch (error) {
        ctx.log.warn("follow_failed", { chain_id: chainId, error: describeError(error) });
        const code = error instanceof AppError ? error.code : "upstream_unavailable";
        if (code !== "store_unavailable") await noteFollowError(ctx.db, { chainId, error: code });
        throw error;
      }
    },
  });
}

interface Round {
  chainId: number;
  client: ChainClient;
}

/** What a round has read from one node: logs, coverage, final block, and which evidence is still on the chain. */
interface RoundReading
  extends Pick<FollowStep, "startBlock" | "covered" | "final" | "kept" | "replaced" | "reorganised"> {
  search: LogSearch;
  logs: ChainLog[];
  read: Block;
  latest: Block;
}

async function runRound(
  ctx: Context,
  { chainId, client, pauseMs }: Round & { pauseMs: number },
): Promise<ChainRound | null> {
  const startedAt = ctx.now();
  const state = await loadFollowState(ctx.db, chainId);
  if (startedAt - (state.chain?.roundAt?.getTime() ?? 0) < pauseMs) return null;
  const budget = createBudget({
    requests: REQUESTS,
    blocks: state.chain?.span ?? INITIAL_BLOCKS,
    topics: client.definition.maxLogTopics ?? null,
    late: () => ctx.now() - startedAt > READING_MS,
  });
  const reading = await onOneNodeWithinBudget(client, budget, (node, own) =>
    readRound(ctx, { chainId, client, node, budget: own, state }),
  );
  const now = new Date(ctx.now());
  // The hints come first: a round that is killed before it stores its progress is simply repeated.
  const findings = await readFindings(ctx, {
    chainId,
    client,
    sightings: sightingsOf(reading.logs, reading.search),
  });
  await addFindings(ctx.db, { ...findings, chainId, now });
  const { read, final } = reading;
  const applied = await applyFollowStep(ctx.db, {
    ...reading,
    chainId,
    version: state.chain?.version ?? null,
    head: { number: read.number, hash: read.hash, time: new Date(read.timestamp * 1000) },
    span: budget.blocks,
    at: now,
  });
  const done = uniteRanges([...(state.chain?.covered ?? []), ...reading.covered]);
  const missing = countBlocks(subtractRanges({ from: reading.startBlock, to: final.number }, done));
  const covered = countBlocks(reading.covered);
  return {
    ...{ followed: read.number, head: reading.latest.number, logs: reading.logs.length },
    ...{ covered, missing, applied },
  };
}

interface NodeRound extends Round {
  node: NodeSession;
  budget: RequestBudget;
  state: FollowState;
}

/**
 * Reads a round from one node: the head, then the deposits to look for, so that they include every deposit with a
 * transaction up to this head; then the newest blocks, and the final blocks that no round has read.
 */
async function readRound(ctx: Context, round: NodeRound): Promise<RoundReading> {
  const { node, budget, state, chainId } = round;
  const latest = await readBlock(node, "latest");
  const final = await readFinalBlock(node, { latest, atLeast: state.chain?.finalBlock ?? 0 });
  const search = await searchOf(ctx, round);
  const startBlock = state.chain?.startBlock ?? (await firstBlock(ctx, { chainId, node, latest }));
  const reorganised = !(await isOnChain(node, { chain: state.chain, latest }));
  if (reorganised) await assertContainsFinal(node, { chain: state.chain, final });
  const known = reorganised ? final.number : Math.max(final.number, state.chain?.headBlock ?? 0);
  const filters = depositLogFilters(search);
  const tip = { from: Math.max(startBlock, known + 1), to: latest.number };
  const newest = await readLogs(node, { range: tip, filters, budget });
  const end = tip.from > tip.to ? known : (newest.read?.to ?? tip.from - 1);
  const older = await readMissing(node, {
    filters,
    budget,
    state,
    range: { from: startBlock, to: final.number },
  });
  const logs = [...newest.logs, ...older.logs];
  const evidence = await compareEvidence(node, { blocks: state.unchecked, logs, latest });
  const read = end >= latest.number ? latest : await readBlock(node, Math.max(end, 0));
  // Checked last: if the head is unchanged, no reorg happened and all results are from one fork.
  const again = await readBlock(node, latest.number);
  if (again.hash !== latest.hash) throw new OutsideError("malformed", "the chain changed while it was read");
  // The events of deposits that lose their evidence are looked for again: above the last final block, and in the final
  // ones of this round, in which such a deposit was not looked for. Another of the user's equal transactions may be there.
  const lost = evidence.replaced.length > 0;
  const head = lost ? final : read;
  const { kept, replaced } = evidence;
  return {
    ...{ kept, replaced },
    startBlock,
    covered: lost || reorganised ? [] : coveredUpTo(evidence.comparedTo, older.covered),
    final,
    reorganised,
    search,
    logs,
    read: head,
    latest,
  };
}

/**
 * Throws OutsideError if the last final block of the previous round is not on the node's chain. Final blocks never go
 * back, so one answer of another chain would stop every later round.
 */
async function assertContainsFinal(
  node: NodeSession,
  { chain, final }: { chain: FollowedChain | null; final: Block },
): Promise<void> {
  if (chain === null) return;
  const { hash } = chain.finalBlock === final.number ? final : await readBlock(node, chain.finalBlock);
  if (hash !== chain.finalHash)
    throw new OutsideError("malformed", `block ${chain.finalBlock} of the node is not the final one`);
}

/** Loads what the log filters are made of: the watched deposits, the providers' events and the nodes' topic limit. */
async function searchOf(ctx: Context, { chainId, client }: Round): Promise<LogSearch> {
  const [watch, providers] = await Promise.all([
    selectWatchList(ctx.db, { chainId, router: routerEmitter }),
    ctx.providers.all(),
  ]);
  const events = providers.flatMap((provider) => provider.events?.(chainId) ?? []);
  return { watch, events, maxTopics: client.definition.maxLogTopics ?? USUAL_TOPICS };
}

/** Returns true if the head of the previous round is still on the chain, or if there was no previous round. */
async function isOnChain(
  node: NodeSession,
  { chain, latest }: { chain: FollowedChain | null; latest: Block },
): Promise<boolean> {
  if (chain === null) return true;
  if (chain.headBlock > latest.number) return false;
  return (await readBlock(node, chain.headBlock)).hash === chain.headHash;
}

/**
 * Returns the first block to read on a chain: one at least two minutes older than the oldest open deposit or, without
 * one, than now.
 */
async function firstBlock(
  ctx: Context,
  { chainId, node, latest }: { chainId: number; node: NodeSession; latest: Block },
): Promise<number> {
  const oldest = await selectOldestOpen(ctx.db, chainId);
  const time = Math.floor((oldest?.getTime() ?? ctx.now()) / 1000);
  return blockAtTime(node, { time, latest });
}

/** Reads final blocks that no round has read, the newest first, within the budget. */
async function readMissing(
  node: NodeSession,
  of: {
    filters: ReturnType<typeof depositLogFilters>;
    budget: RequestBudget;
    state: FollowState;
    range: BlockRange;
  },
): Promise<{ logs: ChainLog[]; covered: BlockRange[] }> {
  const { filters, budget, state, range } = of;
  const logs: ChainLog[] = [];
  const covered: BlockRange[] = [];
  for (const gap of [...subtractRanges(range, state.chain?.covered ?? [])].reverse()) {
    // At least one piece in every round, so that a chain with a small budget gets on too.
    if (covered.length > 0 && (budget.late() || budget.requests < MIN_REQUESTS)) break;
    const found = await readLogs(node, { range: gap, filters, budget, order: "newest_first" });
    for (const log of found.logs) logs.push(log);
    if (found.read !== null) covered.push(found.read);
    if (!found.complete) break;
  }
  return { logs, covered };
}

/**
 * Checks which evidence blocks are still on the chain (`kept`) and which were replaced by a reorg. Blocks of logs that
 * were just read need no request. At most 24 others are read; the rest is left to a later round. No block up to
 * `comparedTo` was replaced, as far as the evidence shows; it is null if all was compared.
 */
async function compareEvidence(
  node: NodeSession,
  of: { blocks: readonly BlockId[]; logs: readonly ChainLog[]; latest: Block },
): Promise<{ kept: BlockId[]; replaced: BlockId[]; comparedTo: number | null }> {
  const { blocks, logs, latest } = of;
  const known = new Map(logs.map(({ blockNumber, blockHash }) => [blockNumber, blockHash as string]));
  const [kept, replaced]: [BlockId[], BlockId[]] = [[], []];
  let reads = 0;
  // The rest was not loaded.
  let comparedTo = blocks.length < MAX_UNCHECKED ? null : (blocks.at(-1)?.number ?? null);
  let skipped = false;
  for (const block of blocks) {
    if (block.number > latest.number) continue;
    if (!known.has(block.number)) {
      if (reads >= MAX_EVIDENCE_READS) {
        if (!skipped) comparedTo = kept.at(-1)?.number ?? -1;
        skipped = true;
        continue;
      }
      reads += 1;
      known.set(block.number, (await readBlock(node, block.number)).hash);
    }
    (known.get(block.number) === block.hash ? kept : replaced).push(block);
  }
  return { kept, replaced, comparedTo };
}

/**
 * Returns the parts of read ranges up to block `last`, or all of them if it is null. A deposit whose evidence is left to
 * compare is not looked for in this round, and a reorg may have moved it into a block above the last one that was kept.
 */
function coveredUpTo(last: number | null, ranges: readonly BlockRange[]): readonly BlockRange[] {
  if (last === null) return ranges;
  return ranges.filter(({ from }) => from <= last).map(({ from, to }) => ({ from, to: Math.min(to, last) }));
}
