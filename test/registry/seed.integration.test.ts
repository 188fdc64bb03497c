import { afterAll, beforeAll, expect, test } from "vitest";
import { readSeedFile } from "../../scripts/db/seed.ts";
import { readPublishedRows } from "../../scripts/registry/vault-list.ts";
import { startTestDeployment, type TestDeployment } from "../../scripts/stack/test-deployment.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import { countDueProofs } from "../../src/db/queries/vault-proof-queries.ts";
import { vaults } from "../../src/db/tables/vault-tables.ts";
import { formatVaultId } from "../../src/lib/vault-id.ts";

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());

test("of a fresh deployment, every vault but those excluded is due to be proven by the jobs alone", async () => {
  const seeded = readSeedFile();
  const known = new Set(seeded.map(formatVaultId));
  const listed = readPublishedRows().filter((row) => !known.has(formatVaultId(row)));
  await causeway.db.insert(vaults).values(seeded);
  for (let start = 0; start < listed.length; start += 500)
    await causeway.db.insert(vaults).values(listed.slice(start, start + 500));
  const excluded = seeded.filter(({ status }) => status === "unsupported");
  const due = await countDueProofs(causeway.context().db, new Date(Date.now() + 1_000));
  const sum = due.reduce((total, one) => total + one.due, 0);
  expect(sum).toBe(seeded.length + listed.length - excluded.length);
  expect(excluded.length).toBeLessThanOrEqual(1);
  const chains = new Set(knownChains.map(({ chainId }) => chainId));
  expect(due.filter(({ chainId }) => !chains.has(chainId))).toEqual([]);
});
