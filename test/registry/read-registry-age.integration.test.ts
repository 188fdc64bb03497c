import { getAddress } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DAY_MS, SECOND_MS } from "../../src/lib/durations.ts";
import { hadCodeAtTime } from "../../src/registry/read-registry-age.ts";
import { readAdmission } from "../../src/registry/registry-admission-facts.ts";
import { type ProofStage, startProofStage } from "../support/registry/proof-stage.ts";

const CHAIN = 31337;
/** Enough blocks for a search to find one among them, over sixty-four days. */
const [BLOCKS, SECONDS] = [128, 43_200];
let stage: ProofStage;

beforeAll(async () => {
  stage = await startProofStage(CHAIN);
});
afterAll(() => stage?.close());

/** Adds a vault, and returns its row as that of a vault which a public list names, with the proof that it passed. */
async function listed() {
  const address = await stage.put("ProvenVault");
  const vaultId = await stage.addCandidate(address);
  await stage.prove(vaultId);
  const row = await stage.rowOf(vaultId);
  if (row.proof === null) throw new Error("the vault was not proven");
  const claimed = { status: "candidate", adapter: "euler" } as const;
  const own = {
    ...row,
    ...claimed,
    namedBy: ["list:one"],
    provenance: { source: "list", detail: "one" } as const,
  };
  return { row: own, finding: { kind: "passed", proof: row.proof } as const, derived: own };
}

test("a vault that was just added is as old as the chain shows its code", async () => {
  const old = await listed();
  await stage.chain.node.mine({ blocks: BLOCKS, interval: SECONDS });
  const fresh = await listed();
  const now = Number((await stage.chain.node.getBlock()).timestamp) * SECOND_MS;
  const DISCOVERY = JSON.stringify({ assets: [`${CHAIN}:${stage.asset}`] });
  const ctx = { ...stage.causeway.isolate({ DISCOVERY }).context(), now: () => now };
  const client = ctx.chains.client(CHAIN);
  if (client === null) throw new Error("the chain is not served");
  const shown = (of: typeof old) => {
    const time = Math.floor((now - 30 * DAY_MS) / SECOND_MS);
    return hadCodeAtTime(client, { address: getAddress(of.row.address), time });
  };
  expect([await shown(old), await shown(fresh)]).toEqual([true, false]);
  // Added at the time of the chain, which is ahead of the database's.
  const admit = (of: typeof old) =>
    readAdmission(ctx, { ...of, row: { ...of.row, createdAt: new Date(now) } });
  const young = "it has been known for less than 30 days";
  expect(await admit(fresh)).toEqual({ obstacle: young });
  expect((await admit(old))?.obstacle).not.toBe(young);
});
