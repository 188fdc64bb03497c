import type { NodeSession } from "../chains/client.ts";
import { type ChainLog, readLogs } from "../chains/logs.ts";
import type { Context } from "../context.ts";
import type { SignalRow } from "../db/queries/signals.ts";
import { describeError } from "../lib/log.ts";
import type { Vault } from "../vaults/vault.ts";
import { tells, topicsOf } from "./change-events.ts";

/** What one round may ask for, and the blocks of one question: what nodes grant at once. */
const LOOKUPS = 10;
const SPAN = 10_000;

/** An incident of a vault. */
export interface Found {
  row: SignalRow;
  vault: Vault;
}

/** How long after a change was found it is looked for again: by then a node that answers will have been asked. */
const AGAIN_MS = 30 * 60_000;

/** Incidents whose event was looked for in an earlier round, and not found: a node failed, or lay behind. */
export function unlocated(known: readonly Found[], nowMs: number): Found[] {
  return known.filter(({ row }) => changeOf(row) !== null && nowMs - row.firstSeen.getTime() <= AGAIN_MS);
}

/**
 * Adds to changes that views showed the transaction and block of the event behind each, where the vault emits one
 * and a node tells it: each is asked for on up to three nodes, as every read, and again in the rounds of half an hour,
 * see `unlocated`. What is not found stays null, as does what lies beyond ten changes. Never throws.
 */
export async function locateChanges(ctx: Context, found: readonly Found[]): Promise<SignalRow[]> {
  let asked = 0;
  return Promise.all(
    found.map(async ({ row, vault }) => {
      const change = changeOf(row);
      if (change === null || asked >= LOOKUPS) return row;
      asked += 1;
      return { ...row, ...(await locate(ctx, { vault, change })) };
    }),
  );
}

interface Change {
  topics: readonly string[];
  /** What it was changed to; null: the event says it all. */
  value: string | null;
  from: number;
  to: number;
}

/** What to look for; null: nothing. */
function changeOf({ ruleId, subject, evidence, txHash, updateCount }: SignalRow): Change | null {
  const topics = topicsOf(ruleId === "control_changed" ? subject : ruleId);
  const [from, to] = [Number(evidence["before_block"]) + 1, Number(evidence["after_block"])];
  if (topics.length === 0 || txHash !== null || updateCount > 0) return null;
  if (!(to >= from) || to - from >= SPAN) return null;
  return { topics, value: ruleId === "control_changed" ? (evidence["after"] ?? null) : null, from, to };
}

/** The last event of the span that tells the change; nothing when there is none or no node answers. */
async function locate(
  ctx: Context,
  of: { vault: Vault; change: Change },
): Promise<Partial<Pick<SignalRow, "txHash" | "blockNumber">>> {
  const { vault, change } = of;
  const client = ctx.chains.client(vault.chainId);
  if (client === null) return {};
  const contracts = [vault.address, vault.entryPoint, vault.pricer, vault.shareToken];
  const addresses = [...new Set(contracts.map((address) => address.toLowerCase()))];
  const filter = { span: { from: change.from, to: change.to }, addresses };
  const atOnce = client.definition.maxLogTopics ?? change.topics.length;
  const read = async (node: NodeSession): Promise<ChainLog[]> => {
    const found: ChainLog[] = [];
    for (let start = 0; start < change.topics.length; start += atOnce) {
      const topics = change.topics.slice(start, start + atOnce);
      found.push(...(await readLogs(node, { ...filter, topics })));
    }
    return found.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  };
  try {
    const log = (await client.onOneNode(read)).findLast((one) => tells(one, change.value));
    return log === undefined ? {} : { txHash: log.txHash, blockNumber: log.blockNumber };
  } catch (error) {
    ctx.log.warn("change_not_located", { vault: vault.vaultId, error: describeError(error) });
    return {};
  }
}
