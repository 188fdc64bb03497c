import { type Hex, numberToHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { NodeSession } from "../../../src/chains/chain-client.ts";
import type { Context } from "../../../src/context.ts";
import { replaceEvidence, selectEvidence } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { selectHints } from "../../../src/db/queries/deposit-hint-queries.ts";
import { selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { loadFollowState } from "../../../src/db/queries/follow-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { followedChains } from "../../../src/db/tables/deposit-tracking-tables.ts";
import { followChain } from "../../../src/tracking/follow/follow-chain.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { row } from "../../support/deposits/fixtures.ts";
import { executedLog } from "../../support/deposits/logs.ts";

const { chainId } = testChain;
const TX: Hex = `0x${"ab".repeat(32)}`;
/** A block a second; the deposits of the fixtures are built when block 1,000 is mined. */
const BUILT_S = Math.floor(row.createdAt.getTime() / 1000);

/** A chain whose only events are those that a test puts there. */
class OneChain {
  head = 1_000;
  fork = 0;
  forkedAt = Number.POSITIVE_INFINITY;
  readonly deposited = new Map<number, Hex>();
  asked = 0;

  hash(number: number): Hex {
    return numberToHex(number + (number >= this.forkedAt ? this.fork * 1_000_000 : 0), { size: 32 });
  }

  readonly request: NodeSession["request"] = async (method, params) => {
    this.asked += 1;
    if (method === "eth_getBlockByNumber") return this.#block(params[0] as string);
    if (method === "eth_getLogs")
      return this.#logs(params[0] as { fromBlock: Hex; toBlock: Hex; address: string[] });
    throw new Error(`nobody asks for ${method}`);
  };

  #block(tag: string) {
    const number = tag === "latest" ? this.head : tag === "finalized" ? this.head - 64 : Number(tag);
    const timestamp = numberToHex(BUILT_S - 1_000 + number);
    return { number: numberToHex(number), hash: this.hash(number), timestamp };
  }

  #logs({ fromBlock, toBlock, address }: { fromBlock: Hex; toBlock: Hex; address: string[] }) {
    const event = executedLog();
    if (!address.includes(event.address.toLowerCase())) return [];
    return [...this.deposited]
      .filter(([number]) => number >= Number(fromBlock) && number <= Number(toBlock))
      .map(([number, transactionHash]) => ({
        ...{ address: event.address, topics: event.topics, data: event.data, logIndex: "0x0" },
        ...{ blockNumber: numberToHex(number), blockHash: this.hash(number), transactionHash },
      }));
  }
}

let causeway: TestDeployment;
let chain: OneChain;
let statements: number;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  chain = new OneChain();
  statements = 0;
  await causeway.db.delete(deposits);
  await causeway.db.delete(followedChains);
});

function context(): Context {
  const ctx = causeway.context();
  const client = completeClient({
    definition: testChain,
    request: chain.request,
    observe: () => undefined,
  });
  const now = () => (BUILT_S - 1_000 + chain.head) * 1_000;
  const db: Context["db"] = {
    run: (statement) => {
      statements += 1;
      return ctx.db.run(statement);
    },
  };
  const chains = { definitions: new Map([[chainId, testChain]]), client: () => client };
  return { ...ctx, db, now, chains, providers: { ...ctx.providers, all: async () => [] } };
}

const round = () => followChain(context(), { chainId });
const hinted = async () => (await selectHints(context().db, [row.trackingId])).map(({ txHash }) => txHash);
const covered = async () => (await loadFollowState(context().db, chainId)).chain?.covered;

