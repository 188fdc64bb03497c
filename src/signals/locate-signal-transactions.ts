import { type Hex, padHex, toEventSelector, toHex } from "viem";
import type { ChainLog } from "../chains/chain-logs.ts";
import { searchLogs } from "../chains/log-reader.ts";
import type { Context } from "../context.ts";
import type { SignalRow } from "../db/queries/signal-queries.ts";
import { describeError } from "../lib/logger.ts";
import type { Vault } from "../vaults/vault.ts";

/** Maximum number of changes whose transaction one run searches for. */
const MAX_LOOKUPS = 10;

/** Number of changes whose transaction a run may still search for. `locateChanges` reduces it. */
export interface SearchBudget {
  left: number;
}
/** Returns the budget of one run: ten searches. */
export const searchBudget = (): SearchBudget => ({ left: MAX_LOOKUPS });

/** Maximum number of blocks between the two snapshots of a change. */
const MAX_LOG_BLOCKS = 10_000;
/** Maximum number of requests per change, including rejected ones. */
const MAX_LOG_REQUESTS = 6;

/** An incident, stored or about to be, together with its vault. */
export interface VaultIncident {
  row: SignalRow;
  vault: Vault;
}

/**
 * Time from the start of an incident during which later runs repeat a search that found no event, in milliseconds. It
 * is normally long enough to reach a working node.
 */
const AGAIN_MS = 30 * 60_000;

/**
 * Returns the incidents for whose transaction another search is worthwhile: those for which `locateChanges` would
 * search and that were first seen at most half an hour before `nowMs` (milliseconds since the epoch).
 */
export function withoutTransaction(known: readonly VaultIncident[], nowMs: number): VaultIncident[] {
  return known.filter(({ row }) => changeOf(row) !== null && nowMs - row.firstSeen.getTime() <= AGAIN_MS);
}

/**
 * Searches for the events behind changes that view functions showed, as far as `budget` allows, and deducts from it.
 * Returns the rows in the same order, with transaction and block where found. Errors of nodes are logged.
 */
export async function locateChanges(
  ctx: Context,
  { found, budget }: { found: readonly VaultIncident[]; budget: SearchBudget },
): Promise<SignalRow[]> {
  return Promise.all(
    found.map(async ({ row, vault }) => {
      const change = changeOf(row);
      if (change === null || budget.left <= 0) return row;
      budget.left -= 1;
      return { ...row, ...(await locateChange(ctx, { vault, change })) };
    }),
  );
}

/** Search criteria for the event behind a change. */
interface Change {
  /** First topics of the events that may have made the change. */
  topics: readonly string[];
  /** New value that the event must contain, as an address or a decimal number; null accepts any event. */
  value: string | null;
  /** First block of the search. */
  from: number;
  /** Last block of the search. */
  to: number;
}

/**
 * Returns the search criteria for an incident's event. Null if its transaction is known, its rule has no events, the
 * incident was extended since, or the change's block range is unknown or too long.
 */
function changeOf({ ruleId, subject, evidence, txHash, updateCount }: SignalRow): Change | null {
  const topics = changeTopics(ruleId === "control_changed" ? subject : ruleId);
  const [from, to] = [Number(evidence["before_block"]) + 1, Number(evidence["after_block"])];
  if (topics.length === 0 || txHash !== null || updateCount > 0) return null;
  if (!(to >= from) || to - from >= MAX_LOG_BLOCKS) return null;
  return { topics, value: ruleId === "control_changed" ? (evidence["after"] ?? null) : null, from, to };
}

/**
 * Returns the transaction and block of the last event that shows the change. Returns an empty object if none is found,
 * no node responds, or the chain is not served.
 */
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

/** Signatures of the events that contracts emit both when they pause and when they unpause. */
const EITHER_WAY = [
  "DepositPauseSet(bool,uint256,address)",
  "DepositWithdrawalStatusChanged(bool,bool)",
  "SetQueueStatus(address,bool)",
  "SetFlags((bool,bool,bool,bool,bool,uint32))",
  "StateUpdated(uint8)",
  "GovSetHookConfig(address,uint32)",
  "AssetDataUpdated(address,bool,bool,uint16)",
];
/** Signatures of Lagoon's fee event: with two rates, and with five since version 0.6. */
const RATES = [
  "RatesUpdated((uint16,uint16),(uint16,uint16),uint256)",
  "RatesUpdated((uint16,uint16,uint16,uint16,uint16),(uint16,uint16,uint16,uint16,uint16),uint256)",
];

/**
 * First topics of the events behind a change, by the name of the role or setting, or by rule id.
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

/** Returns the first topics of the events that a change may have emitted, or an empty list if none are known. */
const changeTopics = (changed: string): readonly Hex[] => CHANGE_TOPICS[changed] ?? [];

/**
 * Returns true if any 32-byte word of a log's data or topics, except the event signature, equals a value, given as an
 * address or a decimal number. Null matches every log.
 */
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
