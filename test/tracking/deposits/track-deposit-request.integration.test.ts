import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { Deposit, type NextStep } from "../../../src/schemas/deposit-schema.ts";
import { Positions } from "../../../src/schemas/position-schema.ts";
import type { BuiltDeposit } from "../../../src/schemas/quote-schema.ts";
import { build, sampleAmount } from "../../support/conformance/vaults/deposit.ts";
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

const part = (placed: Placed, name: string): Address => placed.parts[name] ?? zeroAddress;
const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);

/** A request that was built, sent, and told to the API. */
interface Requested {
  placed: Placed;
  user: TestUser;
  built: BuiltDeposit;
}

async function request(placed: Placed): Promise<Requested> {
  const user = await world.user(placed.asset, amount);
  const built = await build({ placed, user: user.address, amount });
  const hash = await signDeposit(world, { user, built, style: "calls" });
  await report({ placed, user, built }, { tx_hash: hash, step: "source" });
  return { placed, user, built };
}

const report = ({ built }: Requested, body: { tx_hash: Hex; step: string }) =>
  call(world.fresh(), ["PATCH", `/v1/deposits/${built.tracking_id}/tx`], { body });

async function shown({ built }: Requested): Promise<Deposit> {
  const { body } = await read(await world.fresh().send(`/v1/deposits/${built.tracking_id}`));
  return Deposit.parse(body);
}

async function pendingOf({ user }: Requested, further = 0): Promise<Positions["pending"]> {
  const response = await world.fresh().send(`/v1/positions/${user.address}`);
  // What is pending is read with the balances, by one request to the chain; a claim is proved by another, and what
  // Mellow's queue pays for held shares takes two.
  expect(response.headers.get("server-timing")).toMatch(new RegExp(`rpc;dur=\\d+;desc="${1 + further}"`));
  const { body } = await read(response);
  return Positions.parse(body).pending;
}

/** What a user sees of a deposit, besides its numbers. */
const seen = ({ state, status, substatus }: Deposit) => [state, status, substatus];
const REQUESTED = ["requested", "PENDING", "WAIT_VAULT_SETTLEMENT"];
const CLAIMABLE = ["claimable", "PENDING", "WAIT_CLAIM_TRANSACTION"];

const send = (user: TestUser, next: NextStep) =>
  signDeposit(world, { user, built: { ...next, approval: null }, style: "calls" });

describe("trackDeposit() of a request to a Mellow queue", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployMellow({ queue: "async", caller: "user" });
    placed = await place(world, {
      family: { name: "q", adapter: "mellow", type: "lido", deploy },
      decimals: DECIMALS,
    });
  });
  const onQueue = (name: string, ...args: readonly unknown[]) =>
    set(placed, { abi: mellowDepositQueueAbi as Abi, name, args, on: part(placed, "queue") });
  /** The stand-in pays back what its vault holds, which has to let it. */
  const cancel = async ({ user }: Requested) => {
    const args = [part(placed, "queue"), amount] as const;
    const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await world.send(placed.vault, { to: placed.asset.address, data: approve });
    const data = encodeFunctionData({ abi: mellowDepositQueueAbi, functionName: "cancelDepositRequest" });
    return world.send(user.address, { to: part(placed, "queue"), data });
  };

  test("returns the claim as next step and completes with its shares", () =>
    world.undone(async () => {
      const asked = await request(placed);
      expect(asked.built).toMatchObject({ estimate: { min_shares: null }, simulation: { shares: null } });
      const waiting = await shown(asked);
      expect(seen(waiting)).toEqual(REQUESTED);
      expect(waiting).toMatchObject({ next: null, next_refusal: null });
      expect(await pendingOf(asked)).toMatchObject([
        { pending_assets: String(amount), claimable_shares: "0", next: null },
      ]);

      await onQueue("settle", asked.user.address);
      const claimable = await shown(asked);
      expect(seen(claimable)).toEqual(CLAIMABLE);
      const [pending] = await pendingOf(asked, 1);
      expect(pending).toMatchObject({
        pending_assets: "0",
        claimable_shares: asked.built.estimate.estimated_shares,
      });
      if (claimable.next === null) throw new Error("there is nothing to claim");
      expect(claimable.next).toMatchObject({
        kind: "claim",
        approval: null,
        transaction_request: { to: part(placed, "queue"), value: "0" },
      });
      expect(pending?.next?.transaction_request).toEqual({
        ...claimable.next.transaction_request,
        gas_limit: expect.stringMatching(/^\d+$/),
      });
      expect(pending?.next_refusal).toBeNull();

      const hash = await send(asked.user, claimable.next);
      const done = await shown(asked);
      const shares = await balanceOf(world, { token: placed.shareToken, owner: asked.user.address });
      expect(seen(done)).toEqual(["completed", "DONE", "COMPLETED"]);
      expect(done).toMatchObject({
        shares: String(shares),
        claim_tx_hash: hash,
        next: null,
        next_refusal: null,
      });
      const status = await read(
        await world.fresh().send(`/v1/status?tx_hash=${hash}&from_chain_id=${world.chainId}`),
      );
      expect(status.body).toMatchObject({
        status: "DONE",
        substatus: "COMPLETED",
        receiving: { tx_hash: hash, amount: String(shares) },
        deposit: { tracking_id: asked.built.tracking_id },
      });
      expect(await pendingOf(asked, 2)).toEqual([]);
    }));

  test("finds a claim that another account sent", () =>
    world.undone(async () => {
      const asked = await request(placed);
      await onQueue("settle", asked.user.address);
      await onQueue("claim", asked.user.address);
      expect(seen(await shown(asked))).toEqual(["completed", "DONE", "COMPLETED"]);
    }));

  test("records a refund when the user cancels", () =>
    world.undone(async () => {
      const asked = await request(placed);
      expect(seen(await shown(asked))).toEqual(REQUESTED);
      await cancel(asked);
      const refunded = await shown(asked);
      expect(seen(refunded)).toEqual(["refunded", "DONE", "REFUNDED"]);
      expect(refunded).toMatchObject({ shares: null, claim_tx_hash: null, next: null });
    }));

  test("does not complete by shares from elsewhere", () =>
    world.undone(async () => {
      const asked = await request(placed);
      const args = [asked.user.address, 10n ** 18n] as const;
      const gift = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      const { transactionHash } = await world.send(placed.owner, { to: placed.shareToken, data: gift });
      await report(asked, { tx_hash: transactionHash, step: "claim" });
      expect(seen(await shown(asked))).toEqual(REQUESTED);
    }));
});