describe("followChain()", () => {
  test("finds a deposit through the Router once, and makes it due", async () => {
    await causeway.db.insert(deposits).values(row);
    await round();
    chain.head = 1_020;
    chain.deposited.set(1_010, TX);
    expect(await round()).toMatchObject({ followed: 1_020, logs: 1, applied: true });
    expect(await hinted()).toEqual([TX]);
    expect((await selectDeposit(context().db, row.trackingId))?.nextCheckAt).not.toBeNull();
    chain.head = 1_021;
    expect(await round()).toMatchObject({ logs: 0 });
  });

  test("ignores the Router's event of another user", async () => {
    await causeway.db.insert(deposits).values({ ...row, userAddress: `0x${"12".repeat(20)}` });
    chain.deposited.set(1_000, TX);
    expect(await round()).toMatchObject({ logs: 1 });
    expect(await hinted()).toEqual([]);
  });

  test("reads what a pause of the jobs left out, from the first deposit on, without a gap", async () => {
    await causeway.db.insert(deposits).values(row);
    await round();
    chain.deposited.set(5_000, TX);
    chain.head = 100_000;
    let missing = 1;
    for (let rounds = 0; missing > 0 && rounds < 20; rounds += 1) missing = (await round())?.missing ?? 1;
    expect(missing).toBe(0);
    expect(await hinted()).toEqual([TX]);
    expect(await covered()).toEqual([{ from: expect.any(Number), to: 100_000 - 64 }]);
  });

  test("reads the blocks of a reorg again", async () => {
    await causeway.db.insert(deposits).values(row);
    chain.head = 1_020;
    await round();
    chain.fork = 1;
    chain.forkedAt = 1_015;
    chain.deposited.set(1_016, TX);
    await round();
    expect(await hinted()).toEqual([TX]);
  });

  test("takes back evidence that a reorg replaced, and finalizes the other", async () => {
    await causeway.db
      .insert(deposits)
      .values({ ...row, state: "completed", sourceTxHash: TX, sourceProven: true });
    chain.head = 1_020;
    const blocks = [990, 1_016].map((blockNumber) => ({
      ...{ chainId, txHash: numberToHex(blockNumber, { size: 32 }), blockNumber },
      blockHash: chain.hash(blockNumber),
    }));
    await replaceEvidence(context().db, { trackingId: row.trackingId, blocks });
    await round();
    chain.fork = 1;
    chain.forkedAt = 1_015;
    await round();
    chain.head = 1_100;
    await round();
    await round();
    const evidence = await selectEvidence(context().db, [row.trackingId]);
    expect(evidence.map(({ blockHash, final }) => [blockHash === "", final]).sort()).toEqual([
      [false, true],
      [true, false],
    ]);
    expect((await selectDeposit(context().db, row.trackingId))?.nextCheckAt).not.toBeNull();
  });

  test("compares evidence of a stale node's fork again after that node made it read from the final block on", async () => {
    await causeway.db
      .insert(deposits)
      .values({ ...row, state: "completed", sourceTxHash: TX, sourceProven: true });
    chain.head = 1_020;
    chain.fork = 1;
    const evidence = [1_016, 1_017].map((blockNumber) => {
      // Only the first block is on the stale fork.
      chain.forkedAt = blockNumber === 1_016 ? 1_015 : Number.POSITIVE_INFINITY;
      const txHash = numberToHex(blockNumber, { size: 32 });
      return { chainId, txHash, blockNumber, blockHash: chain.hash(blockNumber) };
    });
    await replaceEvidence(context().db, { trackingId: row.trackingId, blocks: evidence });
    chain.forkedAt = 1_015;
    await round();
    chain.forkedAt = Number.POSITIVE_INFINITY;
    chain.head = 1_100;
    await round();
    const known = await selectEvidence(context().db, [row.trackingId]);
    expect(known.map(({ blockHash, final }) => [blockHash, final])).toEqual([
      ["", false],
      ["", false],
    ]);
  });

  test("stores nothing of a node that has another chain's blocks, which would be ahead for ever", async () => {
    await causeway.db.insert(deposits).values(row);
    chain.head = 1_020;
    await round();
    chain.fork = 1;
    chain.forkedAt = 0;
    chain.head = 9_000_000;
    await expect(round()).rejects.toThrow();
    chain.fork = 0;
    chain.forkedAt = Number.POSITIVE_INFINITY;
    chain.head = 1_100;
    chain.deposited.set(1_030, TX);
    expect(await round()).toMatchObject({ followed: 1_100, applied: true });
    expect(await hinted()).toEqual([TX]);
  });

  test("costs the same for any number of unsent deposits", async () => {
    const costs: unknown[] = [];
    const targets = [row.sourceTo, row.vaultAddress, "0x00000000000000000000000000000000000000aa"];
    for (const count of [10, 3_000]) {
      await causeway.db.delete(deposits);
      const built = Array.from({ length: count }, (_, index) => ({
        ...{ ...row, trackingId: `trk_${index}`, ref: numberToHex(index, { size: 32 }) },
        userAddress: numberToHex(index + 2 ** 100, { size: 20 }),
        ...{ sourceTo: targets[index % 3] ?? "", provider: index % 3 === 2 ? "lifi" : null },
      }));
      for (let at = 0; at < count; at += 500)
        await causeway.db.insert(deposits).values(built.slice(at, at + 500));
      await round();
      chain.head += 10;
      [chain.asked, statements] = [0, 0];
      await round();
      costs.push({ requests: chain.asked, statements });
    }
    expect(costs[1]).toEqual(costs[0]);
  });
});
