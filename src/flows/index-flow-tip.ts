import type { NodeSession } from "../chains/chain-client.ts";
import { readFinalBlock } from "../chains/final-block.ts";
import { type FilterLimits, toLogFilters } from "../chains/log-filter.ts";
import { readLogs } from "../chains/log-reader.ts";
import { readBlock } from "../chains/read-block.ts";
import {
  affordsAnotherNode,
  onOneNodeWithinBudget,
  type RequestBudget,
} from "../chains/rpc-request-budget.ts";
import type { FlowRow, FlowTip } from "../db/queries/flow-queries.ts";
import type { Block } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { convertNewFlows } from "./convert-flow-amounts.ts";
import type { IndexState } from "./flow-index-state.ts";
import { rewindToCommonAncestor } from "./flow-reorg.ts";
import { type FlowSources, joinFlowSources } from "./flow-sources.ts";
import type { Indexer } from "./flow-store.ts";

/** Time without progress, in milliseconds, during which the stored tip is trusted over a node that contradicts it. */
const PATIENCE_MS = 5 * 60_000;

/** Result of one run that indexes the flows in a chain's newest blocks (the tip). */
export interface TipReport {
  /** Number of the last indexed block, and of the chain's head at that time; 0 if there was nothing to index. */
  indexed: number;
  head: number;
  /** Number of flow rows read, of final and of later blocks. */
  rows: number;
  /** False if nothing was stored, for example because another run had written in the meantime. */
  applied: boolean;
}

interface TipRead {
  tip: FlowTip;
  sources: FlowSources;
  budget: RequestBudget;
  known: readonly FlowRow[];
  /** True while the stored flows are trusted over a node that contradicts them. */
  trustStored: boolean;
  /** Called when a node is on another fork than the stored final block. */
  onOtherHistory: () => void;
}
type TipBlocks = { from: number; final: Block; head: Block; latest: number; rows: FlowRow[] };

/**
 * Indexes the flows above a chain's stored final block (the current one if none is stored) as far as the budget goes,
 * and replaces those that are not final. May delete flows on a reorg (`rewindToCommonAncestor`) before it throws.
 * Throws errors of nodes, and `store_unavailable`.
 */
export async function indexTip(
  indexer: Indexer,
  run: { state: IndexState; budget: RequestBudget },
): Promise<TipReport> {
  const { tip, vaults, provisional } = run.state;
  const sources = joinFlowSources(
    indexer.chainId,
    vaults.map(({ vault }) => vault),
  );
  const trustStored = indexer.now() - (tip.movedAt?.getTime() ?? 0) < PATIENCE_MS;
  const nodes = { asked: 0, contradicted: 0 };
  const onOtherHistory = () => {
    nodes.contradicted += 1;
  };
  const followed = { tip, sources, known: provisional, trustStored, onOtherHistory };
  try {
    const read = await onOneNodeWithinBudget(indexer.client, run.budget, (node, budget) => {
      nodes.asked += 1;
      return readTip(node, { ...followed, budget });
    });
    return await storeTip(indexer, { tip, read, span: run.budget.blocks, vaults: sources.vaults });
  } catch (error) {
    // The nodes are unanimous only if the budget would have allowed another node.
    const all = nodes.asked > 0 && affordsAnotherNode(run.budget);
    const unanimous = all && nodes.contradicted === nodes.asked;
    if (unanimous && !trustStored) await rewindToCommonAncestor(indexer);
    throw error;
  }
}

async function storeTip(
  indexer: Indexer,
  step: { tip: FlowTip; read: TipBlocks; span: number; vaults: readonly string[] },
): Promise<TipReport> {
  const { tip, read, span, vaults } = step;
  const applied = await indexer.store.applyTip({
    chainId: indexer.chainId,
    version: tip.version,
    run: indexer.randomId(),
    from: read.from,
    final: read.final,
    head: { ...read.head, time: new Date(read.head.timestamp * 1000) },
    span,
    movedAt: new Date(indexer.now()),
    vaults,
    rows: read.rows,
  });
  return { indexed: read.head.number, head: read.latest, rows: read.rows.length, applied };
}

async function readTip(node: NodeSession, followed: TipRead): Promise<TipBlocks> {
  const { tip, sources, budget } = followed;
  const latest = await readBlock(node, "latest");
  const target = await readFinalOfSameHistory(node, { ...followed, latest });
  if (tip.headBlock !== null && latest.number < tip.headBlock && followed.trustStored)
    throw new OutsideError("malformed", "the node is behind the blocks of another node");
  const from = (tip.finalBlock ?? target.number) + 1;
  const range = { from, to: latest.number };
  const filters = (limits: FilterLimits) => toLogFilters(sources, limits);
  const { logs, read } = await readLogs(node, { range, filters, budget });
  const end = read?.to ?? from - 1;
  const final = end < target.number ? await readBlock(node, end) : target;
  const head = end === latest.number ? latest : end === final.number ? final : await readBlock(node, end);
  const rows = sources.toRows(logs, final.number);
  await convertNewFlows(node, { rows, known: followed.known, sources, budget });
  if (followed.trustStored) await assertNoOmittedLogs(node, { known: followed.known, rows, end });
  // A reorg replaces only blocks above the final one, which the next run reads again, so blocks without flows need no
  // check.
  if (rows.length > 0 || followed.known.length > 0) await assertSameHead(node, latest);
  return { from, final, head, latest: latest.number, rows };
}

/**
 * Throws OutsideError if the head has changed since it was read. Called last: if it is unchanged, all results are from
 * one fork.
 */
async function assertSameHead(node: NodeSession, latest: Block): Promise<void> {
  const again = await readBlock(node, latest.number);
  if (again.hash !== latest.hash) throw new OutsideError("malformed", "the chain changed while it was read");
}

/**
 * Returns the newest final block, which is never below the stored one. Throws OutsideError if the node is behind the
 * stored final block or on another fork.
 */
async function readFinalOfSameHistory(
  node: NodeSession,
  seen: Pick<TipRead, "tip" | "onOtherHistory"> & { latest: Block },
): Promise<Block> {
  const { tip, latest } = seen;
  const final = await readFinalBlock(node, { latest, atLeast: tip.finalBlock ?? 0 });
  if (tip.finalBlock === null) return final;
  const stored = tip.finalBlock === final.number ? final : await readBlock(node, tip.finalBlock);
  if (stored.hash !== tip.finalHash) {
    seen.onOtherHistory();
    throw new OutsideError("malformed", "the node reports a different history below the final block");
  }
  return final;
}

/**
 * Throws OutsideError if a stored flow was not read again although its block is still on the chain, which means that
 * the node omits logs.
 */
async function assertNoOmittedLogs(
  node: NodeSession,
  seen: { known: readonly FlowRow[]; rows: readonly FlowRow[]; end: number },
): Promise<void> {
  const returned = new Set(seen.rows.map(({ txHash, logIndex }) => `${txHash} ${logIndex}`));
  const gone = seen.known.filter(
    ({ blockNumber, txHash, logIndex }) => blockNumber <= seen.end && !returned.has(`${txHash} ${logIndex}`),
  );
  // A reorg that removed one of these blocks also removed all blocks above it. If the lowest block is still there,
  // there was no reorg.
  const [lowest] = gone.sort((a, b) => a.blockNumber - b.blockNumber);
  if (lowest !== undefined && (await readBlock(node, lowest.blockNumber)).hash === lowest.blockHash)
    throw new OutsideError("malformed", "the node omits an event that another node returned");
}
