/**
 * Runs random schedules of sent, forged and reported deposits, reorgs, killed runs and faulty nodes on simulated chains,
 * and compares every deposit with its true state, derived from the chains.
 *
 *   node scripts/stress/following.ts
 *   node scripts/stress/following.ts --schedules 10000 --seed 1 --failures 5
 */
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Plays random schedules of deposits over simulated chains and recounts every deposit from the chains.

  node scripts/stress/following.ts [--schedules 10000] [--seed 1] [--failures 5]

  --schedules  number of schedules
  --seed       seed of the first; the others count on from it
  --failures   failing schedules after which it gives up; the events of each are printed
  --help       show this text`,
  options: {
    schedules: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    failures: { type: "string", default: "5" },
  },
});
// A real server takes a sixth of the processor time that the embedded database takes.
const code = await withRealPostgres((_, socketUrl) =>
  runVitest(["--project", "integration", "test/jobs.deposits.integration"], {
    FOLLOWING_DATABASE: socketUrl,
    FOLLOWING_SCHEDULES: options.schedules,
    FOLLOWING_SEED: options.seed,
    FOLLOWING_FAILURES: options.failures,
  }),
);
process.exit(code);
