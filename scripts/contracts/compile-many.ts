import { once } from "node:events";
import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { type CompiledContract, type CompileJob, compiledBefore } from "./compile.ts";

const root = join(import.meta.dirname, "../..");

type Contracts = Map<string, CompiledContract>;

/**
 * Compiles on all processors, what is longest first, what was not compiled before; results in the order of the jobs.
 * Throws as `compile` does.
 */
export async function compileMany(jobs: readonly CompileJob[]): Promise<Contracts[]> {
  const results: Contracts[] = [];
  const waiting: [number, CompileJob][] = [];
  for (const [index, job] of jobs.entries()) {
    const known = compiledBefore(job);
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

/** About how long a job takes, next to others: an optimizer takes several times what compiling does. */
function workOf({ sources, optimizer }: CompileJob): number {
  const bytes = sources.reduce((sum, file) => sum + statSync(join(root, file)).size, 0);
  return optimizer === null ? bytes : bytes * 10;
}

/** The worker's answer to one job; a worker that fails throws what it failed with. */
async function answerOf(worker: Worker, job: CompileJob): Promise<Contracts> {
  const answered = once(worker, "message");
  worker.postMessage(job);
  const [compiled] = await answered;
  return compiled as Contracts;
}
