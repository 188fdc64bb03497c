/**
 * Sends direct, swapped, cross-chain and two-step deposits at a steady rate to the embedded stack, which also has many
 * unsent builds. A third of the deposits is polled, a third is reported, and a third is neither. Meanwhile third parties
 * report and abandon deposits, jobs pause, nodes fail and chains reorganize. At the end, every deposit is compared with
 * the chain.
 *
 *   node scripts/stress/load.ts
 *   node scripts/stress/load.ts --rate 20 --seconds 3600 --pause 600 --unsent 100000
 */
import { readArguments } from "../command.ts";
import { startDisturbances } from "../load/disturbances.ts";
import { journeysOf } from "../load/journeys.ts";
import { LoadChain } from "../load/load-chain.ts";
import { checkLoad } from "../load/load-report.ts";
import { LoadRun } from "../load/load-run.ts";
import { copyUnsentBuilds } from "../load/unsent-builds.ts";
import { bootStack } from "../stack/boot.ts";
import { rpc } from "../stack/chains/json-rpc.ts";

const { values: options } = readArguments({
  help: `Sends deposits of every kind at a steady rate to the embedded stack and compares each with the chain.

  node scripts/stress/load.ts [--rate 20] [--seconds 180] [--pause 30] [--unsent 100000] [--round 60] [--grace 150]

  --rate     deposits per second
  --seconds  duration; the deposits of an hour are sent with 3600
  --pause    seconds for which the jobs stand still
  --unsent   builds that nobody sends; they are copied within the database
  --round    seconds between two rounds of the jobs
  --grace    seconds for which the jobs go on after the last deposit
  --help     show this text`,
  options: {
    rate: { type: "string", default: "20" },
    seconds: { type: "string", default: "180" },
    pause: { type: "string", default: "30" },
    unsent: { type: "string", default: "100000" },
    round: { type: "string", default: "60" },
    grace: { type: "string", default: "150" },
  },
});
const { rate, seconds, pause, unsent, round, grace } = Object.fromEntries(
  Object.entries(options).map(([name, text]) => [name, Number(text)]),
) as Record<keyof typeof options, number>;

const startedAt = performance.now();
const stack = await bootStack({ quiet: true });
const { manifest } = stack;
const chains = new Map(manifest.chains.map((chain) => [chain.chain_id, new LoadChain(chain)]));
try {
  const firstBlocks = new Map<number, number>();
  for (const [chainId, chain] of chains) {
    firstBlocks.set(chainId, Number(await rpc(chain.chain.rpc_url, "eth_blockNumber")));
    await chain.start();
  }
  const journeys = journeysOf(manifest);
  const run = new LoadRun({ api: manifest.api, chains, journeys, rate, seconds });
  const built = await run.buildUnsent();
  await copyUnsentBuilds(manifest, { trackingIds: built, count: unsent });
  await run.fundAll();
  console.log(`${unsent} unsent builds of ${built.length} kinds beside ${rate} deposits/s for ${seconds} s`);
  const everyMs = round * 1000;
  const times = { everyMs, totalMs: seconds * 1000, pauseMs: pause * 1000 };
  const disturbed = startDisturbances({ stack, run, chains: [...chains.values()], ...times });
  await run.run();
  console.log(`sent; ${run.late} of ${run.deposits.length} behind the pace; the jobs go on for ${grace} s`);
  await new Promise((resolve) => setTimeout(resolve, grace * 1000));
  await run.finish();
  await disturbed.stop();
  const { deposits } = run;
  const wrong = await checkLoad({
    ...{ api: manifest.api, deposits, chains, firstBlocks, pauses: disturbed.pauses },
  });
  console.log(JSON.stringify(disturbed.counts));
  for (const [text, count] of run.refusals) console.log(`${count} × ${text}`);
  for (const text of wrong.slice(0, 40)) console.log(text);
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
  console.log(`${deposits.length} deposits, ${wrong.length} wrong, ${minutes} min`);
  process.exitCode = wrong.length === 0 && deposits.length > 0 ? 0 : 1;
} finally {
  for (const chain of chains.values()) chain.stop();
  await stack.close();
}
process.exit();
