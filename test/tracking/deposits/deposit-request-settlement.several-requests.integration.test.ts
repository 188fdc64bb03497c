import { type Abi, type Address, encodeFunctionData, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { centrifugeAsyncVaultAbi, lagoonVaultAbi } from "#stand-ins/erc7540";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { Deposit, type NextStep } from "../../../src/schemas/deposit-schema.ts";
import { Positions } from "../../../src/schemas/position-schema.ts";
import { build, sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import { deployCentrifuge, deployLagoon } from "../../support/conformance/vaults/erc7540-stand-in.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { deployMellow } from "../../support/conformance/vaults/mellow-stand-in.ts";
import { deployMidas, RATE } from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import type { TestUser } from "../../support/e2e/chain.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { call, read } from "../../support/partners/wallet.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);

/** A request that was built, sent and told to the API; its tracking id. */
async function request(placed: Placed, user: TestUser): Promise<string> {
  const built = await build({ placed, user: user.address, amount });
  const hash = await signDeposit(world, { user, built, style: "calls" });
  const body = { tx_hash: hash, step: "source" };
  await call(world.fresh(), ["PATCH", `/v1/deposits/${built.tracking_id}/tx`], { body });
  return built.tracking_id;
}

async function shown(trackingId: string): Promise<Deposit> {
  const { body } = await read(await world.fresh().send(`/v1/deposits/${trackingId}`));
  return Deposit.parse(body);
}

async function pendingOf(user: TestUser): Promise<Positions["pending"]> {
  const { body } = await read(await world.fresh().send(`/v1/positions/${user.address}`));
  return Positions.parse(body).pending;
}

function claim(user: TestUser, next: NextStep | null): Promise<Hex> {
  if (next === null) throw new Error("there is nothing to claim");
  return signDeposit(world, { user, built: { ...next, approval: null }, style: "calls" });
}

const sharesOf = ({ shareToken }: Placed, { address: owner }: TestUser) =>
  balanceOf(world, { token: shareToken, owner });

describe("settlement of two requests with one balance per account", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployCentrifuge("async", "user");
    const family = { name: "c", adapter: "centrifuge", type: "custom", deploy } as const;
    placed = await place(world, { family, decimals: DECIMALS });
  });
  const settle = ({ address }: TestUser) =>
    set(placed, { abi: centrifugeAsyncVaultAbi as Abi, name: "settle", args: [address] });

  test("claims once and counts no share twice", () =>
    world.undone(async () => {
      const user = await world.user(placed.asset, 2n * amount);
      const [first, second] = [await request(placed, user), await request(placed, user)];
      for (const id of [first, second]) expect((await shown(id)).state).toBe("requested");
      expect(await pendingOf(user)).toMatchObject([{ pending_assets: String(2n * amount) }]);

      await settle(user);
      const [one, other] = [await shown(first), await shown(second)];
      expect([one.state, other.state]).toEqual(["claimable", "claimable"]);
      expect(other.next).toBeNull();
      expect(other.next_refusal).toEqual({
        code: "claim_shared",
        detail: `one claim collects the shares of several requests: it is the next step of ${first}`,
      });
      const pending = await pendingOf(user);
      expect(pending).toHaveLength(1);

      const hash = await claim(user, one.next);
      const shares = await sharesOf(placed, user);
      expect(pending[0]?.claimable_shares).toBe(String(shares));
      for (const id of [first, second]) {
        expect(await shown(id)).toMatchObject({
          ...{ state: "completed", status: "DONE", claim_tx_hash: hash },
          // Together they are these shares; whose are how many nobody says.
          ...{ shares: null, next: null, next_refusal: null },
        });
      }
      const status = `/v1/status?tx_hash=${hash}&from_chain_id=${world.chainId}`;
      const { body } = await read(await world.fresh().send(status));
      expect(body).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    }));

  test("pays both back that were cancelled together, and shows them until the assets are claimed", () =>
    world.undone(async () => {
      const user = await world.user(placed.asset, 2n * amount);
      const ids = [await request(placed, user), await request(placed, user)];
      for (const id of ids) await shown(id);
      const abi = centrifugeAsyncVaultAbi;
      const send = (data: Hex) => world.send(user.address, { to: placed.vault, data });
      const cancelled = [0n, user.address] as const;
      await send(encodeFunctionData({ abi, functionName: "cancelDepositRequest", args: cancelled }));
      await set(placed, { abi: abi as Abi, name: "answerDepositCancellation", args: [user.address] });
      const owed = { pending_assets: String(2n * amount), claimable_shares: "0", next: { kind: "claim" } };
      expect(await pendingOf(user)).toMatchObject([owed]);
      const [one, other] = [await shown(ids[0] ?? ""), await shown(ids[1] ?? "")];
      expect(one).toMatchObject({ state: "claimable", next_refusal: null });
      expect(other).toMatchObject({ state: "claimable", next: null, next_refusal: { code: "claim_shared" } });

      const refund_tx_hash = await claim(user, one.next);
      expect(await pendingOf(user)).toEqual([]);
      for (const id of ids) {
        const ended = await shown(id);
        expect(ended).toMatchObject({ state: "refunded", refund_tx_hash, shares: null });
        const status = `/v1/status?tx_hash=${ended.source_tx_hash}&from_chain_id=${world.chainId}`;
        const { body } = await read(await world.fresh().send(status));
        expect(body).toMatchObject({ substatus: "REFUNDED", receiving: { amount: String(amount) } });
      }
    }));

  test("attributes shares of consecutive requests separately", () =>
    world.undone(async () => {
      const user = await world.user(placed.asset, 2n * amount);
      const seen: bigint[] = [];
      for (const _ of [1, 2]) {
        const id = await request(placed, user);
        await shown(id);
        await settle(user);
        await claim(user, (await shown(id)).next);
        const { state, shares } = await shown(id);
        expect(state).toBe("completed");
        seen.push(BigInt(shares ?? 0));
      }
      const [first = 0n, second = 0n] = seen;
      expect(first > 0n && second > 0n).toBe(true);
      expect(first + second).toBe(await sharesOf(placed, user));
    }));
});

