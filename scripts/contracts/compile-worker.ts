/** Worker thread that compiles the jobs it receives, one at a time. */
import { parentPort } from "node:worker_threads";
import { type CompileJob, compile } from "./compile.ts";

parentPort?.on("message", (job: CompileJob) => {
  parentPort?.postMessage(compile(job));
});
