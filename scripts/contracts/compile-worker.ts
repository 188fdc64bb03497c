/** A thread that compiles what it is handed, one job after the other. */
import { parentPort } from "node:worker_threads";
import { compile } from "./compile.ts";
import type { CompileJob } from "./compile-many.ts";

parentPort?.on("message", ({ sources, optimizerRuns }: CompileJob) => {
  parentPort?.postMessage(compile(sources, optimizerRuns));
});
