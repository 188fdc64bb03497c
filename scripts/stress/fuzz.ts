/**
 * Sends generated requests, valid and invalid, to every operation of the OpenAPI document and checks each answer.
 *
 *   node scripts/stress/fuzz.ts                       60,000 requests, some 20,000 of them invalid
 *   node scripts/stress/fuzz.ts --requests 100000 --seed 42
 *   node scripts/stress/fuzz.ts --stack .stack/stack.json
 *
 * Fails on a server error (5xx), on an answer that the document does not declare, and on an accepted request that the
 * document forbids.
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { readArguments } from "../command.ts";
import { ApiContract } from "../smoke/api-contract.ts";
import { bootStack } from "../stack/boot.ts";
import type { StackManifest } from "../stack/manifest.ts";
import { credentialsOf } from "./fuzz/credentials.ts";
import { readKnownValues } from "./fuzz/known-values.ts";
import { describeReport, type FuzzReport, fuzz } from "./fuzz/run-fuzz.ts";

const { values: options } = readArguments({
  help: `Sends generated requests, valid and invalid, to every operation of the OpenAPI document and checks each answer.

  node scripts/stress/fuzz.ts [--requests 60000] [--seed <number>] [--stack <path>]

  --requests  number of requests
  --seed      seed of the requests; default: a new one
  --stack     stack.json of a running stack; default: starts its own
  --help      show this text`,
  options: {
    requests: { type: "string", default: "60000" },
    seed: { type: "string", default: String(randomInt(2 ** 31)) },
    stack: { type: "string" },
  },
});

async function attack(stack: StackManifest): Promise<FuzzReport[]> {
  const [contract, known, credentials] = [
    await ApiContract.of(stack.api),
    await readKnownValues(stack),
    await credentialsOf(stack),
  ];
  const [requests, seed] = [Number(options.requests), Number(options.seed)];
  return fuzz({ origin: stack.api, contract, known, credentials, requests, seed, outages: false });
}

async function onOwnStack(): Promise<FuzzReport[]> {
  const stack = await bootStack({ quiet: true });
  try {
    return await attack(stack.manifest);
  } finally {
    await stack.close();
  }
}

const startedAt = performance.now();
const reports =
  options.stack === undefined
    ? await onOwnStack()
    : await attack(JSON.parse(readFileSync(options.stack, "utf8")) as StackManifest);
for (const report of reports) console.log(describeReport(report));
const total = (count: (report: FuzzReport) => number) =>
  reports.reduce((sum, report) => sum + count(report), 0);
const failed = total(({ failure }) => (failure === null ? 0 : 1));
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
console.log(
  `${total(({ requests }) => requests)} requests, ${total(({ wrong }) => wrong)} of them wrong by the document, ` +
    `${failed} operations failed, seed ${options.seed}, ${seconds} s`,
);
process.exit(failed === 0 ? 0 : 1);
