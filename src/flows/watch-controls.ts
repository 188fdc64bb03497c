import type { NodeSession } from "../chains/client.ts";
import { type ChainLog, type Head, readHead } from "../chains/logs.ts";
import type { Context } from "../context.ts";
import { type ControlEventRow, noteControlEvents } from "../db/queries/control-events.ts";
import type { FlowTip } from "../db/queries/flows.ts";
import { failure } from "../errors.ts";
import { OutsideError } from "../lib/bounded-fetch.ts";
import {
  type ControlEvent,
  contractsOf,
  type EventMembers,
  type Links,
} from "../vaults/control-events/event.ts";
import { controlEventsOf, findControlEvent, membersOf, topicOf } from "../vaults/control-events.ts";
import type { Vault } from "../vaults/vault.ts";
import { budgetOf, onOneNodeWithin } from "./budget.ts";
import { readLinks } from "./read-links.ts";
import { readSpan } from "./read-span.ts";
import { refuseOtherChain } from "./refuse-other-chain.ts";
import type { Listened } from "./sources.ts";

/** Requests to nodes that one run on a chain may make for logs. */
const REQUESTS = 30;
/** After so long no more is read. */
const READING_MS = 40_000;
/** Blocks whose time is asked for in one run; what lies above the last of them is read again by the next. */
const MANY_BLOCKS = 10;
/** Longer data are a contract's that nobody reviewed: kept without, so that they tell nothing but that they are. */
const LONGEST_DATA = 8_192;

/** What one run on a chain did. */
export interface WatchReport {
  events: number;
  /** Final blocks that were not read yet. */
  behind: number;
}

/**
 * Reads the events by which a chain's vaults tell of changes that no view shows, from final blocks only: what is told
 * of them is not taken back. A chain that was not watched before begins at its final block. What a run does not get to
 * is the next one's. Throws `upstream_unavailable`, `upstream_timeout`, `store_unavailable`, and RpcError as the last
 * node said it.
 */
export async function watchControls(
  ctx: Context,
  of: { tip: FlowTip; vaults: readonly Vault[] },
): Promise<WatchReport> {
  const { tip, vaults } = of;
  const { chainId, finalBlock, controlsTo } = tip;
  if (finalBlock === null) return { events: 0, behind: 0 };
  const from = (controlsTo ?? finalBlock) + 1;
  if (from > finalBlock || vaults.length === 0) {
    if (controlsTo === null || controlsTo < finalBlock)
      await note(ctx, { chainId, to: finalBlock, rows: [] });
    return { events: 0, behind: 0 };
  }
  const { rows, to } = await read(ctx, { tip, vaults, span: { from, to: finalBlock } });
  if (to >= from) await note(ctx, { chainId, to, rows });
  return { events: rows.length, behind: finalBlock - to };
}

const note = (ctx: Context, step: { chainId: number; to: number; rows: readonly ControlEventRow[] }) =>
  noteControlEvents(ctx.db, { ...step, at: new Date(ctx.now()) });

async function read(
  ctx: Context,
  of: { tip: FlowTip; vaults: readonly Vault[]; span: { from: number; to: number } },
): Promise<{ rows: ControlEventRow[]; to: number }> {
  const { tip, vaults, span } = of;
  const client = ctx.chains.client(tip.chainId);
  if (client === null) throw failure("chain_unsupported", `chain ${tip.chainId} is not served`);
  const startedAt = ctx.now();
  const late = () => ctx.now() - startedAt > READING_MS;
  const topics = client.definition.maxLogTopics ?? null;
  const budget = budgetOf({ requests: REQUESTS, span: tip.span, topics, late });
  return onOneNodeWithin(client, budget, async (node, own) => {
    await refuseOtherChain(node, tip);
    const links = await readLinks(node, vaults);
    const watched = vaults.map((vault) => ({ vault, links: links.get(vault.vaultId) ?? {} }));
    const { logs, to } = await readSpan(node, { span, sources: listenedOf(watched), budget: own });
    const rows = logs.flatMap((log) => toRows(log, { watched, notedAt: new Date(ctx.now()) }));
    return withTimes(node, { rows, to });
  });
}

/** A vault, and where the contracts about it are. */
interface Watched {
  vault: Vault;
  links: Links;
}

function listenedOf(watched: readonly Watched[]): Listened {
  const topicsBy = new Map<string, Set<string>>();
  for (const { vault, links } of watched) {
    const contracts = contractsOf(vault, links);
    for (const event of controlEventsOf(vault.adapter)) {
      const address = contracts[event.on];
      if (address === undefined) continue;
      topicsBy.set(address, (topicsBy.get(address) ?? new Set()).add(topicOf(event)));
    }
  }
  return { topics: [...new Set([...topicsBy.values()].flatMap((topics) => [...topics]))], topicsBy };
}

type TimelessRow = Omit<ControlEventRow, "blockTime"> & { blockHash: string };

/** What a log is to each vault. */
function toRows(log: ChainLog, of: { watched: readonly Watched[]; notedAt: Date }): TimelessRow[] {
  const { address, txHash, logIndex, topics, blockNumber, blockHash } = log;
  const data = log.data.length > LONGEST_DATA ? "0x" : log.data;
  return of.watched.flatMap(({ vault, links }) => {
    const event = findControlEvent(vault, { address, topic: topics[0], links });
    const members = event === undefined ? null : membersOf(event, { topics, data });
    if (event === undefined || (members !== null && isNoNews(event, { members, vault }))) return [];
    const { chainId } = vault;
    const vaultAddress = vault.address.toLowerCase();
    const row = { chainId, vaultAddress, emitter: address, topics: [...topics], data };
    return [{ ...row, txHash, logIndex, blockNumber, blockHash, notedAt: of.notedAt }];
  });
}

const isNoNews = (event: ControlEvent, of: { members: EventMembers; vault: Vault }): boolean =>
  event.seenByView?.(of.members, of.vault) === true || event.everyday?.(of.members) === true;

/** Adds the times of blocks. Throws OutsideError when a block is another one by now. */
async function withTimes(
  node: NodeSession,
  found: { rows: readonly TimelessRow[]; to: number },
): Promise<{ rows: ControlEventRow[]; to: number }> {
  const numbers = [...new Set(found.rows.map(({ blockNumber }) => blockNumber))];
  const next = numbers[MANY_BLOCKS];
  const to = next === undefined ? found.to : next - 1;
  const heads = new Map<number, Head>();
  for (const number of numbers.slice(0, MANY_BLOCKS)) heads.set(number, await readHead(node, number));
  const rows = found.rows.flatMap(({ blockHash, ...row }) => {
    const head = heads.get(row.blockNumber);
    if (head === undefined) return [];
    if (head.hash !== blockHash) throw new OutsideError("malformed", "the events are those of another fork");
    return [{ ...row, blockTime: new Date(head.timestamp * 1000) }];
  });
  return { rows, to };
}
