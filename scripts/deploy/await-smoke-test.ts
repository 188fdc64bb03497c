import { setTimeout as sleep } from "node:timers/promises";
import { smoke } from "../smoke/run-smoke.ts";

const MAX_MS = 15_000;
const PAUSE_MS = 2_000;

/**
 * Repeats the smoke test until it passes: a new address takes a while to respond everywhere. Throws with up to five
 * problems if it still fails after `patienceMs` milliseconds; 0 means one try.
 */
export async function awaitSmokeTest(target: { url: string; patienceMs: number }): Promise<void> {
  const until = performance.now() + target.patienceMs;
  for (;;) {
    const problems = await problemsOf(target.url);
    if (problems.length === 0) return;
    if (performance.now() >= until)
      throw new Error(`the smoke test fails: ${problems.slice(0, 5).join("; ")}`);
    await sleep(PAUSE_MS);
  }
}

async function problemsOf(url: string): Promise<string[]> {
  try {
    // An index that lags is no reason to refuse a version, which may be the one that fixes it.
    const findings = await smoke({ url, maxMs: MAX_MS, maxLag: null });
    return findings.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
