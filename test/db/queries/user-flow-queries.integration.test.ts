import { sql as raw } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHAIN_ID, vaultAddress, vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import { addReportedHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import { loadFlowState } from "../../../src/db/queries/flow-queries.ts";
import { selectUserFlows, userFlowsStatement } from "../../../src/db/queries/user-flow-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { flowCoverage, flows } from "../../../src/db/tables/flow-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";

import { row } from "../../support/deposits/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

const USER = "0x00000000000000000000000000000000000b0b0b";
let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment({ chainIds: [CHAIN_ID] });
  await causeway.db.insert(vaults).values([0, 1].map((number) => vaultRow({ number })));
  await loadFlowState(causeway.context().db, { chainId: CHAIN_ID, span: 1 });
  await causeway.db.update(flowCoverage).set({ followedFrom: 0 });
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(flows);
  await causeway.db.delete(deposits);
  await deposit(0);
  await deposit(1);
});

/** Stores flows of redemption requests of the user in a vault, one per block from `from` on. */
async function ask(of: { vault: number; count: number; from: number }): Promise<void> {
  const rows = Array.from({ length: of.count }, (_, index) => ({
    ...{ chainId: CHAIN_ID, txHash: `0x${of.vault}-${index}`, logIndex: 0, userAddress: USER, final: true },
    ...{ vaultAddress: vaultAddress(of.vault), kind: "withdrawal" as const, assets: "-1", shares: "-1" },
    ...{ requestId: `${of.vault}-${index}`, blockNumber: of.from + index, blockHash: "0x" },
  }));
  await causeway.db.insert(flows).values(rows);
}

/** Stores a deposit of 1,000 by the user to a vault. */
async function deposit(vault: number): Promise<void> {
  await causeway.db.insert(flows).values({
    ...{ chainId: CHAIN_ID, txHash: `0xd-${vault}`, logIndex: 0, userAddress: USER, final: true },
    ...{ vaultAddress: vaultAddress(vault), kind: "deposit", assets: "1000", shares: "1000" },
    ...{ blockNumber: 1, blockHash: "0x" },
  });
}

let counter = 0;
/** Stores a flow of the user in a vault that belongs to no request. */
async function flowOf(
  vault: number,
  flow: { kind: "deposit" | "withdrawal"; assets: string | null; shares: string | null },
): Promise<void> {
  counter += 1;
  await causeway.db.insert(flows).values({
    ...{ chainId: CHAIN_ID, txHash: `0xf-${counter}`, logIndex: 0, userAddress: USER, final: true },
    ...{ vaultAddress: vaultAddress(vault), blockNumber: 2, blockHash: "0x", ...flow },
  });
}

async function read() {
  const ctx = causeway.context();
  const found = await selectUserFlows(ctx.db, { user: USER, chainIds: [CHAIN_ID] });
  expect(ctx.timing.requests("db")).toBe(1);
  const sums = [0, 1].map((vault) => found.chains[0]?.sums[vaultAddress(vault)]);
  const listed = [0, 1].map(
    (vault) => found.requestFlows.filter((flow) => flow.vaultAddress === vaultAddress(vault)).length,
  );
  return { sums, listed, unlisted: found.unlisted };
}

test("selectUserFlows() knows no sum of a vault of which it does not return every flow of requests", async () => {
  await ask({ vault: 0, count: 300, from: 1_000 });
  await ask({ vault: 1, count: 301, from: 100 });
  expect(await read()).toEqual({
    sums: ["1000", null],
    listed: [300, 200],
    unlisted: [`${CHAIN_ID}:${vaultAddress(1)}`],
  });
});

test("selectUserFlows() keeps the sums of other vaults when one has more flows than it returns", async () => {
  await ask({ vault: 0, count: 501, from: 1_000 });
  await ask({ vault: 1, count: 2, from: 100 });
  expect(await read()).toEqual({
    sums: [null, "1000"],
    listed: [498, 2],
    unlisted: [`${CHAIN_ID}:${vaultAddress(0)}`],
  });
});

test("selectUserFlows() returns every flow of requests up to the limit", async () => {
  await ask({ vault: 0, count: 250, from: 1_000 });
  await ask({ vault: 1, count: 250, from: 100 });
  expect(await read()).toEqual({ sums: ["1000", "1000"], listed: [250, 250], unlisted: [] });
});