describe("trackDeposit() of a request to a Midas DepositVault", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployMidas({ deposit: "request", recipient: "argument", caller: "user" });
    placed = await place(world, {
      family: { name: "m", adapter: "midas", type: "midas", deploy },
      decimals: DECIMALS,
    });
  });
  const onDeposits = (name: string, ...args: readonly unknown[]) =>
    set(placed, { abi: midasDepositVaultAbi as Abi, name, args, on: part(placed, "deposits") });
  /** The stand-in numbers requests from zero, one after the other. */
  const numbers: bigint[] = [0n, 1n];

  test("completes when the approval sends the shares", () =>
    world.undone(async () => {
      const asked = await request(placed);
      expect(seen(await shown(asked))).toEqual(REQUESTED);
      expect(await pendingOf(asked)).toMatchObject([{ pending_assets: String(amount), next: null }]);
      await approve();
      const done = await shown(asked);
      const shares = await balanceOf(world, { token: placed.shareToken, owner: asked.user.address });
      expect(shares).toBeGreaterThan(0n);
      expect(seen(done)).toEqual(["completed", "DONE", "COMPLETED"]);
      expect(done.shares).toBe(String(shares));
    }));

  test("fails a rejected request until a refund arrives on chain", () =>
    world.undone(async () => {
      const asked = await request(placed);
      expect(seen(await shown(asked))).toEqual(REQUESTED);
      for (const id of numbers) await onDeposits("rejectRequest", id);
      const rejected = await shown(asked);
      expect(seen(rejected)).toEqual(["failed", "FAILED", "NOT_PROCESSABLE_REFUND_NEEDED"]);
      expect(rejected).toMatchObject({ next: null, next_refusal: null });
      // Looked at again, by its own transaction too, it is not asked for once more.
      if (rejected.source_tx_hash === null) throw new Error("the request was not seen");
      await report(asked, { tx_hash: rejected.source_tx_hash as Hex, step: "source" });
      const again = await shown(asked);
      expect(seen(again)).toEqual(["failed", "FAILED", "NOT_PROCESSABLE_REFUND_NEEDED"]);
      expect(again.history).toEqual(rejected.history);
      expect(await pendingOf(asked)).toEqual([]);

      const args = [asked.user.address, amount] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      await world.send(placed.owner, { to: placed.asset.address, data });
      expect(seen(await shown(asked))).toEqual(["refunded", "DONE", "REFUNDED"]);
    }));

  async function approve(): Promise<void> {
    for (const id of numbers) await onDeposits("approveRequest", id, RATE).catch(() => undefined);
  }
});
