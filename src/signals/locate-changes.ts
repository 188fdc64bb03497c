import { type Hex, padHex, toEventSelector, toHex } from "viem";
import { searchLogs } from "../chains/log-reader.ts";
import type { ChainLog } from "../chains/logs.ts";
import type { Context } from "../context.ts";
import type { SignalRow } from "../db/queries/signals.ts";
import { describeError } from "../lib/logger.ts";
import type { Vault } from "../vaults/vault.ts";

/** Changes that one round looks for. */
const MAX_LOOKUPS = 10;
/** Blocks between two snapshots at most, and requests for one change, refused ones included. */
const MAX_LOG_BLOCKS = 10_000;
const MAX_LOG_REQUESTS = 6;

/** An incident of a vault. */
export interface VaultIncident {
  row: SignalRow;
  vault: Vault;
}

/** How long after a change was found it is looked for again: by then a node that answers will have been asked. */
const AGAIN_MS = 30 * 60_000;

/** Incidents whose event was looked for in an earlier round, and not found: a node failed, or lay behind. */
export function withoutTransaction(known: readonly VaultIncident[], nowMs: number): VaultIncident[] {
  return known.filter(({ row }) => changeOf(row) !== null && nowMs - row.firstSeen.getTime() <= AGAIN_MS);
}

/**
 * Adds to changes that views showed the transaction and block of the event behind each, where the vault emits one
 * and a node tells it: each is asked for on up to three nodes, as every read, and again in the rounds of half an hour,
 * see `withoutTransaction`. What is not found stays null, as does what lies beyond ten changes. Never throws.
 */
export async function locateChanges(ctx: Context, found: readonly VaultIncident[]): Promise<SignalRow[]> {
  let asked = 0;
  return Promise.all(
    found.map(async ({ row, vault }) => {
      const change = changeOf(row);
      if (change === null || asked >= MAX_LOOKUPS) return row;
      asked += 1;
      return { ...row, ...(await locateChange(ctx, { vault, change })) };
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
  const topics = changeTopics(ruleId === "control_changed" ? subject : ruleId);
  const [from, to] = [Number(evidence["before_block"]) + 1, Number(evidence["after_block"])];
  if (topics.length === 0 || txHash !== null || updateCount > 0) return null;
  if (!(to >= from) || to - from >= MAX_LOG_BLOCKS) return null;
  return { topics, value: ruleId === "control_changed" ? (evidence["after"] ?? null) : null, from, to };
}

/** The last event of the span that tells the change; nothing when there is none or no node answers. */
async function locateChange(
  ctx: Context,
  of: { vault: Vault; change: Change },
): Promise<Partial<Pick<SignalRow, "txHash" | "blockNumber">>> {
  const { vault, change } = of;
  const client = ctx.chains.client(vault.chainId);
  if (client === null) return {};
  const contracts = [vault.address, vault.entryPoint, vault.pricer, vault.shareToken];
  const addresses = [...new Set(contracts.map((address) => address.toLowerCase()))];
  const shows = (log: ChainLog): boolean => logShowsChange(log, change.value);
  try {
    const { logs } = await searchLogs(client, {
      range: { from: change.from, to: change.to },
      filters: [{ addresses, topics: [change.topics] }],
      order: "newest_first",
      until: (found) => found.some(shows),
      maxRequests: MAX_LOG_REQUESTS,
      maxBlocks: MAX_LOG_BLOCKS,
    });
    const log = logs.find(shows);
    return log === undefined ? {} : { txHash: log.txHash, blockNumber: log.blockNumber };
  } catch (error) {
    ctx.log.warn("change_not_located", { vault: vault.vaultId, error: describeError(error) });
    return {};
  }
}

const selectors = (...events: string[]): readonly Hex[] => events.map((event) => toEventSelector(event));

/** Switches that are told by one event whichever way they go. */
const EITHER_WAY = [
  "DepositPauseSet(bool,uint256,address)",
  "DepositWithdrawalStatusChanged(bool,bool)",
  "SetQueueStatus(address,bool)",
  "SetFlags((bool,bool,bool,bool,bool,uint32))",
  "StateUpdated(uint8)",
  "GovSetHookConfig(address,uint32)",
  "AssetDataUpdated(address,bool,bool,uint16)",
];
/** Lagoon's, of two rates and, since its version 0.6, of five. */
const RATES = [
  "RatesUpdated((uint16,uint16),(uint16,uint16),uint256)",
  "RatesUpdated((uint16,uint16,uint16,uint16,uint16),(uint16,uint16,uint16,uint16,uint16),uint256)",
];

/**
 * First topics of the events behind a change, by what changed; of several in its blocks the last that tells it counts.
 * Sources: morpho-org/metamorpho, morpho-org/vault-v2, OpenZeppelin and Solmate (as Veda), IPOR Fusion, Lagoon, Midas,
 * Mellow, Euler, Upshift.
 */
const CHANGE_TOPICS: Readonly<Record<string, readonly Hex[]>> = {
  owner: selectors("OwnershipTransferred(address,address)", "SetOwner(address)"),
  curator: selectors("SetCurator(address)"),
  guardian: selectors("SetGuardian(address,address)"),
  fee: selectors("SetFee(address,uint256)"),
  timelock: selectors("SetTimelock(address,uint256)"),
  performance_fee: selectors(
    "SetPerformanceFee(uint256)",
    "PerformanceFeeDataConfigured(address,uint256)",
    ...RATES,
  ),
  management_fee: selectors(
    "SetManagementFee(uint256)",
    "ManagementFeeDataConfigured(address,uint256)",
    ...RATES,
  ),
  paused: selectors("Paused(address)", "Paused()", "PauseFn(address,bytes4)", ...EITHER_WAY),
  unpaused: selectors("Unpaused(address)", "Unpaused()", "UnpauseFn(address,bytes4)", ...EITHER_WAY),
};

/** Topics of the events that a change may have emitted; none: nobody knows of any. */
const changeTopics = (changed: string): readonly Hex[] => CHANGE_TOPICS[changed] ?? [];

/** Whether an event tells a value (an address or a decimal number) in any of its members; null asks for none. */
export function logShowsChange(log: Pick<ChainLog, "topics" | "data">, value: string | null): boolean {
  if (value === null) return true;
  const word = value.startsWith("0x")
    ? padHex(value as Hex, { size: 32 })
    : toHex(BigInt(value), { size: 32 });
  const words = [
    ...log.topics.slice(1),
    ...(log.data.slice(2).match(/.{64}/g) ?? []).map((part) => `0x${part}`),
  ];
  return words.includes(word.toLowerCase());
}
