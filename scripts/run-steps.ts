import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** One command of a run. */
export interface Step {
  name: string;
  /** A command line; executables of node_modules come first on its path. */
  command: string;
}

/** Steps that run one after the other. */
export type Lane = readonly Step[];

interface Failure {
  step: Step;
  code: number;
  seconds: string;
  /** Last lines of the output, in which a test runner names the failures. Empty if the output was passed through. */
  lastLines: readonly string[];
}

const KEPT_LINES = 80;

/**
 * Runs stages one after the other and exits with the code of the first failure. A stage is either one step, whose
 * output is passed through, or several lanes in parallel, whose lines are prefixed with the step's name. A lane stops
 * at its first failure; the other lanes finish, so that all failures are reported. The end of what a failed step printed
 * comes last, because it may stand thousands of lines above and a CI log keeps only its end.
 */
export async function runSteps(title: string, stages: readonly (Step | readonly Lane[])[]): Promise<void> {
  const startedAt = performance.now();
  for (const stage of stages) {
    const [first, ...others] = await runStage(stage);
    if (first === undefined) continue;
    for (const { step, seconds, lastLines } of [first, ...others])
      console.error(
        [`\n${title}: ${step.name} failed after ${seconds} s (${step.command})`, ...lastLines].join(
          `\n${step.name} │ `,
        ),
      );
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

/** Returns the failure that stopped the lane, or null. */
async function runLane(lane: Lane, output: "inherit" | "pipe"): Promise<Failure | null> {
  for (const step of lane) {
    const startedAt = performance.now();
    console.log(`\n── ${step.name}`);
    const lastLines: string[] = [];
    const code = await run(step, { output, lastLines });
    const seconds = secondsSince(startedAt);
    if (code !== 0) return { step, code, seconds, lastLines };
    console.log(`── ${step.name}: ${seconds} s`);
  }
  return null;
}

const secondsSince = (startedAt: number): string => ((performance.now() - startedAt) / 1000).toFixed(1);

function run(
  step: Step,
  { output, lastLines }: { output: "inherit" | "pipe"; lastLines: string[] },
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(step.command, { shell: true, stdio: ["inherit", output, output] });
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        console.log(`${step.name} │ ${line}`);
        lastLines.push(line);
        if (lastLines.length > KEPT_LINES) lastLines.shift();
      });
    }
    child.on("close", (code) => resolve(code ?? 1));
  });
}
