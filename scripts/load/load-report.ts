import type { Address } from "viem";
import { z } from "zod";
import { printTable } from "../bench/table.ts";
import { sendRequest } from "../smoke/http-request.ts";
import type { Span } from "./disturbances.ts";
import { journeyNames } from "./journeys.ts";
import type { LoadChain } from "./load-chain.ts";
import { type LoadDeposit, watchers } from "./load-run.ts";

const Row = z.object({
  tracking_id: z.string(),
  state: z.string(),
  shares: z.string().nullable(),
  source_tx_hash: z.string().nullable(),
  history: z.array(z.object({ state: z.string(), at: z.string() })),
});
const CONCURRENCY = 8;
/** Time after a pause of the jobs during which completions count as delayed by the pause, in milliseconds. */
const AFTERMATH_MS = 60_000;

/** A deposit with its final state on-chain and in the API. */
interface CheckedDeposit {
  deposit: LoadDeposit;
  /** The user's on-chain share balance. */
  held: bigint;
  row: z.infer<typeof Row> | null;
  /** Seconds from the block that minted the shares to the state `completed`; null if unknown. */
  seconds: number | null;
  /** True if the jobs were paused, or had just resumed, when the shares were minted. */
  paused: boolean;
}

/**
 * Compares every deposit with the chain, prints figures, and returns a description of each wrong one. `firstBlocks` are
 * the blocks, by chain id, from which mints of shares are searched.
 */
export async function checkLoad(of: {
  api: string;
  deposits: readonly LoadDeposit[];
  chains: ReadonlyMap<number, LoadChain>;
  firstBlocks: ReadonlyMap<number, number>;
  pauses: readonly Span[];
}): Promise<string[]> {
  const judged = await readAll(of);
  const minted = judged.filter(({ held }) => held > 0n);
  const wrong: string[] = [];
  let reverted = 0;
  for (const one of judged) {
    const fault = faultOf(one);
    if (fault === null) continue;
    if (await hasReverted(of.chains, one)) {
      reverted += 1;
      if (isRightForReverted(one)) continue;
    }
    wrong.push(fault);
  }
  const columns = ["sent", "with shares", "DONE", "p50", "p95", "max (s)", "p95 without pause"];
  printTable("Deposits, and seconds from their confirmation to DONE", columns, [
    ...watchers.map((watcher) =>
      figures(
        watcher,
        judged.filter(({ deposit }) => deposit.watcher === watcher),
      ),
    ),
    ...journeyNames.map((name) =>
      figures(
        name,
        judged.filter(({ deposit }) => deposit.user.journey.name === name),
      ),
    ),
    figures("all", judged),
  ]);
  console.log(`${judged.length} sent, ${minted.length} with shares on chain, ${wrong.length} wrong`);
  if (reverted > 0) console.log(`${reverted} whose source reverts since a reorg, after a relayer had paid`);
  return wrong;
}

/** Returns true if the source transaction of a deposit has reverted on the current chain. */
async function hasReverted(
  chains: ReadonlyMap<number, LoadChain>,
  { deposit: { source, user } }: CheckedDeposit,
): Promise<boolean> {
  return (await chains.get(user.journey.from.chain_id)?.reverts(source)) ?? false;
}

/**
 * Returns true if the API's state is correct for a deposit whose source transaction reverted in a reorg after a relayer
 * had paid it out. Correct are: failed; unseen if it was not reported, because reverted transactions have no events;
 * and the state that the Router's own event proves.
 */
const isRightForReverted = ({ row, deposit }: CheckedDeposit): boolean =>
  (row === null && deposit.watcher !== "reported") ||
  row?.state === "failed" ||
  (row?.state === "completed" && row.source_tx_hash === null);

function figures(name: string, judged: readonly CheckedDeposit[]) {
  const done = judged.filter(({ row }) => row?.state === "completed");
  const times = (all: readonly CheckedDeposit[]) =>
    all.flatMap(({ seconds }) => seconds ?? []).sort((a, b) => a - b);
  const at = (sorted: readonly number[], part: number): string =>
    sorted.length === 0
      ? "–"
      : (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1);
  const [all, calm] = [times(done), times(done.filter(({ paused }) => !paused))];
  const counts = [judged.length, judged.filter(({ held }) => held > 0n).length, done.length].map(String);
  return { name, values: [...counts, at(all, 0.5), at(all, 0.95), at(all, 1), at(calm, 0.95)] };
}

/** Returns a description of what is wrong with the final state of a deposit, or null. */
function faultOf({ deposit, held, row }: CheckedDeposit): string | null {
  const { trackingId, source, user, watcher } = deposit;
  const name = `${user.journey.name}, ${watcher}, ${trackingId}, ${user.address}, ${source}`;
  if (held === 0n) return row?.state === "completed" ? `${name}: completed without shares` : null;
  if (row === null) return `${name}: in no list`;
  if (row.state !== "completed") return `${name}: ${row.state}, with ${held} shares on chain`;
  if (row.shares !== held.toString()) return `${name}: ${row.shares} shares, ${held} on chain`;
  return row.source_tx_hash === source ? null : `${name}: bound to ${row.source_tx_hash}`;
}

async function readAll(of: Parameters<typeof checkLoad>[0]): Promise<CheckedDeposit[]> {
  const { deposits, chains, firstBlocks, pauses } = of;
  const judged: CheckedDeposit[] = [];
  const vaults = new Map(deposits.map(({ user }) => [user.journey.vault.vault_id, user.journey.vault]));
  for (const vault of vaults.values()) {
    const chain = chains.get(vault.chain_id);
    if (chain === undefined) continue;
    const own = deposits.filter(({ user }) => user.journey.vault === vault);
    const token = vault.share_token as Address;
    const mints = await chain.mints(token, firstBlocks.get(vault.chain_id) ?? 0);
    for (let at = 0; at < own.length; at += 500) {
      const part = own.slice(at, at + 500);
      const balances = await chain.balances(
        token,
        part.map(({ user }) => user.address),
      );
      const rows = await readRows(of.api, part);
      for (const [index, deposit] of part.entries()) {
        const account = deposit.user.address.toLowerCase();
        const block = mints.get(account);
        const confirmedAt = block === undefined ? null : chain.seenAt(block);
        const row = rows[index] ?? null;
        const doneAt = row?.history.findLast(({ state }) => state === "completed")?.at;
        const known = confirmedAt !== null && doneAt !== undefined;
        judged.push({
          ...{ deposit, row, held: balances.get(account) ?? 0n },
          seconds: known ? Math.max(0, (Date.parse(doneAt) - confirmedAt) / 1000) : null,
          paused: pauses.some(
            ({ from, to }) =>
              confirmedAt !== null && confirmedAt > from - 20_000 && confirmedAt < to + AFTERMATH_MS,
          ),
        });
      }
    }
  }
  return judged;
}

/** Reads deposits from their users' lists. Unlike other requests, these do not update the deposits. */
async function readRows(
  api: string,
  deposits: readonly LoadDeposit[],
): Promise<(z.infer<typeof Row> | null)[]> {
  const rows: (z.infer<typeof Row> | null)[] = deposits.map(() => null);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < deposits.length; at = next++) {
      const deposit = deposits[at];
      const { text } = await sendRequest(`${api}/v1/deposits?user_address=${deposit?.user.address}`);
      const list = z.array(Row).parse(JSON.parse(text));
      rows[at] = list.find(({ tracking_id: id }) => id === deposit?.trackingId) ?? null;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return rows;
}