describe("settlement of a request by the next one", () => {
  const settlements = [
    { name: "l", adapter: "lagoon", type: "custom", deploy: deployLagoon({ version: "0.5" }) },
    { name: "l6", adapter: "lagoon", type: "custom", deploy: deployLagoon({ version: "0.6" }) },
    { name: "q", adapter: "mellow", type: "lido", deploy: deployMellow({ queue: "async", caller: "user" }) },
  ] as const;
  test.each(settlements)("attributes the shares to the earlier request ($name)", async (family) => {
    const placed = await place(world, { family, decimals: DECIMALS });
    const lagoon = family.adapter === "lagoon";
    const abi = (lagoon ? lagoonVaultAbi : mellowDepositQueueAbi) as Abi;
    const on = lagoon ? {} : { on: placed.parts["queue"] ?? zeroAddress };
    await world.undone(async () => {
      if (lagoon) await set(placed, { abi, name: "expireTotalAssets", args: [] });
      const user = await world.user(placed.asset, 2n * amount);
      const settle = () => set(placed, { abi, name: "settle", args: [user.address], ...on });
      const first = await request(placed, user);
      await shown(first);
      await settle();
      // The vault sends the first one's shares as it takes the second one.
      const second = await request(placed, user);
      const held = await sharesOf(placed, user);
      expect(held).toBeGreaterThan(0n);
      const waiting = await shown(second);
      expect(waiting).toMatchObject({ state: "requested", shares: null });
      const hash = waiting.source_tx_hash;
      const done = { state: "completed", shares: String(held), claim_tx_hash: hash };
      expect(await shown(first)).toMatchObject(done);
      await settle();
      const claimable = await shown(second);
      expect(claimable.state).toBe("claimable");
      await claim(user, claimable.next);
      expect(await shown(second)).toMatchObject({
        ...{ state: "completed", shares: String((await sharesOf(placed, user)) - held) },
      });
      expect(await shown(first)).toMatchObject(done);
    });
  });
});

describe("settlement of two requests with request ids", () => {
  test("attributes the shares of each request id", async () => {
    const deploy = deployMidas({ deposit: "request", recipient: "argument", caller: "user" });
    const family = { name: "m", adapter: "midas", type: "midas", deploy } as const;
    const placed = await place(world, { family, decimals: DECIMALS });
    await world.undone(async () => {
      const user = await world.user(placed.asset, 2n * amount);
      const [first, second] = [await request(placed, user), await request(placed, user)];
      for (const id of [first, second]) await shown(id);
      const on: Address = placed.parts["deposits"] ?? zeroAddress;
      // The second at half the price: twice the shares.
      for (const [id, rate] of [
        [0n, RATE],
        [1n, RATE / 2n],
      ] as const)
        await set(placed, { abi: midasDepositVaultAbi as Abi, name: "approveRequest", args: [id, rate], on });
      const [one, other] = [await shown(first), await shown(second)];
      expect([one.state, other.state]).toEqual(["completed", "completed"]);
      const [a, b] = [BigInt(one.shares ?? 0), BigInt(other.shares ?? 0)];
      expect(a + b).toBe(await sharesOf(placed, user));
      expect(b).toBeGreaterThan(a);
      expect(one.claim_tx_hash).not.toBe(other.claim_tx_hash);
    });
  });
});
