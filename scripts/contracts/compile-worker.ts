/** A thread that compiles what it is handed, one job after the other. */
import { parentPort } from "node:worker_threads";
import { type CompileJob, compile } from "./compile.ts";

parentPort?.on("message", (job: CompileJob) => {
  parentPort?.postMessage(compile(job));
});
