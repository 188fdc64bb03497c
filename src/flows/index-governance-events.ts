import type { NodeSession } from "../chains/chain-client.ts";
import type { ChainLog } from "../chains/chain-logs.ts";
import { type LogSubscription, toFewLogFilters } from "../chains/log-filter.ts";
import { readLogs } from "../chains/log-reader.ts";
import { readBlock } from "../chains/read-block.ts";
import { createBudget, onOneNodeWithinBudget } from "../chains/rpc-request-budget.ts";
import type { Context } from "../context.ts";
import { type FlowTip, selectFlowTips } from "../db/queries/flow-queries.ts";
import { type ControlEventRow, writeControlEvents } from "../db/queries/governance-event-queries.ts";
import { scheduleProofs } from "../db/queries/vault-proof-queries.ts";
import { selectVaults } from "../db/queries/vault-queries.ts";
import { failure } from "../errors.ts";
import type { Block, BlockRange } from "../lib/block-ranges.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import { mapConcurrently } from "../lib/concurrency.ts";
import { describeError } from "../lib/logger.ts";
import { parseRowOrSkip } from "../vaults/find-vault.ts";
import {
  decodeEventArgs,
  eventTopic,
  findGovernanceEvent,
  governanceEventsOf,
} from "../vaults/governance/find-governance-event.ts";
import {
  type EventArgs,
  type GovernanceEvent,
  governanceContractsOf,
  type LinkedContracts,
} from "../vaults/governance/governance-event.ts";
import type { Vault } from "../vaults/vault.ts";
import { readLinkedContracts } from "./flow-linked-contracts.ts";
import { assertSameFinalBlock } from "./flow-reorg.ts";

/**
 * Result of one run over all indexed and served chains: how many there are, how many failed, and how many governance
 * events were read from the others. An event counts once for each vault that it concerns; routine events, and those
 * whose change a view function shows too, do not count.
 */
export interface GovernanceEventsRound {
  chains: number;
  failed: number;
  events: number;
  /** Number of final blocks whose governance events are not read yet, over all chains except those that failed. */
  behind: number;
}

/**
 * Reads and stores the governance events of every indexed and served chain up to its stored final block, within limits
 * of requests and time per chain, and schedules new proofs of the vaults concerned. A chain that fails is logged and
 * counted. Throws `store_unavailable` if the chains or vaults cannot be loaded.
 */
export async function indexGovernanceEvents(ctx: Context): Promise<GovernanceEventsRound> {
  const tips = (await selectFlowTips(ctx.db)).filter(({ chainId }) => ctx.chains.definitions.has(chainId));
  const vaults = (await selectVaults(ctx.db)).flatMap((row) => parseRowOrSkip(ctx, row));
  const reports = await mapConcurrently(tips, {
    doubtful: ({ error }) => error !== null,
    work: async (tip): Promise<GovernanceEventsReport | null> => {
      try {
        const own = vaults.filter(({ chainId }) => chainId === tip.chainId);
        return await indexGovernanceEventsOfChain(ctx, { tip, vaults: own });
      } catch (error) {
        ctx.log.warn("controls_failed", { chain_id: tip.chainId, error: describeError(error) });
        return null;
      }
    },
  });
  const done = reports.flatMap((report) => report ?? []);
  return {
    chains: tips.length,
    failed: tips.length - done.length,
    events: done.reduce((sum, { events }) => sum + events, 0),
    behind: done.reduce((sum, { behind }) => sum + behind, 0),
  };
}

/** Maximum number of requests to nodes in one run on a chain. */
const CONTROL_REQUESTS = 30;
/** Time after which a run reads no more logs, in milliseconds. */
const READING_MS = 40_000;
/** Maximum number of blocks whose timestamps one run reads. Events in later blocks are left to the next run. */
const MAX_TIMED_BLOCKS = 10;
/**
 * Maximum length of an event's data, as a hex text. Longer data, which only unreviewed contracts emit, is dropped; the
 * event itself is kept.
 */
const LONGEST_DATA = 8_192;

/** Result of reading the governance events of one chain. */
interface GovernanceEventsReport {
  events: number;
  /** Number of final blocks whose governance events are not read yet. */
  behind: number;
}

/**
 * Reads the governance events of a chain's vaults in final blocks only, so that a reorg cannot retract a signal. Throws
 * errors of nodes, and `store_unavailable`.
 */
async function indexGovernanceEventsOfChain(
  ctx: Context,
  of: { tip: FlowTip; vaults: readonly Vault[] },
): Promise<GovernanceEventsReport> {
  const { tip, vaults } = of;
  const { chainId, finalBlock, controlsTo } = tip;
  if (finalBlock === null) return { events: 0, behind: 0 };
  // A chain that is read for the first time starts after its final block.
  const from = (controlsTo ?? finalBlock) + 1;
  if (from > finalBlock || vaults.length === 0) {
    if (controlsTo === null || controlsTo < finalBlock)
      await storeControlEvents(ctx, { chainId, to: finalBlock, rows: [] });
    return { events: 0, behind: 0 };
  }
  const { rows, to } = await readControlEvents(ctx, { tip, vaults, range: { from, to: finalBlock } });
  // A change of a gate, lock, pause, fee or implementation may have ended what the last proof showed. The proofs become
  // due first: if the run ends between the two statements, the next one reads the same events again.
  const addresses = [...new Set(rows.map(({ vaultAddress }) => vaultAddress))];
  await scheduleProofs(ctx.db, { chainId, addresses, at: new Date(ctx.now()) });
  if (to >= from) await storeControlEvents(ctx, { chainId, to, rows });
  return { events: rows.length, behind: finalBlock - to };
}

