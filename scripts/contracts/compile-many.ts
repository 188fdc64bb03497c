import { once } from "node:events";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type CompiledContract, type CompileJob, readCompiled } from "./compile.ts";

const root = join(import.meta.dirname, "../..");

type Contracts = Map<string, CompiledContract>;

/**
 * Compiles jobs on all processors, the longest first, and skips cached ones. Returns the results in the order of the
 * jobs. Throws as `compile` does.
 */
export async function compileMany(jobs: readonly CompileJob[]): Promise<Contracts[]> {
  const results: Contracts[] = [];
  const waiting: [number, CompileJob][] = [];
  for (const [index, job] of jobs.entries()) {
    const known = readCompiled(job);
    if (known === null) waiting.push([index, job]);
    else results[index] = known;
  }
  waiting.sort(([, a], [, b]) => workOf(a) - workOf(b));
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
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), waiting.length) }, work));
  return results;
}

/** Estimates a job's relative duration: the optimizer multiplies the compile time. */
function workOf({ sources, optimizer }: CompileJob): number {
  const bytes = sources.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  return optimizer === null ? bytes : bytes * 10;
}

/** Sends one job to a worker thread and returns its result; rethrows the worker's error. */
async function answerOf(worker: Worker, job: CompileJob): Promise<Contracts> {
  const answered = once(worker, "message");
  worker.postMessage(job);
  const [compiled] = await answered;
  return compiled as Contracts;
}
