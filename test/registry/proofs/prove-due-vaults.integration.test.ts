import { eq } from "drizzle-orm";
import { type Address, encodeDeployData, getAddress, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import type { Context } from "../../../src/context.ts";
import { leaseDueProofs } from "../../../src/db/queries/vault-proof-queries.ts";
import { flowTips } from "../../../src/db/tables/flow-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { failure } from "../../../src/errors.ts";
import { handleMessages } from "../../../src/jobs.ts";
import { DAY_MS } from "../../../src/lib/durations.ts";
import { Timing } from "../../../src/lib/outside-call-timing.ts";
import { importClaims, NO_CLAIMS } from "../../../src/registry/import-registry-claims.ts";
import { proveDueVaults } from "../../../src/registry/proofs/prove-due-vaults.ts";

const CHAIN = 31337;
/** A served chain without a node. */
const DEAD = 31338;
const contracts = contractsOf("test/support/solidity/ProvenVault.sol");
let causeway: TestDeployment;
let chain: ScratchChain;

beforeAll(async () => {
  const chainIds = [CHAIN, DEAD];
  [causeway, chain] = await Promise.all([startTestDeployment({ chainIds }), startScratchChain()]);
  await causeway.connectChain(CHAIN, String(chain.node.transport["url"]));
});
afterAll(() => Promise.all([causeway?.close(), chain?.stop()]));

async function newVaults(count: number): Promise<Address[]> {
  const asset = await deploy(chain, contracts("ProofAsset").creationCode);
  const { abi, creationCode } = contracts("ProvenVault");
  const data = encodeDeployData({ abi, bytecode: creationCode, args: [asset] });
  const made: Address[] = [];
  for (let index = 0; index < count; index += 1) made.push(await deploy(chain, data));
  return made;
}

test("with a queue, each chain's due vaults are proven by a message of their own, once at a time", async () => {
  const queued: unknown[] = [];
  const sendBatch = async (messages: readonly { body: unknown }[]) =>
    void queued.push(...messages.map(({ body }) => body));
  const isolate = causeway.isolate({ FOLLOWING: { sendBatch } });
  const addresses = await newVaults(6);
  const claims = [CHAIN, DEAD].flatMap((chainId) =>
    addresses.map((address) => ({ ...NO_CLAIMS, chainId, address })),
  );
  await importClaims(isolate.context(), { claims, list: null, note: "" });

  expect(await proveDueVaults(isolate.context())).toEqual({
    ...{ passed: 0, refused: 0, closed: 0, unread: 0, changed: 0, queued: 2 },
  });
  const own = { kind: "proofs", chain_id: CHAIN };
  expect(queued).toEqual([own, { kind: "proofs", chain_id: DEAD }]);

  const acknowledged: unknown[] = [];
  const deliver = (body: unknown) =>
    handleMessages(
      {
        queue: "causeway-following",
        messages: [{ body, ack: () => acknowledged.push(body), retry: () => undefined }],
      },
      isolate.context,
    );
  await Promise.all([deliver(own), deliver(own)]);
  expect(acknowledged).toEqual([own, own]);
  const rows = await causeway.db.select().from(vaults);
  const statuses = (chainId: number) =>
    rows.filter((row) => row.chainId === chainId).map(({ status }) => status);
  expect(statuses(CHAIN)).toEqual(Array(6).fill("active"));
  expect(statuses(DEAD)).toEqual(Array(6).fill("candidate"));
  queued.length = 0;
  await proveDueVaults(isolate.context());
  expect(queued).toEqual([{ kind: "proofs", chain_id: DEAD }]);
});

test("without a queue, a chain that does not answer costs one attempt, and none while its flows cannot be read", async () => {
  const ctx = { ...causeway.isolate().context(), now: () => Date.now() + DAY_MS };
  await causeway.db.delete(vaults).where(eq(vaults.chainId, CHAIN));
  await causeway.db.update(vaults).set({ proofDueAt: new Date(0) });
  expect(await proveDueVaults(ctx)).toMatchObject({ unread: 1, passed: 0, refused: 0 });
  await causeway.db.update(vaults).set({ proofDueAt: new Date(0) });
  await causeway.db.insert(flowTips).values({ chainId: DEAD, span: 1_000, error: "no node answers" });
  expect(await proveDueVaults(ctx)).toMatchObject({ unread: 0, passed: 0, refused: 0 });
});

test("a chain whose flows cannot be read is proven all the same", async () => {
  await causeway.db.delete(vaults);
  const ctx = await withClaims(CHAIN, await newVaults(1));
  await causeway.db.insert(flowTips).values({ chainId: CHAIN, span: 1_000, error: "eth_getLogs is refused" });
  expect(await proveDueVaults(ctx)).toMatchObject({ passed: 1, changed: 1 });
});

/** Adds this many due claims of a chain, and returns a context whose time stands still. */
async function withClaims(chainId: number, addresses: readonly Address[]) {
  const now = Date.now() + DAY_MS;
  const ctx = { ...causeway.isolate().context(), now: () => now };
  const claims = addresses.map((address) => ({ ...NO_CLAIMS, chainId, address }));
  await importClaims(ctx, { claims, list: null, note: "" });
  return ctx;
}

test("a chain that does not answer neither stops the others nor counts against its vaults", async () => {
  await causeway.db.delete(vaults);
  await causeway.db.delete(flowTips);
  const addresses = await newVaults(2);
  await withClaims(DEAD, addresses);
  const ctx = await withClaims(CHAIN, addresses);
  expect(await proveDueVaults(ctx)).toMatchObject({ passed: 2, unread: 1, refused: 0, changed: 2 });
  const rows = await causeway.db.select().from(vaults).where(eq(vaults.chainId, DEAD));
  expect(rows).toHaveLength(2);
  for (const row of rows) expect(row).toMatchObject({ status: "candidate", proof: null, proofRefusals: 0 });
});

test("one run proves 60 vaults of a chain at most, the next one the rest", async () => {
  await causeway.db.delete(vaults);
  // Without a contract, a vault is refused by one or two requests.
  const empty = Array.from({ length: 63 }, (_, index) =>
    getAddress(numberToHex(index + 0xe000, { size: 20 })),
  );
  const ctx = await withClaims(CHAIN, empty);
  expect(await proveDueVaults(ctx)).toMatchObject({ refused: 60, unread: 0 });
  expect(await proveDueVaults(ctx)).toMatchObject({ refused: 3, unread: 0 });
});

/** Returns the context with nodes that time out when they call one of the contracts. */
function timingOut(ctx: Context, contracts: readonly Address[]): Context {
  const client = (chainId: number): ChainClient | null => {
    const own = ctx.chains.client(chainId);
    if (own === null) return null;
    const ask: ChainClient["ask"] = (question) => {
      const sent = JSON.stringify(question.params).toLowerCase();
      return contracts.some((one) => sent.includes(one.slice(2).toLowerCase()))
        ? Promise.reject(failure("upstream_timeout", "no node answered in time"))
        : own.ask(question);
    };
    return { ...own, ask };
  };
  return { ...ctx, chains: { ...ctx.chains, client } };
}

test("a vault whose views make nodes time out keeps no other one from its proof, a whole chain of them few", async () => {
  await causeway.db.delete(vaults);
  const [hostile, ...others] = await newVaults(5);
  if (hostile === undefined) throw new RangeError("no vault");
  const ctx = await withClaims(CHAIN, [hostile, ...others]);
  const first = eq(vaults.address, hostile.toLowerCase());
  await causeway.db
    .update(vaults)
    .set({ proofDueAt: new Date(0) })
    .where(first);
  expect(await proveDueVaults(timingOut(ctx, [hostile]))).toMatchObject({ passed: 4, unread: 1 });
  await causeway.db.update(vaults).set({ proofDueAt: new Date(0) });
  expect(await proveDueVaults(timingOut(ctx, [hostile, ...others]))).toMatchObject({ passed: 0, unread: 3 });
});

test("a run that has used up its requests leaves the vaults to the next one", async () => {
  await causeway.db.delete(vaults);
  const ctx = await withClaims(CHAIN, await newVaults(2));
  const timing = new Timing(() => 0);
  for (let count = 0; count < 700; count += 1)
    await timing.track(count % 2 === 0 ? "rpc" : "db", async () => undefined);
  expect(await proveDueVaults({ ...ctx, timing })).toMatchObject({ passed: 0 });
  expect(await proveDueVaults(ctx)).toMatchObject({ passed: 2 });
});

test("candidates that people have reviewed are proven before others, however long these have been due", async () => {
  await causeway.db.delete(vaults);
  const addresses = (await newVaults(3)).map((address) => address.toLowerCase());
  await withClaims(CHAIN, addresses as Address[]);
  const [found = "", listed = "", own = ""] = addresses;
  const change = (address: string, source: "factory" | "list" | "operator", due: number) =>
    causeway.db
      .update(vaults)
      .set({ provenance: { source, detail: "" }, proofDueAt: new Date(due) })
      .where(eq(vaults.address, address));
  await change(found, "factory", 1);
  await change(listed, "list", 2);
  await change(own, "operator", 3);
  const now = new Date();
  const lease = { chainId: CHAIN, now, leaseUntil: new Date(now.getTime() + 60_000), limit: 1 };
  const leased = [];
  for (let turn = 0; turn < 3; turn += 1)
    leased.push(...(await leaseDueProofs(causeway.context().db, lease)));
  expect(leased.map(({ address }) => address)).toEqual([own, found, listed]);
});

test("open and paused vaults are proven before candidates, however long these have been due", async () => {
  await causeway.db.delete(vaults);
  const addresses = await newVaults(3);
  const ctx = await withClaims(CHAIN, addresses);
  const [open = "", paused = ""] = addresses.map((address) => address.toLowerCase());
  const late = new Date(ctx.now());
  for (const [address, status] of [
    [open, "active"],
    [paused, "paused"],
  ] as const)
    await causeway.db.update(vaults).set({ status, proofDueAt: late }).where(eq(vaults.address, address));
  const lease = { chainId: CHAIN, now: late, leaseUntil: new Date(ctx.now() + DAY_MS), limit: 2 };
  const leased = await leaseDueProofs(ctx.db, lease);
  expect(leased.map(({ address }) => address).toSorted()).toEqual([open, paused].toSorted());
});

test("two runs at the same time prove every vault once", async () => {
  await causeway.db.delete(vaults);
  const ctx = await withClaims(CHAIN, await newVaults(8));
  const reports = await Promise.all([proveDueVaults(ctx), proveDueVaults(ctx)]);
  expect(reports.map(({ passed }) => passed)).toEqual([4, 4]);
});