const storeControlEvents = (
  ctx: Context,
  step: { chainId: number; to: number; rows: readonly ControlEventRow[] },
) => writeControlEvents(ctx.db, { ...step, at: new Date(ctx.now()) });

async function readControlEvents(
  ctx: Context,
  of: { tip: FlowTip; vaults: readonly Vault[]; range: BlockRange },
): Promise<{ rows: ControlEventRow[]; to: number }> {
  const { tip, vaults, range } = of;
  const client = ctx.chains.client(tip.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${tip.chainId} is not served`);
  const startedAt = ctx.now();
  const late = () => ctx.now() - startedAt > READING_MS;
  const topics = client.definition.maxLogTopics ?? null;
  const budget = createBudget({ requests: CONTROL_REQUESTS, blocks: tip.span, topics, late });
  return onOneNodeWithinBudget(client, budget, async (node, own) => {
    await assertSameFinalBlock(node, tip);
    const links = await readLinkedContracts(node, vaults);
    const watched = vaults.map((vault) => ({ vault, links: links.get(vault.vaultId) ?? {} }));
    const subscription = controlSubscription(watched);
    const { logs, read } = await readLogs(node, {
      range,
      filters: (limits) => toFewLogFilters(subscription, limits),
      budget: own,
    });
    const rows = logs.flatMap((log) => toRows(log, { watched, notedAt: new Date(ctx.now()) }));
    return withBlockTimes(node, { rows, to: read?.to ?? range.from - 1 });
  });
}

/** A vault with the contracts that govern it from other addresses. */
interface LinkedVault {
  vault: Vault;
  links: LinkedContracts;
}

function controlSubscription(watched: readonly LinkedVault[]): LogSubscription {
  const topicsBy = new Map<string, Set<string>>();
  for (const { vault, links } of watched) {
    const contracts = governanceContractsOf(vault, links);
    for (const event of governanceEventsOf(vault.adapter)) {
      const address = contracts[event.contract];
      if (address === undefined) continue;
      topicsBy.set(address, (topicsBy.get(address) ?? new Set()).add(eventTopic(event)));
    }
  }
  return { topics: [...new Set([...topicsBy.values()].flatMap((topics) => [...topics]))], topicsBy };
}

type UntimedRow = Omit<ControlEventRow, "blockTime"> & { blockHash: string };

/** Converts a governance event log to one database row for each vault that it concerns. */
function toRows(log: ChainLog, of: { watched: readonly LinkedVault[]; notedAt: Date }): UntimedRow[] {
  const { address, txHash, logIndex, topics, blockNumber, blockHash } = log;
  const data = log.data.length > LONGEST_DATA ? "0x" : log.data;
  return of.watched.flatMap(({ vault, links }) => {
    const event = findGovernanceEvent(vault, { address, topic: topics[0], links });
    const members = event === undefined ? null : decodeEventArgs(event, { topics, data });
    if (event === undefined || (members !== null && isRoutine(event, { members, vault }))) return [];
    const { chainId } = vault;
    const vaultAddress = vault.address.toLowerCase();
    const row = { chainId, vaultAddress, emitter: address, topics: [...topics], data };
    return [{ ...row, txHash, logIndex, blockNumber, blockHash, notedAt: of.notedAt }];
  });
}

const isRoutine = (event: GovernanceEvent, of: { members: EventArgs; vault: Vault }): boolean =>
  event.seenByView?.(of.members, of.vault) === true || event.routine?.(of.members) === true;

/** Adds block timestamps to governance events. Throws OutsideError if a reorg replaced one of the blocks. */
async function withBlockTimes(
  node: NodeSession,
  found: { rows: readonly UntimedRow[]; to: number },
): Promise<{ rows: ControlEventRow[]; to: number }> {
  const numbers = [...new Set(found.rows.map(({ blockNumber }) => blockNumber))];
  const next = numbers[MAX_TIMED_BLOCKS];
  const to = next === undefined ? found.to : next - 1;
  const heads = new Map<number, Block>();
  for (const number of numbers.slice(0, MAX_TIMED_BLOCKS)) heads.set(number, await readBlock(node, number));
  const rows = found.rows.flatMap(({ blockHash, ...row }) => {
    const head = heads.get(row.blockNumber);
    if (head === undefined) return [];
    if (head.hash !== blockHash) throw new OutsideError("malformed", "the events are those of another fork");
    return [{ ...row, blockTime: new Date(head.timestamp * 1000) }];
  });
  return { rows, to };
}
