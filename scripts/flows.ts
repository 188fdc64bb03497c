/** `npm run flows -- …`: indexes a chain's deposits and withdrawals from the terminal. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { createContext, createRuntime } from "../src/context.ts";
import { type ReindexProgress, reindexChain } from "../src/flows/reindex-chain.ts";
import { runCommand, UsageError } from "./command.ts";

const HELP = `Indexes the missing deposits and withdrawals of a chain.

  npm run flows -- --chain 8453            all missing blocks, up to the head
  npm run flows -- --chain 8453 --from 1   all blocks from 1 on again

  --help  show this text

Environment: the Worker's variables; without DATABASE_URL, the local stack of npm start.`;

const Manifest = z.object({
  api: z.string(),
  database_url: z.string(),
  redis_token: z.string(),
  emulators: z.object({ neon: z.string(), upstash: z.string(), rpc: z.record(z.string(), z.string()) }),
  chains: z.array(z.object({ chain_id: z.int(), name: z.string() })),
});

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns `environment` if it has `DATABASE_URL`, otherwise the Worker's variables for the local stack whose
 * `stack.json` is in `folder`. Throws if that file is absent or invalid.
 */
export function variablesOf(environment: Environment, folder: string): Environment {
  if ((environment["DATABASE_URL"] ?? "") !== "") return environment;
  const file = join(folder, "stack.json");
  if (!existsSync(file))
    throw new Error(
      "set DATABASE_URL and the Worker's other variables, or start the local stack with npm start",
    );
  const { api, database_url, redis_token, emulators, chains } = Manifest.parse(
    JSON.parse(readFileSync(file, "utf8")),
  );
  const settings = chains.map(({ chain_id, name }) => ({
    chain_id,
    name,
    key: name,
    rpc_urls: [emulators.rpc[chain_id]],
    native: { symbol: "ETH", decimals: 18 },
  }));
  return {
    DATABASE_URL: database_url,
    DATABASE_HTTP_URL: `${emulators.neon}/sql`,
    UPSTASH_REDIS_REST_URL: emulators.upstash,
    UPSTASH_REDIS_REST_TOKEN: redis_token,
    PUBLIC_URL: api,
    CHAINS: JSON.stringify(settings),
  };
}

/** Formats progress as one line: a bar, the share of blocks and the number of events so far. */
export function progressLine({ done, of, rows }: ReindexProgress, width = 40): string {
  const share = of === 0 ? 1 : done / of;
  const filled = Math.round(share * width);
  const percent = `${(share * 100).toFixed(1)} %`.padStart(7);
  return `[${"#".repeat(filled)}${".".repeat(width - filled)}] ${percent}  ${done} of ${of} blocks, ${rows} events`;
}

function readBlock(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${text} is not a number`);
  return Number(text);
}

async function main(values: ReadonlyMap<string, string>): Promise<void> {
  const [chain, start] = [values.get("chain"), values.get("from")];
  if (chain === undefined) throw new UsageError("--chain is missing");
  const chainId = readBlock(chain);
  const from = start === undefined ? null : readBlock(start);
  const variables = variablesOf(process.env, join(import.meta.dirname, "../.stack"));
  const request = { requestId: () => "flows", clientAddress: "unknown", waitUntil: () => undefined };
  const ctx = createContext(createRuntime(variables), request);
  const onProgress = (progress: ReindexProgress) => {
    if (process.stdout.isTTY) process.stdout.write(`\r${progressLine(progress)}`);
    else console.log(progressLine(progress));
  };
  const last = await reindexChain(ctx, { chainId, from, onProgress });
  console.log(`${process.stdout.isTTY ? "\n" : ""}chain ${chainId} is complete: ${last.rows} events read`);
}

await runCommand(import.meta.filename, {
  help: HELP,
  switches: [],
  options: ["chain", "from"],
  run: (_given, values) => main(values),
});