test("selectUserFlows() keeps the shares of other flows apart from those of requests and of unknown size", async () => {
  await ask({ vault: 0, count: 2, from: 100 });
  await flowOf(1, { kind: "withdrawal", assets: "-30", shares: null });
  await flowOf(1, { kind: "deposit", assets: "50", shares: null });
  const sharesOf = async () => {
    const { chains, requestFlows } = await selectUserFlows(causeway.context().db, {
      ...{ user: USER, chainIds: [CHAIN_ID] },
    });
    const asked = requestFlows.map(({ shares }) => shares);
    return { shares: chains[0]?.shares, shareless: chains[0]?.shareless, asked };
  };
  const shares = { [vaultAddress(0)]: "1000", [vaultAddress(1)]: "1000" };
  const shareless = { [vaultAddress(1)]: { in: "50", out: "30" } };
  expect(await sharesOf()).toEqual({ shares, shareless, asked: [1n, 1n] });
  await flowOf(1, { kind: "deposit", assets: null, shares: null });
  const blind = { [vaultAddress(1)]: { in: null, out: null } };
  expect(await sharesOf()).toEqual({ shares, shareless: blind, asked: [1n, 1n] });
});

test("selectUserFlows() returns the requests that were built last, and no sum of a vault of which it leaves one out", async () => {
  const open = (vault: number, number: number) => ({
    ...{ ...row, trackingId: `${vault}-${number}`, ref: `${vault}-${number}`, state: "requested" as const },
    ...{
      vaultChainId: CHAIN_ID,
      vaultAddress: vaultAddress(vault),
      userAddress: USER,
      requestId: `${number}`,
    },
    createdAt: new Date(row.createdAt.getTime() + number * 1_000),
  });
  // Stored in an order that says nothing about their age.
  const numbers = Array.from({ length: 501 }, (_, index) => (index * 200) % 501);
  await causeway.db.insert(deposits).values(numbers.map((number) => open(number === 0 ? 0 : 1, number)));
  const found = await selectUserFlows(causeway.context().db, { user: USER, chainIds: [CHAIN_ID] });
  const ids = found.requests.map(({ requestId }) => Number(requestId));
  expect(ids).toEqual(Array.from({ length: 500 }, (_, index) => 500 - index));
  expect(found.unlisted).toEqual([`${CHAIN_ID}:${vaultAddress(0)}`]);
  expect([0, 1].map((vault) => found.chains[0]?.sums[vaultAddress(vault)])).toEqual([null, "1000"]);
});

test("selectUserFlows() returns a request once, as the row that was built last before it, whoever builds its call", async () => {
  const request = (number: number, change: object = {}) => ({
    ...{ ...withdrawalRow, trackingId: `trk_${number}`, ref: `${number}`, state: "requested" as const },
    ...{ vaultChainId: CHAIN_ID, vaultAddress: vaultAddress(1), userAddress: USER, requestId: "7" },
    ...{ sourceTxHash: "0xa" as const, sourceProven: true, moveToken: `0x${number}` },
    createdAt: new Date(row.createdAt.getTime() + number * 1_000),
    ...change,
  });
  const next = request(1, { requestId: "8", sourceTxHash: "0xb" });
  const seen = { state: "requested" as const, at: new Date(row.createdAt.getTime() + 400_500).toISOString() };
  const history = [...withdrawalRow.history, seen];
  const strangers = Array.from({ length: 501 }, (_, number) =>
    request(number + 2, number === 398 ? { history } : {}),
  );
  await causeway.db.insert(deposits).values([...strangers, request(0), next]);
  const { db } = causeway.context();
  const read = async () => {
    const { requests, unlisted } = await selectUserFlows(db, { user: USER, chainIds: [CHAIN_ID] });
    expect(unlisted).toEqual([]);
    return requests.map(({ trackingId, requestId }) => `${trackingId} ${requestId}`).sort();
  };
  // Others were built long before, or once the transaction had been seen, here as that of the 400th.
  expect(await read()).toEqual(["trk_1 8", "trk_400 7"]);
  const heard = new Date(row.createdAt.getTime() + 300_500);
  await addReportedHint(db, { trackingId: "trk_7", chainId: CHAIN_ID, txHash: "0xa", now: heard });
  expect(await read()).toEqual(["trk_1 8", "trk_300 7"]);
  // However many rows there are, what tells when it was heard of is read once for each transaction.
  const statement = userFlowsStatement({ user: USER, chainIds: [CHAIN_ID] });
  const { rows } = await causeway.db.execute(raw`explain (analyze, format json) ${statement}`);
  const loops = (alias: string) =>
    new RegExp(`"Alias": ?"${alias}"[^{}]*"Actual Loops": ?(\\d+)`).exec(JSON.stringify(rows))?.[1];
  expect([loops("heard"), loops("seen")]).toEqual(["2", "2"]);
});
