import type { Answer } from "../../client/operations/read-operations.ts";
import { formatChain, type ListedChain } from "../api/console-chain-names.ts";
import { formatDuration } from "../format/format-times.ts";

type Health = Answer<"health.details">;

/** Delay in seconds above which deposits count as found late. */
const LATE_S = 180;

/** Display names of the jobs, by key. */
const JOBS: Readonly<Record<string, string>> = {
  follow_deposits: "Follow deposits",
  index_flows: "Index deposits and withdrawals",
  prove_vaults: "Check vaults",
  discover_vaults: "Find new vaults",
  note_snapshots: "Record vault figures",
  watch_controls: "Read changes of control",
  judge_vaults: "Look for signals",
  forget_answers: "Delete old responses",
  forget_unsent: "Delete old quotes",
};

/** Returns the display name of a job; for a job without one, its key with a capital letter and spaces. */
export const jobName = (key: string): string =>
  JOBS[key] ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll("_", " ");

/**
 * Returns sentences about problems of the service that users may notice, in this order: the database, the cache, chains
 * that do not answer or else have index errors, and their late deposits, failed jobs. Empty if it finds none.
 */
export function findTroubles(health: Health, chains: readonly ListedChain[]): string[] {
  const down = new Set(health.dependencies.filter(({ ok }) => !ok).map(({ name }) => name));
  const troubles: string[] = [];
  // Chains are read for deposits only while there are any.
  const idle = health.deposits?.underWay === 0 && health.deposits.due === 0;
  if (down.has("database")) troubles.push("The database does not answer: no deposit can be built now.");
  if (down.has("redis"))
    troubles.push("The cache does not answer: signing in is not possible, reads are slower.");
  for (const { chainId, deposits, index } of health.chains) {
    const name = formatChain(chains, chainId);
    if (down.has(`chain:${chainId}`))
      troubles.push(`${name} does not answer: figures of its vaults may be old.`);
    else if (index.code !== null) troubles.push(`${name}: positions may lack the latest transactions.`);
    if (deposits !== null && deposits.lagS > LATE_S && !idle)
      troubles.push(`${name}: deposits are found ${formatDuration(deposits.lagS)} late.`);
  }
  const failed = health.jobs.filter(({ ok }) => ok === false).map(({ name }) => jobName(name).toLowerCase());
  if (failed.length > 0) troubles.push(`The last run of these jobs failed: ${failed.join(", ")}.`);
  return troubles;
}
