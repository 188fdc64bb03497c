import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Address } from "viem";

/** Versions of Ponder, the indexer used for comparison, and of its peer dependencies. */
const PACKAGES = { ponder: "0.16.10", hono: "4.13.19", viem: "2.57.1" } as const;
const POLL_MS = 100;
const PATIENCE_MS = 60 * 60_000;

const SCHEMA = `import { onchainTable } from "ponder";
export const flow = onchainTable("flow", (t) => ({
  id: t.text().primaryKey(), txHash: t.hex().notNull(), logIndex: t.integer().notNull(), vault: t.hex().notNull(),
  user: t.hex().notNull(), kind: t.text().notNull(), assets: t.bigint().notNull(), shares: t.bigint().notNull(),
  blockNumber: t.bigint().notNull(), blockHash: t.hex().notNull(),
}));
`;
const HANDLERS = `import { ponder } from "ponder:registry";
import { flow } from "ponder:schema";
const row = (event, kind, sign) => ({
  id: event.id, txHash: event.transaction.hash, logIndex: event.log.logIndex, vault: event.log.address,
  user: event.args.owner, kind, assets: sign * event.args.assets, shares: sign * event.args.shares,
  blockNumber: event.block.number, blockHash: event.block.hash,
});
ponder.on("Vault:Deposit", async ({ event, context }) => {
  await context.db.insert(flow).values(row(event, "deposit", 1n));
});
ponder.on("Vault:Withdraw", async ({ event, context }) => {
  await context.db.insert(flow).values(row(event, "withdrawal", -1n));
});
`;
const API = `import { Hono } from "hono";
export default new Hono();
`;

/** The database, in whose schema `bench` Ponder writes, and the chain and vaults that it indexes. */
export interface PonderInput {
  databaseUrl: string;
  chainId: number;
  /** RPC URL of the chain's node. */
  node: string;
  vaults: readonly Address[];
  abi: readonly unknown[];
  /** Exact number of events after which the run is complete. */
  events: number;
}

/**
 * Runs Ponder until all events are stored and returns its duration in seconds: `all` from its start, `reading` from its
 * first read of the chain (from its start if it does not log that). Null if it cannot be installed. Throws if Ponder
 * exits before, or does not finish within an hour.
 */
export async function runPonder(input: PonderInput): Promise<{ all: number; reading: number } | null> {
  const folder = install();
  if (folder === null) return null;
  rmSync(join(folder, ".ponder"), { recursive: true, force: true });
  mkdirSync(join(folder, "src/api"), { recursive: true });
  writeFileSync(join(folder, "ponder.config.ts"), configOf(input));
  writeFileSync(join(folder, "ponder.schema.ts"), SCHEMA);
  writeFileSync(join(folder, "src/index.ts"), HANDLERS);
  writeFileSync(join(folder, "src/api/index.ts"), API);
  const logFile = join(folder, "ponder.log");
  const log = openSync(logFile, "w");
  const startedAt = Date.now();
  const bin = join(folder, "node_modules/ponder/dist/esm/bin/ponder.js");
  const args = [bin, "start", "--schema", "bench", "--port", "0", "--log-format", "json"];
  const env = { ...process.env, PONDER_TELEMETRY_DISABLED: "true", NODE_OPTIONS: "" };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", log, log] });
  try {
    await untilStored(input, { child, logFile });
    const endedAt = Date.now();
    const readingFrom = firstReadOf(readFileSync(logFile, "utf8")) ?? startedAt;
    return { all: (endedAt - startedAt) / 1000, reading: (endedAt - readingFrom) / 1000 };
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGKILL")) await ended;
  }
}

/**
 * Installs Ponder into a separate folder, because as a dependency it would slow down every installation. Returns null
 * if that fails.
 */
function install(): string | null {
  const folder = join(tmpdir(), `causeway-ponder-${PACKAGES.ponder}`);
  if (existsSync(join(folder, "node_modules/ponder"))) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, type: "module", dependencies: PACKAGES }),
  );
  const done = spawnSync("npm", ["install", "--no-audit", "--no-fund"], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (done.status === 0) return folder;
  console.log(
    `Ponder ${PACKAGES.ponder} cannot be installed here: ${(done.stderr ?? "").trim().slice(-300)}`,
  );
  rmSync(folder, { recursive: true, force: true });
  return null;
}

const configOf = ({ databaseUrl, chainId, node, vaults, abi }: PonderInput): string =>
  `import { createConfig } from "ponder";
export default createConfig({
  database: { kind: "postgres", connectionString: ${JSON.stringify(databaseUrl)} },
  chains: { bench: { id: ${chainId}, rpc: ${JSON.stringify(node)}, disableCache: true } },
  contracts: { Vault: { chain: "bench", abi: ${JSON.stringify(abi)}, address: ${JSON.stringify(vaults)}, startBlock: 0 } },
});
`;

/** Waits until every event is stored. Throws with Ponder's last output if it exits before. */
async function untilStored(
  { databaseUrl, events }: PonderInput,
  { child, logFile }: { child: ChildProcess; logFile: string },
): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until; ) {
      const count = await client
        .query<{ count: string }>("select count(*) from bench.flow")
        .then(({ rows }) => Number(rows[0]?.count))
        .catch(() => 0);
      if (count === events) return;
      if (child.exitCode !== null)
        throw new Error(`Ponder ended: ${readFileSync(logFile, "utf8").slice(-800)}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    throw new Error("Ponder did not come to the end");
  } finally {
    await client.end();
  }
}

/**
 * Returns the time at which Ponder started to read the chain, in unix milliseconds, from its log. Null if the first line
 * about that has no valid time, or there is none.
 */
export function firstReadOf(log: string): number | null {
  const line = log.split("\n").find((one) => /backfill|historical sync/i.test(one)) ?? "";
  const time = /"time":"?([\d\-:.TZ]+)"?/.exec(line)?.[1] ?? "";
  const at = /^\d+$/.test(time) ? Number(time) : Date.parse(time);
  return Number.isNaN(at) ? null : at;
}
