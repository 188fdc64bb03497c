/**
 * Sends generated requests while nodes, database and Redis fail, alone and together, and checks each answer. An
 * outage may show as 502, 503 or 504, but never as a plain 500 or an undeclared shape, and invalid input must stay
 * invalid. After the outages the service must work again.
 *
 *   node scripts/stress/chaos.ts
 *   node scripts/stress/chaos.ts --requests 20000 --seed 42
 */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { readArguments } from "../command.ts";
import { ApiContract } from "../smoke/api-contract.ts";
import { sendRequest } from "../smoke/http-request.ts";
import { bootStack } from "../stack/boot.ts";
import { faultKinds } from "../stack/emulators/control.ts";
import type { StackManifest } from "../stack/manifest.ts";
import { readKnownValues } from "./fuzz/known-values.ts";
import { describeReport, type FuzzReport, fuzz } from "./fuzz/run-fuzz.ts";

const { values: options } = readArguments({
  help: `Sends generated requests while nodes, database and Redis fail, alone and together, and checks each answer.

  node scripts/stress/chaos.ts [--requests 6000] [--seed <number>]

  --requests  number of requests
  --seed      seed of the requests; default: a new one
  --help      show this text`,
  options: {
    requests: { type: "string", default: "6000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
  },
});
const seed = Number(options.seed);
/** Duration of one combination of failures. */
const OUTAGE_MS = 400;

interface Outages {
  stop(): Promise<void>;
}

/** Makes the emulators fail in one combination after another until stopped. */
function startOutages({ emulators }: StackManifest): Outages {
  const urls = [emulators.neon, emulators.upstash, ...Object.values(emulators.rpc)];
  const fault = fc.record({
    kind: fc.constantFrom(...faultKinds),
    ms: fc.constantFrom(0, 0, 20, 200),
    status: fc.constantFrom(429, 500, 503),
    match: fc.constantFrom(
      "",
      "",
      "eth_call",
      "eth_simulateV1",
      "eth_getTransactionReceipt",
      "set",
      "insert",
      "select",
    ),
    count: fc.constantFrom(null, 1, 3),
  });
  const faults = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(fault, { maxLength: 2 }) },
  );
  const forecast = fc.sample(fc.tuple(...urls.map(() => faults)), { numRuns: 500, seed });
  const set = (url: string, value: unknown) => sendRequest(`${url}/__control`, { body: { faults: value } });
  let stopped = false;
  const work = (async () => {
    for (let epoch = 0; !stopped; epoch += 1) {
      const now = forecast[epoch % forecast.length] ?? [];
      await Promise.all(urls.map((url, index) => set(url, now[index] ?? [])));
      await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS));
    }
    await Promise.all(urls.map((url) => set(url, [])));
  })();
  const stop = () => {
    stopped = true;
    return work;
  };
  return { stop };
}

async function endure(stack: StackManifest): Promise<FuzzReport[]> {
  const [contract, known] = [await ApiContract.of(stack.api), await readKnownValues(stack)];
  const plan = { origin: stack.api, contract, known, credentials: {}, seed };
  const weather = startOutages(stack);
  const stormy = await fuzz({ ...plan, requests: Number(options.requests), outages: true });
  await weather.stop();
  const calm = await fuzz({ ...plan, requests: 300, outages: false });
  return [...stormy, ...calm.filter(({ failure }) => failure !== null)];
}

const startedAt = performance.now();
const stack = await bootStack({ quiet: true });
const reports = await endure(stack.manifest).finally(() => stack.close());
for (const report of reports) console.log(describeReport(report));
const failed = reports.filter(({ failure }) => failure !== null).length;
const total = reports.reduce((sum, { requests }) => sum + requests, 0);
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(`${total} requests during outages, ${failed} operations failed, seed ${seed}, ${seconds} s`);
process.exit(failed === 0 ? 0 : 1);
