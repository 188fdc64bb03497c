import {
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  getAddress,
  type Hex,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import { expect, test } from "vitest";
import { entryPoints, userOperationAbi } from "../../src/tracking/deposits/track-deposit-source.ts";
import { AWAY, HOME } from "../support/following/contracts.ts";
import { playEachTest } from "../support/following/play.ts";
import type { Emitted } from "../support/following/simulated-chain.ts";
import { batchOf, callOf } from "../support/following/transactions.ts";
import { type Order, USERS, type World } from "../support/following/world.ts";

/** A smart account's deposit is found by its user operation and by the bundle that ran it, on either chain. */
const [USER = "0x", OTHER = "0x"] = USERS;
const BUNDLER = getAddress(`0x${"b0".repeat(20)}`);
const [ENTRY_POINT = zeroAddress] = entryPoints;
const AMOUNT = 100_000_000;

let world: World;
playEachTest(
  (play) => {
    world = play.world;
  },
  { allJobs: false },
);

/** The EntryPoint's event of a user operation. */
function operationEvent(operationHash: Hex, user: Hex = USER): Emitted {
  const args = { userOpHash: operationHash, sender: getAddress(user), paymaster: zeroAddress };
  const topics = encodeEventTopics({ abi: userOperationAbi(), eventName: "UserOperationEvent", args });
  return {
    address: ENTRY_POINT.toLowerCase() as Hex,
    topics: (topics as Hex[]).map((topic) => topic.toLowerCase() as Hex),
    data: encodeAbiParameters(parseAbiParameters("uint256, bool, uint256, uint256"), [1n, true, 1n, 1n]),
  };
}

/** A bundle in which the user's account makes a call; returns its hash and that of the user operation. */
function sendOperation(
  chainId: number,
  { to, data }: { to: Hex; data: Hex },
): { bundle: Hex; operation: Hex } {
  const chain = world.chain(chainId);
  const operation = chain.newHash(0x0b);
  const call = callOf({ from: USER, to, data });
  const { input } = batchOf(USER, { call, to, data });
  const bundle = chain.send({
    ...{ from: BUNDLER, to: ENTRY_POINT, input, value: 0n },
    run: (at) => {
      const { succeeded, logs } = call.run(at);
      return { succeeded, logs: [...logs, operationEvent(operation)] };
    },
  });
  return { bundle, operation };
}

async function trackedBy(hash: Hex, chainId: number): Promise<string | null> {
  const { body } = await world.status(hash, chainId);
  return (body as { deposit: { tracking_id: string } | null }).deposit?.tracking_id ?? null;
}

const deliver = (): void => {
  world.include();
  world.pass(3);
  for (const open of world.openTransfers()) world.relay(open);
  world.include();
  world.pass(3);
};

test.each([
  ["own", HOME],
  ["router", HOME],
  ["one_step", AWAY],
  ["two_step", AWAY],
] as const)(
  "%s: by its bundle and its user operation, before any job and afterwards",
  async (kind, chainId) => {
    const order: Order = await world.build(kind, { user: USER, amount: AMOUNT });
    const { bundle, operation } = sendOperation(chainId, order.source);
    world.include();
    world.pass(3);
    expect(await trackedBy(operation, chainId)).toBe(order.trackingId);
    deliver();
    await world.settle(4);
    expect(await trackedBy(bundle, chainId)).toBe(order.trackingId);
    expect(await trackedBy(operation, chainId)).toBe(order.trackingId);
  },
);

test.each(["before any job", "afterwards"] as const)(
  "each of two accounts in one bundle finds its own deposit by its user operation, %s",
  async (when) => {
    const orders = [
      await world.build("own", { user: USER, amount: AMOUNT }),
      await world.build("own", { user: OTHER, amount: AMOUNT }),
    ];
    const operations = orders.map(() => world.home.newHash(0x0b));
    const calls = orders.map(({ user, source: { to, data } }) => {
      const call = callOf({ from: user, to, data });
      return { call, input: batchOf(user, { call, to, data }).input };
    });
    world.home.send({
      ...{ from: BUNDLER, to: ENTRY_POINT, input: concatHex(calls.map(({ input }) => input)), value: 0n },
      run: (at) => {
        const logs = calls.flatMap(({ call }, index) => [
          ...call.run(at).logs,
          operationEvent(operations[index] ?? "0x", orders[index]?.user),
        ]);
        return { succeeded: true, logs };
      },
    });
    world.include();
    world.pass(3);
    if (when === "afterwards") await world.settle(4);
    for (const [index, { trackingId }] of [...orders.entries()].reverse())
      expect(await trackedBy(operations[index] ?? "0x", HOME)).toBe(trackingId);
    await world.settle(4);
    const shown = await world.readAll();
    expect(shown.map(({ state }) => state)).toEqual(["completed", "completed"]);
  },
);

test("two_step: by the user operation of its second step, on the vault's chain", async () => {
  const order = await world.build("two_step", { user: USER, amount: AMOUNT });
  sendOperation(AWAY, order.source);
  deliver();
  await world.round();
  const { body } = await world.causeway.send(`/v1/deposits/${order.trackingId}`);
  const { next } = body as { next: { transaction_request: { to: Hex; data: Hex } } };
  const { bundle, operation } = sendOperation(HOME, next.transaction_request);
  world.include();
  await world.settle(4);
  for (const hash of [bundle, operation]) expect(await trackedBy(hash, AWAY)).toBe(order.trackingId);
});

test("an operation that no chain knows is not found", async () => {
  await world.build("own", { user: USER, amount: AMOUNT });
  expect((await world.status(world.home.newHash(0x0b), HOME)).body).toMatchObject({
    ...{ status: "NOT_FOUND", deposit: null },
  });
});
