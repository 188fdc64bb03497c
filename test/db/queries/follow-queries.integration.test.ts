import { numberToHex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { replaceEvidence, selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import {
  applyFollowStep,
  type FollowStep,
  loadFollowState,
  selectChainsToFollow,
  selectWatchList,
} from "../../../src/db/queries/follow-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { followedChains } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { DAY_MS } from "../../../src/lib/durations.ts";
import { row } from "../../support/deposits/fixtures.ts";

const CHAIN_ID = 1;
const block = (number: number) => ({ number, hash: numberToHex(number, { size: 32 }) });
const headAt = (number: number) => ({ ...block(number), time: row.createdAt });
const PROOF = block(90);
let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
  await causeway.db.delete(followedChains);
  await causeway.db.insert(deposits).values(row);
  const proof = { chainId: CHAIN_ID, txHash: PROOF.hash, blockNumber: PROOF.number, blockHash: PROOF.hash };
  await replaceEvidence(causeway.context().db, { trackingId: row.trackingId, blocks: [proof] });
});

const stepOf = (change: Partial<FollowStep>): FollowStep => ({
  ...{ chainId: CHAIN_ID, version: null, startBlock: 1, covered: [{ from: 1, to: 50 }], final: block(50) },
  ...{ head: headAt(100), span: 10, at: row.createdAt, kept: [], replaced: [], reorganised: false },
  ...change,
});
const evidence = async () => {
  const [one] = await selectEvidence(causeway.context().db, [row.trackingId]);
  return { checked: one?.checked, final: one?.final };
};
const headBlock = async () => (await loadFollowState(causeway.context().db, CHAIN_ID)).chain?.headBlock;

test("applyFollowStep() stores head and evidence in one request, each round on the last", async () => {
  const ctx = causeway.context();
  expect(await applyFollowStep(ctx.db, stepOf({ kept: [PROOF] }))).toBe(true);
  expect(ctx.timing.requests("db")).toBe(1);
  expect(await evidence()).toEqual({ checked: true, final: false });
  const next = stepOf({ version: 0, final: block(95), head: headAt(160) });
  expect(await applyFollowStep(ctx.db, next)).toBe(true);
  expect(await evidence()).toEqual({ checked: true, final: true });
});

test.each([
  ["a rejected deposit", { requestId: "5" }, row.expiresAt],
  ["a reverted deposit", {}, null],
  ["a rejected withdrawal", { direction: "withdrawal", requestId: "5" }, null],
] as const)("applyFollowStep() with final evidence and the next check of %s", async (_, change, due) => {
  const { db } = causeway.context();
  const failed = { state: "failed", nextCheckAt: row.expiresAt, ...change } as const;
  await causeway.db.update(deposits).set(failed);
  await applyFollowStep(db, stepOf({ kept: [PROOF], final: block(95) }));
  expect(await evidence()).toEqual({ checked: true, final: true });
  expect(await causeway.db.select({ at: deposits.nextCheckAt }).from(deposits)).toEqual([{ at: due }]);
});

test("applyFollowStep() stores no head if it cannot store the evidence of a reorg", async () => {
  const { db } = causeway.context();
  await applyFollowStep(db, stepOf({ kept: [PROOF] }));
  // Postgres refuses the number.
  const replaced = [{ ...PROOF, number: 1e30 }];
  const failing = stepOf({ version: 0, reorganised: true, replaced, final: block(95), head: headAt(160) });
  await expect(applyFollowStep(db, failing)).rejects.toThrow();
  expect(await headBlock()).toBe(100);
});

test.each([
  ["the first round", null],
  ["a later round", 0],
])("applyFollowStep() changes nothing if another round has written since: %s", async (_name, version) => {
  const { db } = causeway.context();
  await applyFollowStep(db, stepOf({}));
  if (version !== null) await applyFollowStep(db, stepOf({ version }));
  expect(await applyFollowStep(db, stepOf({ version, kept: [PROOF], head: headAt(200) }))).toBe(false);
  expect(await headBlock()).toBe(100);
  expect(await evidence()).toEqual({ checked: false, final: false });
});

test("replaceEvidence() keeps the evidence if it cannot store the new one", async () => {
  const { db } = causeway.context();
  // Postgres refuses the number.
  const wrong = { chainId: CHAIN_ID, txHash: "0x2", blockNumber: 1e30, blockHash: "0x2" };
  await expect(replaceEvidence(db, { trackingId: row.trackingId, blocks: [wrong] })).rejects.toThrow();
  expect(await evidence()).toEqual({ checked: false, final: false });
});

test("selectChainsToFollow() follows a partial deposit's vault chain until its second step is known, for 30 days", async () => {
  const { db } = causeway.context();
  const ago = (days: number) => new Date(Date.now() - days * DAY_MS);
  const chainIds = [row.fromChainId, row.vaultChainId + 7];
  const vaultChainId = row.vaultChainId + 7;
  const ended = { state: "partial", sourceProven: true, vaultChainId, updatedAt: ago(29) } as const;
  await causeway.db.update(deposits).set(ended);
  expect(await selectChainsToFollow(db, chainIds)).toEqual([vaultChainId]);
  await causeway.db.update(deposits).set({ updatedAt: ago(31) });
  expect(await selectChainsToFollow(db, chainIds)).toEqual([]);
  await causeway.db.update(deposits).set({ updatedAt: ago(0) });
  await causeway.db.update(deposits).set({ shares: "1" });
  expect(await selectChainsToFollow(db, chainIds)).toEqual([]);
});

test.each([
  ["deposit", "requested", true],
  ["deposit", "claimable", true],
  ["withdrawal", "cooling", true],
  ["deposit", "bridging", false],
  ["deposit", "awaiting_deposit", false],
] as const)("selectWatchList() reads the vault of a %s that is %s: %s", async (direction, state, isRead) => {
  const sourceTo = `0x${"d1".repeat(20)}`;
  await causeway.db.update(deposits).set({ direction, state, sourceTo, sourceProven: true });
  const watch = { chainId: row.vaultChainId, router: `0x${"50".repeat(20)}` };
  const { requestContracts } = await selectWatchList(causeway.context().db, watch);
  // What a deposit calls may be an exchange.
  const called = direction === "withdrawal" ? [sourceTo] : [];
  expect(requestContracts).toEqual(isRead ? [...called, row.vaultAddress] : []);
});

test("selectWatchList() lists every contract, however many tokens others have built with", async () => {
  const address = (byte: string, number = 0) => `0x${byte}${number.toString(16).padStart(38, "0")}`;
  const [exchange, router, bridge, entry] = ["10", "50", "a0", "f0"].map((byte) => address(byte));
  const rowsOf = (to: string | undefined, provider: string | null, count: number) =>
    Array.from({ length: count }, (_, number) => ({
      ...{ ...row, provider, sourceTo: to ?? "", fromToken: address("c0", number), fromChainId: CHAIN_ID },
      ...{ trackingId: `${to} ${number}`, ref: `${to} ${number}` },
    }));
  await causeway.db.insert(deposits).values(rowsOf(exchange, "kyber", 600));
  for (const [to, provider, count] of [
    [router, null, 5],
    [bridge, "across", 2],
    [entry, null, 3],
  ] as const)
    await causeway.db.insert(deposits).values(rowsOf(to, provider, count));
  const { targets } = await selectWatchList(causeway.context().db, {
    chainId: CHAIN_ID,
    router: router ?? "",
  });
  const countOf = (to: string | undefined) => targets.filter(({ sourceTo }) => sourceTo === to).length;
  expect([exchange, router, bridge, entry].map(countOf)).toEqual([500, 1, 2, 1]);
});
