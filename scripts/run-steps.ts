import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";

export interface Step {
  name: string;
  /** A command line; the project's own tools are found first. */
  command: string;
}

/** Steps of which each waits for the one before. */
export type Lane = readonly Step[];

interface Failure {
  step: Step;
  code: number;
  seconds: string;
}

/**
 * Runs stages one after the other and exits with the first failure's code. A stage is a step, whose output comes as
 * it is, or lanes that run at the same time, with each line after the name of its step. A lane ends with its first
 * failure; the others go on to their end, so that all failures are told.
 */
export async function runSteps(title: string, stages: readonly (Step | readonly Lane[])[]): Promise<void> {
  const startedAt = performance.now();
  for (const stage of stages) {
    const [first, ...others] = await runStage(stage);
    if (first === undefined) continue;
    for (const { step, seconds } of [first, ...others])
      console.error(`\n${title}: ${step.name} failed after ${seconds} s (${step.command})`);
    process.exit(first.code);
  }
  console.log(`\n${title}: passed in ${secondsSince(startedAt)} s`);
}

async function runStage(stage: Step | readonly Lane[]): Promise<Failure[]> {
  const failures =
    "command" in stage
      ? [await runLane([stage], "inherit")]
      : await Promise.all(stage.map((lane) => runLane(lane, "pipe")));
  return failures.filter((failure) => failure !== null);
}

/** The failure that ended the lane, or null. */
async function runLane(lane: Lane, output: "inherit" | "pipe"): Promise<Failure | null> {
  for (const step of lane) {
    const startedAt = performance.now();
    console.log(`\n── ${step.name}`);
    const code = await run(step, output);
    const seconds = secondsSince(startedAt);
    if (code !== 0) return { step, code, seconds };
    console.log(`── ${step.name}: ${seconds} s`);
  }
  return null;
}

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1);

function run({ name, command }: Step, output: "inherit" | "pipe"): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ["inherit", output, output] });
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) prefix(stream, name);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

function prefix(stream: Readable, name: string): void {
  createInterface({ input: stream }).on("line", (line) => console.log(`${name} │ ${line}`));
}
