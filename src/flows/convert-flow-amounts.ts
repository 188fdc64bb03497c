import { isBlockUnreadable, runQueryAtBlock } from "../chains/aggregator/aggregate-reads-at-block.ts";
import type { NodeSession } from "../chains/chain-client.ts";
import { requestLogs } from "../chains/chain-logs.ts";
import { type Query, queryAll } from "../chains/chain-reads.ts";
import { type FilterLimits, toLogFilters } from "../chains/log-filter.ts";
import { onOneNodeWithinBudget, type RequestBudget } from "../chains/rpc-request-budget.ts";
import type { FlowRow } from "../db/queries/flow-queries.ts";
import { describeError } from "../lib/logger.ts";
import type { Vault } from "../vaults/vault.ts";
import type { IndexState } from "./flow-index-state.ts";
import { type FlowSources, joinFlowSources } from "./flow-sources.ts";
import type { Indexer } from "./flow-store.ts";

/** Number of requests of a run that conversions leave to the confirmation of what was read. */
const RESERVED_REQUESTS = 6;
/** Maximum number of requests for one block: its logs, and three batches of reads. */
const REQUESTS_PER_BLOCK = 4;
/** Maximum number of stored flows that one run converts. */
const STORED_PER_RUN = 20;

const keyOf = ({ txHash, logIndex, blockHash }: FlowRow): string => `${txHash} ${logIndex} ${blockHash}`;

/**
 * Sets the unknown amounts of new flows (`rows`) in place: from the rows of `known` for the same events, otherwise, as
 * far as the budget allows, by the vaults' prices in the flows' blocks. Others stay null. Node errors are ignored.
 */
export async function convertNewFlows(
  node: NodeSession,
  read: { rows: readonly FlowRow[]; known: readonly FlowRow[]; sources: FlowSources; budget: RequestBudget },
): Promise<void> {
  const { sources, budget } = read;
  const known = new Map(read.known.map((row) => [keyOf(row), row.assets]));
  for (const row of read.rows) row.assets ??= known.get(keyOf(row)) ?? null;
  try {
    const newest = read.rows.filter(({ assets }) => assets === null);
    for (const rows of byBlock(newest.sort((a, b) => b.blockNumber - a.blockNumber))) {
      if (!hasRoom(budget)) return;
      await convertBlock(node, { rows, sources });
    }
  } catch {
    // The node lacks the state of these blocks; another may have it.
  }
}

/**
 * Converts amounts of some stored final flows from other tokens to the vaults' assets, by the vaults' prices at the
 * flows' blocks, as far as the request budget allows: those tried longest ago first, because blocks that fail for a while
 * may use up a run's requests. An attempt counts if its block was read, or if all of the nodes answer that they cannot
 * read it. Node errors are logged. Throws `store_unavailable`.
 */
export async function convertStoredFlows(
  indexer: Indexer,
  run: { state: Pick<IndexState, "vaults">; budget: RequestBudget },
): Promise<void> {
  const { budget } = run;
  if (!hasRoom(budget)) return;
  const stored = await indexer.store.unconverted(STORED_PER_RUN);
  const vaults = new Map(run.state.vaults.map(({ vault }) => [vault.address.toLowerCase(), vault]));
  const tried = new Set<FlowRow>();
  const failures: FlowRow[] = [];
  let open: readonly (readonly FlowRow[])[] = byBlock(stored);
  while (open.length > 0 && hasRoom(budget)) {
    const failed = await convertUntilFailure(indexer, { open, vaults, budget, tried });
    if (failed === null) break;
    failures.push(...failed);
    // A block that fails for a while must not hold up the others.
    open = open.filter((rows) => rows !== failed && !rows.some((row) => tried.has(row)));
  }
  if (tried.size + failures.length === 0) return;
  await indexer.store.noteConversions({ tried: [...tried], failed: failures, at: new Date(indexer.now()) });
}

const hasRoom = (budget: RequestBudget): boolean =>
  budget.requests >= RESERVED_REQUESTS + REQUESTS_PER_BLOCK && !budget.late();

