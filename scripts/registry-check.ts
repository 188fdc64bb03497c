/** `npm run registry:check`: prints claims, proofs and refusals, and with `--chain` compares rows with their contracts. */
import { existsSync } from "node:fs";
import type { ChainClient } from "../src/chains/chain-client.ts";
import { isReviewed } from "../src/registry/proofs/decide-vault-proof.ts";
import { runCommand, UsageError } from "./command.ts";
import { targetFromEnvironment } from "./db/connect.ts";
import { type CheckedRow, checkRow } from "./registry/check-row.ts";
import { compareRouter, openChain } from "./registry/registry-chain.ts";
import { formatClaims, formatReport } from "./registry/report-table.ts";
import { databaseStore, fileStore, type RowStore } from "./registry/row-store.ts";

const HELP = `Prints the registry's claims with their proofs and refusals. With --chain it compares the chain's rows with
their contracts: code, family, asset, decimals, share token, entry point, spender, pricer and accepted tokens; and checks
the code of the DepositRouter.

  npm run registry:check -- [--state <state>] [--file <path>]
  npm run registry:check -- --chain <id> [--rpc <url>] [--vault <address>] [--file <path>] [--write]

  --state  only rows of this state: candidate, active, refused, paused or unsupported
  --rpc    the node to use; default: the chain's public nodes
  --vault  only this vault
  --file   a seed file; default: the database in DATABASE_URL, else drizzle/seed/vaults.json
  --write  store what was read of the vaults that passed and are not open, as candidates whose proof is due now: it
           opens them if a simulated deposit succeeds. Except those that an administrator disabled, and those that
           were discovered or imported from a public list
  --help   show this text

Exits with 1 when the chain contradicts a supported row, or the Router's address holds other code.`;

/**
 * Result of comparing a chain's registry rows and its DepositRouter with the chain, and the vaults that were submitted.
 */
export interface RegistryReport {
  /** The code at the Router's address: the expected code, none, or other code (then nothing is submitted). */
  router: "right" | "absent" | "differs";
  checked: CheckedRow[];
  /** Lowercase addresses of the vaults that became candidates for a proof; empty without `write`. */
  submitted: string[];
}

/**
 * Compares the registry rows of the client's chain with that chain: all rows, or those of the address `vault` and the
 * status `state`. With `write`, vaults that passed and are not yet open become candidates with the columns that were read,
 * and their proof is due at once, unless the Router's address has unexpected code. This comparison opens no vault, because
 * it simulates no deposit. Discovered and imported vaults are left alone: nobody has reviewed them. Errors of the chain client and the store propagate.
 */
export async function checkRegistry(
  client: ChainClient,
  asked: { store: RowStore; vault: string | null; state?: string | null; write: boolean },
): Promise<RegistryReport> {
  const { store, vault, state = null, write } = asked;
  const router = await compareRouter(client);
  const all = await store.rows(client.definition.chainId);
  const rows = all
    .filter(({ address }) => vault === null || address === vault.toLowerCase())
    .filter(({ status }) => state === null || status === state);
  const checked: CheckedRow[] = [];
  // Sequential, because public nodes limit the request rate.
  for (const row of rows) checked.push(await checkRow(client, row));
  const submitted: string[] = [];
  for (const { row, verdict, found } of checked) {
    if (!write || router === "differs" || verdict !== "derived" || found === null) continue;
    if (row.provenance !== undefined && !isReviewed({ provenance: row.provenance })) continue;
    if (await store.submit({ row, ...found })) submitted.push(row.address);
  }
  return { router, checked, submitted };
}

async function main(given: ReadonlySet<string>, values: ReadonlyMap<string, string>): Promise<void> {
  const state = values.get("state") ?? null;
  if (!values.has("chain")) {
    const all = await storeOf(values.get("file")).rows(null);
    const rows = all.filter(({ status }) => state === null || status === state);
    console.log(formatClaims(rows));
    return;
  }
  const chainId = Number(values.get("chain"));
  if (!Number.isSafeInteger(chainId) || chainId <= 0) throw new UsageError("--chain is no chain id");
  const store = storeOf(values.get("file"));
  const client = await openChain(chainId, values.get("rpc") ?? null);
  const vault = values.get("vault") ?? null;
  const report = await checkRegistry(client, { store, vault, state, write: given.has("write") });
  if (vault !== null && report.checked.length === 0)
    throw new Error(`${store.name} has no vault ${vault} of ${client.definition.name}`);
  console.log(`${report.checked.length} rows of ${client.definition.name} in ${store.name}\n`);
  console.log(formatReport(report));
  const wrong = report.checked.some(({ verdict }) => verdict === "wrong");
  if (wrong || report.router === "differs") process.exitCode = 1;
}

function storeOf(file: string | undefined): RowStore {
  if (file !== undefined && !existsSync(file)) throw new UsageError(`there is no file ${file}`);
  if (file !== undefined) return fileStore(file);
  return (process.env["DATABASE_URL"] ?? "") === "" ? fileStore() : databaseStore(targetFromEnvironment());
}

await runCommand(import.meta.filename, {
  help: HELP,
  switches: ["write"],
  options: ["chain", "state", "rpc", "vault", "file"],
  run: main,
});
