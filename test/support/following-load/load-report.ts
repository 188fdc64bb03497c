import { kinds } from "./deposit-copies.ts";
import type { LoadResult } from "./load.ts";
import type { JudgedDeposit } from "./load-judge.ts";
import { watchers } from "./load-users.ts";

/** Wrong deposits that are printed. */
const MAX_PRINTED = 25;
/** Statements that are printed. */
const MAX_STATEMENTS = 12;
const MINUTE_MS = 60_000;

/** Latencies of a group of deposits, in seconds. */
interface Spread {
  count: number;
  p50: number;
  p95: number;
  max: number;
}

/** Figures of a load that a test compares. */
export interface LoadSummary {
  sent: number;
  wrong: number;
  /** Sent deposits that the chains do not show as completed at the end. */
  open: number;
  /** Latencies of the deposits that were confirmed while the jobs ran. */
  running: Spread;
  /** Time from the end of the pause for those that were confirmed in it. */
  paused: Spread;
  /** Most external requests of one invocation. */
  mostRequests: number;
  lines: string[];
}

/** Returns the figures of a load, and lines that show them. */
export function summarize(result: LoadResult): LoadSummary {
  const { verdict, pause } = result;
  const done = verdict.judged.filter(({ confirmedAt, doneAt }) => confirmedAt !== null && doneAt !== null);
  const isIn = ({ confirmedAt, doneAt }: JudgedDeposit): boolean =>
    Number(confirmedAt) < pause.to && Number(doneAt) >= pause.from;
  const running = done.filter((one) => !isIn(one));
  const inPause = done.filter(isIn);
  const afterPause = spreadOf(inPause.map(({ doneAt }) => Math.max(0, Number(doneAt) - pause.to)));
  const figures = [...result.figures.values()];
  const summary = {
    sent: verdict.sent,
    wrong: verdict.wrong.length,
    open: verdict.judged.length - done.length,
    running: spreadOf(running.map(latency)),
    paused: afterPause,
    mostRequests: Math.max(0, ...figures.map(({ most }) => most)),
  };
  const lines = [
    `${verdict.sent} sent, ${verdict.gone} removed by reorgs (${verdict.waiting} still waited for), ${done.length} done with the shares of the chain, ${summary.open} open, ${summary.wrong} wrong`,
    ...verdict.wrong.slice(0, MAX_PRINTED).map((text) => `wrong: ${text}`),
    `confirmation to DONE while the jobs ran: ${show(summary.running)}`,
    ...kinds.map((kind) =>
      group(
        kind,
        running.filter(({ deposit }) => deposit.kind === kind),
      ),
    ),
    ...watchers.map((name) =>
      group(
        name,
        running.filter(({ deposit }) => deposit.watcher === name),
      ),
    ),
    `confirmed in the pause of ${result.options.pause} s, time from its end: ${show(afterPause)}`,
    ...openStates(verdict.judged.filter((one) => !done.includes(one))),
    ...backlogLines(result, done),
    ...costLines(result),
    ...[...result.refusals].map(([what, count]) => `API: ${count} × ${what}`),
    ...[...result.warnings].map(([what, count]) => `log: ${count} × ${what}`),
    ...statementLines(result),
    ...result.scans.map((text) => `reads all deposits: ${text.slice(0, 600)}`),
    JSON.stringify(result.counts),
  ];
  return { ...summary, lines };
}

const latency = ({ confirmedAt, doneAt }: JudgedDeposit): number =>
  Math.max(0, Number(doneAt) - Number(confirmedAt));

const group = (name: string, of: readonly JudgedDeposit[]): string =>
  `  ${name.padEnd(11)} ${show(spreadOf(of.map(latency)))}`;

function spreadOf(times: readonly number[]): Spread {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (part: number): number =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1000;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), max: at(1) };
}

const show = ({ count, p50, p95, max }: Spread): string =>
  `${count} deposits, p50 ${p50.toFixed(1)} s, p95 ${p95.toFixed(1)} s, max ${max.toFixed(1)} s`;

function openStates(open: readonly JudgedDeposit[]): string[] {
  const counts = new Map<string, number>();
  for (const { deposit, state } of open) {
    const name = `${deposit.kind} ${deposit.watcher} ${state}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `open: ${count} × ${name}`);
}

/** Shows minute by minute what waited. */
function backlogLines(
  { samples, startedAt, messages }: LoadResult,
  done: readonly JudgedDeposit[],
): string[] {
  const lines = samples
    .filter(({ at }) => at % 60 === 0)
    .map(({ at, ready, running, due, oldestDue }, minute) => {
      const now = startedAt + at * 1000;
      const waiting = done.filter(
        ({ confirmedAt, doneAt }) => Number(confirmedAt) <= now && Number(doneAt) > now,
      );
      const sent = (messages[minute + 1] ?? messages.at(-1) ?? 0) - (messages[minute] ?? 0);
      return `  ${String(at / 60).padStart(3)} ${[waiting.length, ready, running, due, oldestDue, sent].map((one) => String(one).padStart(9)).join("")}`;
    });
  return ["  min  confirmed    ready  running      due   oldest messages/min", ...lines];
}

/** Shows the statements that took the database most time. */
function statementLines({ statements }: LoadResult): string[] {
  const all = [...statements].sort(([, a], [, b]) => b.ms - a.ms);
  const total = all.reduce((sum, [, { ms }]) => sum + ms, 0);
  const lines = all.slice(0, MAX_STATEMENTS).map(([text, { count, ms }]) => {
    const name = text.replaceAll(/\s+/g, " ").replaceAll('"', "").slice(0, 110);
    return `  ${(ms / 1000).toFixed(1).padStart(7)} s ${String(count).padStart(8)} ${(ms / count).toFixed(2).padStart(8)} ms  ${name}`;
  });
  return [`real time of the database: ${(total / 1000).toFixed(1)} s, of it`, ...lines];
}

function costLines({ figures, verdict, options, startedAt, samples }: LoadResult): string[] {
  const per = (count: number): string => (count / Math.max(1, verdict.sent)).toFixed(2).padStart(7);
  const minutes = ((samples.at(-1)?.at ?? 0) * 1000) / MINUTE_MS;
  const lines = [...figures].map(([kind, { invocations, requests, most, longestMs }]) => {
    const { rpc, db, redis, provider, queue } = requests;
    const counts = [rpc, db, redis, provider, queue].map(per).join("");
    return `  ${kind.padEnd(16)} ${String(invocations).padStart(7)}${counts} ${String(most).padStart(6)} ${(longestMs / 1000).toFixed(1).padStart(8)} s`;
  });
  return [
    `seed ${options.seed}, ${minutes.toFixed(0)} simulated minutes from ${new Date(startedAt).toISOString()}; latencies ${JSON.stringify(options.latencies)}`,
    "  invocation         number    rpc     db  redis provider  queue  (each per deposit)   most  longest",
    ...lines,
  ];
}