/**
 * Converts the rows of blocks in the given order, and adds those whose attempt counts to `tried`, until a block fails
 * on every node that is asked. Returns the rows of that block if the failure may pass, so that it does not count. Null
 * if all nodes answer that they cannot read the block, which counts, or if none failed.
 */
async function convertUntilFailure(
  indexer: Indexer,
  run: {
    open: readonly (readonly FlowRow[])[];
    vaults: ReadonlyMap<string, Vault>;
    budget: RequestBudget;
    tried: Set<FlowRow>;
  },
): Promise<readonly FlowRow[] | null> {
  const { open, vaults, budget, tried } = run;
  let last: readonly FlowRow[] = [];
  let refusals = 0;
  try {
    await onOneNodeWithinBudget(indexer.client, budget, async (node, own) => {
      for (const rows of open.filter((one) => !one.some((row) => tried.has(row)))) {
        if (!hasRoom(own)) return;
        last = rows;
        await convertStored(node, { rows, vaults }).catch((error: unknown) => {
          if (isBlockUnreadable(error)) refusals += 1;
          throw error;
        });
        for (const row of rows) tried.add(row);
      }
    });
    return null;
  } catch (error) {
    indexer.log.warn("flows_not_converted", { chain_id: indexer.chainId, error: describeError(error) });
    // Each node began at the block at which the one before failed, so that all refuse the last one. A node that is down
    // may have it.
    if (refusals !== indexer.nodes) return last;
    for (const row of last) tried.add(row);
    return null;
  }
}

/** Groups rows by block, in the order of each block's first row. */
function byBlock(rows: readonly FlowRow[]): FlowRow[][] {
  const blocks = new Map<number, FlowRow[]>();
  for (const row of rows) blocks.set(row.blockNumber, [...(blocks.get(row.blockNumber) ?? []), row]);
  return [...blocks.values()];
}

/** Reads the logs of stored rows of one block again, and sets the rows' amounts. */
async function convertStored(
  node: NodeSession,
  { rows, vaults }: { rows: readonly FlowRow[]; vaults: ReadonlyMap<string, Vault> },
): Promise<void> {
  const [{ chainId, blockNumber } = { chainId: 0, blockNumber: 0 }] = rows;
  const named = [...new Set(rows.map(({ vaultAddress }) => vaultAddress))];
  const sources = joinFlowSources(
    chainId,
    named.flatMap((address) => vaults.get(address) ?? []),
  );
  const range = { from: blockNumber, to: blockNumber };
  const again = new Map<string, FlowRow>();
  for (const filter of toLogFilters(sources, ALL_IN_ONE)) {
    const logs = await requestLogs(node, { range, filter });
    for (const row of sources.toRows(logs, blockNumber)) again.set(keyOf(row), row);
  }
  await convertBlock(node, { rows: [...again.values()], sources });
  for (const row of rows) row.assets = again.get(keyOf(row))?.assets ?? null;
}

/** The contracts and events of a few vaults fit into one request of any node. */
const ALL_IN_ONE: FilterLimits = { addresses: 500, topics: 100 };

/** Sets the amounts of rows of one block whose amounts are unknown and can be converted. */
async function convertBlock(
  node: NodeSession,
  { rows, sources }: { rows: readonly FlowRow[]; sources: FlowSources },
): Promise<void> {
  const open = rows.flatMap((row) => {
    const query = row.assets === null ? sources.conversionOf(row) : null;
    return query === null ? [] : [{ row, query }];
  });
  if (open.length === 0) return;
  const queries: Record<string, Query<bigint | null>> = Object.fromEntries(
    open.map(({ query }, index) => [index, query]),
  );
  const block = open[0]?.row.blockNumber ?? 0;
  const amounts = await runQueryAtBlock(node, { query: queryAll(queries), block });
  for (const [index, { row }] of open.entries()) row.assets = amounts[index]?.toString() ?? null;
}
