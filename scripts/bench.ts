/**
 * Measures the production bundle in workerd on the local stack and prints ratios. Both sides of a ratio take turns
 * within one run, so that the machine's speed cancels out. A slow result fails nothing.
 *
 *   node scripts/bench.ts                      everything
 *   node scripts/bench.ts --only positions     or detail, routes, withdrawals, prices, bundle, flows, following, registry
 *   node scripts/bench.ts --only flows --events 200000
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { benchBundle } from "./bench/bundle.ts";
import { benchConsole } from "./bench/console-bundle.ts";
import { benchFlows, flowColumns } from "./bench/flows.ts";
import { benchFollowing, followingColumns } from "./bench/following.ts";
import { benchPositions, positionColumns } from "./bench/positions.ts";
import { benchPrices, priceColumns } from "./bench/price-reads.ts";
import { benchProofs, proofColumns } from "./bench/proofs.ts";
import { benchBuild, benchRoutes, buildColumns, routeColumns } from "./bench/routes.ts";
import { printTable } from "./bench/table.ts";
import { benchVaultDetail, detailColumns } from "./bench/vault-detail.ts";
import { benchWithdrawals, withdrawalColumns } from "./bench/withdrawals.ts";
import { runSecondWorker } from "./bench/workers.ts";
import { oneOf, readArguments } from "./command.ts";
import { bootStack } from "./stack/boot.ts";
import type { StackManifest } from "./stack/manifest.ts";

/** Parts that are measured on one local stack. */
const partsOnStack = ["positions", "detail", "routes", "withdrawals", "prices"] as const;
/** Those of them that share one Worker. */
const partsOnWorker = ["detail", "routes", "withdrawals"] as const;
const parts = [...partsOnStack, "flows", "following", "registry", "bundle"] as const;
const { values: options } = readArguments({
  help: `Measures the production bundle on the local stack and prints each figure with its target.

  npm run bench [-- --only <part>] [--events <number>]

  --only    one part: ${parts.join(", ")}
  --events  number of flow events to index; default: 20000
  --help    show this text

A slow result fails nothing.`,
  options: { only: { type: "string" }, events: { type: "string", default: "20000" } },
});
const only = oneOf(parts, { option: "only", given: options.only });
const wanted = (part: (typeof parts)[number]): boolean => only === null || only === part;

async function measure(folder: string, stack: StackManifest): Promise<void> {
  const chainIds = stack.chains.map(({ chain_id }) => chain_id);
  const worker = await runSecondWorker(folder, { stack, name: "bench", chainIds });
  try {
    if (wanted("routes")) {
      const routes = await benchRoutes(worker.origin, stack);
      printTable("Requests to outside systems, first in an isolate", routeColumns, routes);
      const builds = await benchBuild(worker, stack);
      printTable("POST /v1/quote/build, chains and stores on this machine", buildColumns, builds);
    }
    if (wanted("withdrawals")) {
      const rows = await benchWithdrawals(worker, stack);
      printTable("The way out, nodes far away", withdrawalColumns, rows);
    }
    if (wanted("detail")) {
      const routed = await runSecondWorker(folder, { stack, name: "routed", chainIds, assets: "in front" });
      try {
        const vault = stack.vaults.find(({ name }) => name === "Local Prime USDC");
        const path = `/v1/vaults/${vault?.vault_id}`;
        const rows = await benchVaultDetail(folder, { alone: worker, routed, path });
        printTable("Reading a vault, 8 connections", detailColumns, rows);
      } finally {
        await routed.close();
      }
    }
  } finally {
    await worker.close();
  }
}

async function onStack(): Promise<void> {
  const stack = await bootStack({ quiet: true });
  try {
    if (partsOnWorker.some(wanted)) await measure(folder, stack.manifest);
    if (wanted("prices"))
      printTable("What prices cost a build", priceColumns, await benchPrices(folder, stack.manifest));
    // Last on this stack, because it replaces the registry.
    if (wanted("positions")) {
      printTable(
        "Positions of a user with shares in every vault",
        positionColumns,
        await benchPositions(folder, stack.manifest),
      );
    }
  } finally {
    await stack.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), "causeway-bench-"));
console.log(
  `load average before the start: ${loadavg()
    .map((value) => value.toFixed(1))
    .join(" ")}`,
);
if (partsOnStack.some(wanted)) await onStack();
if (wanted("flows")) printTable("Indexing flows", flowColumns, await benchFlows(Number(options.events)));
if (wanted("following"))
  printTable("Following deposits, the jobs of a minute", followingColumns, await benchFollowing());
if (wanted("registry")) printTable("Proofs of claimed vaults", proofColumns, await benchProofs());
if (wanted("bundle")) {
  printTable("Production bundle", [""], await benchBundle(folder));
  printTable("The console in a browser", [""], await benchConsole());
}
rmSync(folder, { recursive: true, force: true });
