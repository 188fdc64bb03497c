import type { Hex } from "viem";
import type { EmbeddedDatabase } from "../following/embedded-database.ts";
import {
  type Chains,
  type Delivered,
  isUnseen,
  type Place,
  placesOf,
  recount,
  type ShownDeposit,
} from "../following/recount.ts";
import { checkSecondSteps } from "../following/second-steps.ts";
import type { LoadDeposit } from "./load-users.ts";
import type { LoadWorld } from "./load-world.ts";

/** Time at which a deposit was on the chains with their confirmations, and at which its row said so. */
export interface JudgedDeposit {
  deposit: LoadDeposit;
  state: string;
  /** Null if the chains do not show the deposit as completed. */
  confirmedAt: number | null;
  doneAt: number | null;
}

/** Result of comparing the rows with the chains. */
export interface Verdict {
  /**
   * Deposits whose source transaction was sent, those of them that a reorg removed for good, and those of these whose row
   * still waits for the transaction, which may come back.
   */
  sent: number;
  gone: number;
  waiting: number;
  judged: JudgedDeposit[];
  wrong: string[];
}

interface Row extends ShownDeposit {
  history: { state: string; at: string }[];
}

/** Watches the rows during a load, and compares them with the chains at its end. */
export class LoadJudge {
  readonly #database: EmbeddedDatabase;
  /** Time at which each completed row was first seen with its shares. */
  readonly #completed = new Map<string, { shares: string; at: number }>();
  #last = "-infinity";

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  /** Notes the rows that are completed since the last call. */
  async watch(now: number): Promise<void> {
    const rows =
      (await this.#database.execute(`select tracking_id, shares::text as shares, updated_at::text as at
      from deposits where state = 'completed' and updated_at > '${this.#last}' order by updated_at`)) as {
        tracking_id: string;
        shares: string;
        at: string;
      }[];
    for (const { tracking_id: id, shares, at } of rows) {
      if (this.#completed.get(id)?.shares !== shares) this.#completed.set(id, { shares, at: now });
      this.#last = at;
    }
  }

  /** Returns the deposits that are due, and for how many seconds the first of them has been. */
  async due(now: number): Promise<{ rows: number; seconds: number }> {
    const at = new Date(now).toISOString();
    const [row] = (await this.#database.execute(`select count(*)::text as rows,
      coalesce(extract(epoch from '${at}'::timestamptz - min(next_check_at)), 0)::int::text as seconds
      from deposits where next_check_at <= '${at}'`)) as { rows: string; seconds: string }[];
    return { rows: Number(row?.rows), seconds: Number(row?.seconds) };
  }

  /** Compares every sent deposit with the chains. */
  async judge(
    world: LoadWorld,
    of: { deposits: readonly LoadDeposit[]; confirmations: number; now: number },
  ): Promise<Verdict> {
    const rows =
      (await this.#database.execute(`select tracking_id, state, shares::text as shares, source_tx_hash,
      destination_tx_hash, deposit_tx_hash, delivered_amount::text as delivered_amount, history
      from deposits where tracking_id like 'trk_10ad%'`)) as unknown as Row[];
    const known = new Map(rows.map((row) => [row.tracking_id, row]));
    const sent = of.deposits.filter(({ sentHash }) => sentHash !== null);
    const verdict: Verdict = { sent: sent.length, gone: 0, waiting: 0, judged: [], wrong: [] };
    for (const deposit of sent) {
      const row = known.get(deposit.trackingId);
      const stands = world.chain(deposit.source.chainId).find(deposit.sentHash ?? "0x") !== null;
      if (!stands) verdict.gone += 1;
      if (!stands && row !== undefined && mayComeBack(row, of.now)) {
        verdict.waiting += 1;
        continue;
      }
      try {
        if (row === undefined) throw new Error(`${deposit.trackingId} has no row`);
        check(world.chains, { deposit, row });
        if (stands && isUnseen(row.state)) throw new Error(`${deposit.trackingId} is ${row.state} but sent`);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        const why = [await this.#recordOf(deposit), storyOf(world, deposit)].join(" ");
        verdict.wrong.push(`${deposit.watcher} ${text.slice(0, 600)} ${why}`);
      }
      if (stands && row !== undefined)
        verdict.judged.push(this.#judged(world, { deposit, row, confirmations: of.confirmations }));
    }
    return verdict;
  }

  /** Returns what the database knows about a wrong deposit. */
  async #recordOf({ trackingId }: LoadDeposit): Promise<string> {
    const rows = await this.#database.execute(`select d.history, d.next_check_at::text, d.checks,
      (select jsonb_agg(to_jsonb(h) - 'tracking_id') from deposit_hints h where h.tracking_id = d.tracking_id) as hints,
      (select jsonb_agg(to_jsonb(e) - 'tracking_id') from deposit_evidence e where e.tracking_id = d.tracking_id) as evidence
      from deposits d where d.tracking_id = '${trackingId}'`);
    return JSON.stringify(rows[0] ?? null);
  }

  #judged(world: LoadWorld, of: { deposit: LoadDeposit; row: Row; confirmations: number }): JudgedDeposit {
    const { deposit, row, confirmations } = of;
    const proofs: [number, string | null][] = [[deposit.source.chainId, deposit.sentHash]];
    if (deposit.kind === "one_step") proofs.push([deposit.homeId, row.destination_tx_hash]);
    if (deposit.kind === "two_step") proofs.push([deposit.homeId, row.deposit_tx_hash]);
    const times = proofs.map(([chainId, hash]) => {
      const found: Place | null = hash === null ? null : world.chain(chainId).find(hash as Hex);
      return found === null ? null : world.confirmedAt(chainId, { block: found.block, confirmations });
    });
    const confirmed = times.includes(null) ? null : Math.max(...times.map(Number));
    const seen = this.#completed.get(row.tracking_id);
    const entry = row.history.findLast(({ state }) => state === "completed");
    const doneAt =
      row.state !== "completed" || seen === undefined || entry === undefined
        ? null
        : Math.max(seen.at, Date.parse(entry.at));
    return { deposit, state: row.state, confirmedAt: row.state === "completed" ? confirmed : null, doneAt };
  }
}

/** Time for which a deposit may wait for a transaction that is gone, in milliseconds. */
const WAITING_MS = 11 * 60_000;

const mayComeBack = ({ state, history }: Row, now: number): boolean =>
  state === "submitted" && now - Date.parse(history.at(-1)?.at ?? "") < WAITING_MS;

/** Returns the user's transactions on the vault's chain with their times. */
function storyOf(world: LoadWorld, { user, homeId }: LoadDeposit): string {
  const own = placesOf(world.chain(homeId), user).map(({ block, included }) => {
    const at = world.confirmedAt(homeId, { block, confirmations: 1 });
    return `${included.sent.hash} ${included.succeeded} in ${block.number} at ${new Date(at ?? 0).toISOString()}`;
  });
  return `transactions ${own.join(", ")}; head ${world.chain(homeId).head.number}`;
}

function check(chains: Chains, { deposit, row }: { deposit: LoadDeposit; row: Row }): void {
  const delivered: Delivered[] = recount(chains, { built: [deposit], shown: [row] });
  checkSecondSteps(chains, delivered);
}
