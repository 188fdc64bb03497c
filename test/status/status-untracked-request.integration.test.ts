import { type Abi, type Address, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mellowDepositQueueAbi } from "#stand-ins/mellow";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { TransferStatus } from "../../src/schemas/deposit-schema.ts";
import { build, sampleAmount } from "../support/conformance/vaults/deposit.ts";
import type { Placed } from "../support/conformance/vaults/family.ts";
import { deployMellow } from "../support/conformance/vaults/mellow-stand-in.ts";
import { deployMidas, RATE } from "../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import type { SentDeposit } from "../support/e2e/api.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import type { TestUser } from "../support/e2e/chain.ts";
import { signDeposit } from "../support/e2e/sign-deposit.ts";
import { read } from "../support/partners/wallet.ts";

/** Requests that were made at a vault without Causeway: it knows nothing but their transactions. */
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const part = (placed: Placed, name: string): Address => placed.parts[name] ?? zeroAddress;

interface Outside {
  user: TestUser;
  hash: Hex;
}

/** Makes the request that Causeway builds for somebody else, so that no deposit of the user is recorded. */
async function requestOutside(placed: Placed): Promise<Outside> {
  const [user, other] = [await world.user(placed.asset, amount), await world.user(placed.asset, amount)];
  const built = JSON.stringify(await build({ placed, user: other.address, amount }));
  const inOwnName = built.replaceAll(
    new RegExp(other.address.slice(2), "gi"),
    user.address.slice(2).toLowerCase(),
  );
  const hash = await signDeposit(world, {
    user,
    built: JSON.parse(inOwnName) as SentDeposit,
    style: "calls",
  });
  return { user, hash };
}

async function statusOf({ hash }: { hash: Hex }): Promise<TransferStatus> {
  const { body } = await read(
    await world.fresh().send(`/v1/status?tx_hash=${hash}&from_chain_id=${world.chainId}`),
  );
  return TransferStatus.parse(body);
}

const WAITS = { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT", receiving: null, deposit: null };

describe("status of a request to a Mellow queue that nobody built", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployMellow({ queue: "async", caller: "user" });
    const family = { name: "q", adapter: "mellow", type: "lido" as const, deploy };
    placed = await place(world, { family, decimals: DECIMALS });
  });
  const onQueue = (name: string, ...args: readonly unknown[]) =>
    set(placed, { abi: mellowDepositQueueAbi as Abi, name, args, on: part(placed, "queue") });

  test("is claimable once the queue settles it, and done once the shares arrive", () =>
    world.undone(async () => {
      const asked = await requestOutside(placed);
      expect(await statusOf(asked)).toMatchObject({ ...WAITS, sending: { amount: String(amount) } });
      await onQueue("settle", asked.user.address);
      expect(await statusOf(asked)).toMatchObject({ ...WAITS, substatus: "WAIT_CLAIM_TRANSACTION" });
      await onQueue("claim", asked.user.address);
      const done = await statusOf(asked);
      expect(done).toMatchObject({ status: "DONE", substatus: "COMPLETED", deposit: null });
      // The queue keeps one balance for each account, so that the claim may have been for several requests.
      expect(done.receiving).toMatchObject({ amount: null, kind: "shares" });
      expect(done.receiving?.tx_hash).not.toBe(asked.hash);
    }));

  test("is refunded once the user cancels", () =>
    world.undone(async () => {
      const asked = await requestOutside(placed);
      const args = [part(placed, "queue"), amount] as const;
      const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await world.send(placed.vault, { to: placed.asset.address, data: approve });
      const data = encodeFunctionData({ abi: mellowDepositQueueAbi, functionName: "cancelDepositRequest" });
      const { transactionHash } = await world.send(asked.user.address, { to: part(placed, "queue"), data });
      expect(await statusOf(asked)).toMatchObject({
        ...{ status: "DONE", substatus: "REFUNDED" },
        receiving: { tx_hash: transactionHash, amount: String(amount), kind: "asset" },
      });
    }));

  test("does not end by shares from elsewhere", () =>
    world.undone(async () => {
      const asked = await requestOutside(placed);
      const args = [asked.user.address, 10n ** 18n] as const;
      const gift = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      await world.send(placed.owner, { to: placed.shareToken, data: gift });
      expect(await statusOf(asked)).toMatchObject(WAITS);
    }));
});

describe("status of a request to a Midas DepositVault that nobody built", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployMidas({ deposit: "request", recipient: "argument", caller: "user" });
    const family = { name: "m", adapter: "midas", type: "midas" as const, deploy };
    placed = await place(world, { family, decimals: DECIMALS });
  });
  const onDeposits = (name: string, ...args: readonly unknown[]) =>
    set(placed, { abi: midasDepositVaultAbi as Abi, name, args, on: part(placed, "deposits") });
  /** The stand-in numbers requests from zero, one after the other. */
  const numbers: bigint[] = [0n, 1n];

  test("is done with its shares once the administrator approves it", () =>
    world.undone(async () => {
      const asked = await requestOutside(placed);
      expect(await statusOf(asked)).toMatchObject(WAITS);
      for (const id of numbers) await onDeposits("approveRequest", id, RATE).catch(() => undefined);
      const shares = await balanceOf(world, { token: placed.shareToken, owner: asked.user.address });
      expect(await statusOf(asked)).toMatchObject({
        ...{ status: "DONE", substatus: "COMPLETED" },
        receiving: { kind: "shares" },
      });
      expect(shares).toBeGreaterThan(0n);
    }));

  test("has failed once the administrator rejects it, until a refund arrives", () =>
    world.undone(async () => {
      const asked = await requestOutside(placed);
      for (const id of numbers) await onDeposits("rejectRequest", id).catch(() => undefined);
      expect(await statusOf(asked)).toMatchObject({
        ...{ status: "FAILED", substatus: "NOT_PROCESSABLE_REFUND_NEEDED", receiving: null },
      });
      const args = [asked.user.address, amount] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      await world.send(placed.owner, { to: placed.asset.address, data });
      expect(await statusOf(asked)).toMatchObject({ status: "DONE", substatus: "REFUNDED" });
    }));
});
