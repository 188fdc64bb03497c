import { spawn } from "node:child_process";

export interface Step {
  name: string;
  /** A command line; the project's own tools are found first. */
  command: string;
}

/** Runs steps one after the other, their output as it comes, and exits with the first failure's code. */
export async function runSteps(title: string, steps: readonly Step[]): Promise<void> {
  const startedAt = performance.now();
  for (const step of steps) {
    const stepStartedAt = performance.now();
    console.log(`\n── ${step.name}`);
    const code = await run(step.command);
    const seconds = ((performance.now() - stepStartedAt) / 1000).toFixed(1);
    if (code !== 0) {
      console.error(`\n${title}: ${step.name} failed after ${seconds} s (${step.command})`);
      process.exit(code);
    }
    console.log(`── ${step.name}: ${seconds} s`);
  }
  console.log(`\n${title}: passed in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
}

function run(command: string): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: "inherit" });
    child.on("close", (code) => resolve(code ?? 1));
  });
}
