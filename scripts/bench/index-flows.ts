/** Benchmark process that indexes a chain and reports duration and memory. Run with --expose-gc. */
import { createContext, createRuntime } from "../../src/context.ts";
import { backfillFromMessage } from "../../src/flows/backfill-flows.ts";
import { indexerOf } from "../../src/flows/flow-store.ts";
import { indexChain } from "../../src/flows/index-flows.ts";
import { reindexChain } from "../../src/flows/reindex-chain.ts";

/**
 * Input of the process: the Worker's environment, the chain and the work. `all` indexes everything at full speed; `run`
 * discards what is indexed, then makes one limited run and measures its memory.
 */
export interface IndexInput {
  variables: Record<string, string>;
  chainId: number;
  work: "all" | "run";
}

/**
 * Duration in seconds, and largest growth of the heap in MiB: `usedMb` with objects that are not yet garbage-collected,
 * `liveMb` without them (0 for `all`).
 */
export interface IndexReport {
  seconds: number;
  liveMb: number;
  usedMb: number;
}

const MB = 1024 * 1024;

async function main({ variables, chainId, work }: IndexInput): Promise<IndexReport> {
  const collect = (globalThis as { gc?: () => void }).gc ?? (() => undefined);
  const request = { requestId: () => "bench", clientAddress: "unknown", waitUntil: () => undefined };
  const context = () => createContext(createRuntime(variables), request);
  const ctx = context();
  if (work === "run") await indexerOf(ctx, chainId).store.rewind(0);
  collect();
  const before = process.memoryUsage().heapUsed;
  const heap = { live: 0, used: 0 };
  const sampleHeap = (): void => {
    heap.used = Math.max(heap.used, process.memoryUsage().heapUsed - before);
    if (work === "all") return;
    collect();
    heap.live = Math.max(heap.live, process.memoryUsage().heapUsed - before);
  };
  const timer = setInterval(sampleHeap, 20);
  const startedAt = performance.now();
  await (work === "all" ? indexAll() : runOnce());
  const seconds = (performance.now() - startedAt) / 1000;
  clearInterval(timer);
  return { seconds, liveMb: heap.live / MB, usedMb: heap.used / MB };

  async function indexAll(): Promise<void> {
    await reindexChain(ctx, { chainId, from: null, onProgress: () => undefined });
  }

  /** Runs one cron tick, then one queue message, as two invocations of the Worker. */
  async function runOnce(): Promise<void> {
    const { indexed } = await indexChain(context(), chainId);
    await backfillFromMessage(context(), { chain_id: chainId, from: 0, to: indexed });
  }
}

process.once("message", (input: IndexInput) => {
  main(input).then(
    (report) => process.send?.({ report }, () => process.exit(0)),
    (error: unknown) => process.send?.({ error: String(error) }, () => process.exit(1)),
  );
});
