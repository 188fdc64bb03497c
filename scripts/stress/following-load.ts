/**
 * Plays a load of deposits of every kind in simulated time, on simulated chains and a real Postgres: a third polled, a
 * third reported, a third left alone, beside many unsent builds, while strangers report and abandon, nodes forget, chains
 * reorganize and, for a while, all jobs stand still. Every deposit is recounted from the chains.
 *
 *   node scripts/stress/following-load.ts
 *   node scripts/stress/following-load.ts --rate 20 --seconds 3600 --pause 600
 */
import { readArguments } from "../command.ts";
import { withRealPostgres } from "../db/real-postgres.ts";
import { runVitest } from "../run-vitest.ts";

const { values: options } = readArguments({
  help: `Plays a load of deposits in simulated time and compares every deposit with the chains.

  node scripts/stress/following-load.ts [--rate 20] [--seconds 180] [--pause 30] [--unsent 100000] [--chains 15]
    [--grace 600] [--strangers 2] [--seed 1] [--all-jobs] [--latencies '{"rpc":150,"db":5,"redis":10,"provider":300,"queue":20}']

  --rate       deposits per second
  --seconds    simulated time in which deposits arrive; the deposits of an hour with 3600
  --pause      simulated seconds for which no job and no queue runs
  --unsent     builds that nobody sends
  --chains     number of chains, at most 15
  --grace      simulated seconds after the last deposit, the last two minutes without reorgs and faults; what a node
               hides is found when its blocks are final, after 64 blocks of 6 s
  --strangers  false reports and abandonments per second
  --seed       seed of all that is random
  --all-jobs   run the jobs of a minute that do not track deposits, too
  --latencies  simulated milliseconds of a request to each external system
  --help       show this text`,
  options: {
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "180" },
    pause: { type: "string", default: "30" },
    unsent: { type: "string", default: "100000" },
    chains: { type: "string", default: "15" },
    grace: { type: "string", default: "600" },
    strangers: { type: "string", default: "2" },
    seed: { type: "string", default: "1" },
    "all-jobs": { type: "boolean", default: false },
    latencies: { type: "string", default: '{"rpc":150,"db":5,"redis":10,"provider":300,"queue":20}' },
  },
});
const { "all-jobs": allJobs, latencies, ...numbers } = options;
const settings = {
  ...Object.fromEntries(Object.entries(numbers).map(([name, text]) => [name, Number(text)])),
  ...{ allJobs, disturbed: true, latencies: JSON.parse(latencies) as unknown },
};
const code = await withRealPostgres((_, socketUrl) =>
  runVitest(["--project", "integration", "test/jobs.deposits-load"], {
    FOLLOWING_DATABASE: socketUrl,
    FOLLOWING_LOAD: JSON.stringify(settings),
  }),
);
process.exit(code);
