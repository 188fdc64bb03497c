import { once } from "node:events";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { CompiledContract } from "./compile.ts";
import type { ContractTarget } from "./targets.ts";

export type CompileJob = Pick<ContractTarget, "sources" | "optimizerRuns">;

/** Compiles on all processors, what is longest first; results in the order of the jobs. Throws as `compile` does. */
export async function compileMany(jobs: readonly CompileJob[]): Promise<Map<string, CompiledContract>[]> {
  const sizeOf = ({ sources }: CompileJob) => sources.reduce((sum, file) => sum + statSync(file).size, 0);
  const waiting = [...jobs.entries()].sort(([, a], [, b]) => sizeOf(a) - sizeOf(b));
  const results: Map<string, CompiledContract>[] = [];
  const work = async (): Promise<void> => {
    const worker = new Worker(join(import.meta.dirname, "compile-worker.ts"));
    try {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const [index, job] = next;
        results[index] = await answerOf(worker, job);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), jobs.length) }, work));
  return results;
}

/** The worker's answer to one job; a worker that fails throws what it failed with. */
async function answerOf(worker: Worker, job: CompileJob): Promise<Map<string, CompiledContract>> {
  const answered = once(worker, "message");
  worker.postMessage(job);
  const [compiled] = await answered;
  return compiled as Map<string, CompiledContract>;
}
