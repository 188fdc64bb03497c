import { type Address, encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { cheatingVaultAbi, cheatingVaultCreationCode } from "#stand-ins/cheating";
import { TransactionRequest } from "../src/schemas/transaction-schema.ts";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { deployStandard, set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { mint, whole } from "./support/conformance/vaults/use.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { SentDeposit } from "./support/e2e/api.ts";
import { balanceOf } from "./support/e2e/balances.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import { vaultBeside } from "./support/withdrawals/instant-vaults.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const THIEF: Address = "0x00000000000000000000000000000000000bad02";
/** Tricks of the contract, by their numbers there. */
const TRICKS = {
  ...{ none: 0, paysHalf: 1, paysThief: 2, paysNothing: 4, paysOther: 9, takesShares: 11 },
} as const;
type Trick = keyof typeof TRICKS;

let world: World;
let placed: Placed;
let beside: Placed;
beforeAll(async () => {
  world = await startWorld();
  const deploy = deployStandard({ abi: cheatingVaultAbi, code: cheatingVaultCreationCode });
  const family = { name: "A vault", adapter: "erc4626", type: "custom", deploy } as const;
  placed = await place(world, { family, decimals: DECIMALS });
  beside = await place(world, { family: vaultBeside, decimals: DECIMALS, asset: placed.asset });
  const other = await world.token(DECIMALS);
  const gift = { token: other, to: placed.vault, amount: whole(other, 1_000_000n) };
  await world.script((script) => mint(script, gift));
  await call("payIn", other.address);
});
afterAll(() => world?.close());

const call = (name: string, ...args: readonly unknown[]) =>
  set(placed, { abi: cheatingVaultAbi, name, args });
const play = (trick: Trick) => call("play", TRICKS[trick], THIEF);

async function holder(): Promise<Holder> {
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  return one;
}

/**
 * Builds a redemption of all shares by the owner's own call, plays a trick, and sends it. Nothing on chain enforces a
 * minimum of it.
 */
async function leaveUnrouted(trick: Trick): Promise<{ one: Holder; hash: Hex; received: bigint }> {
  const one = await holder();
  // Shares that lose half on a transfer cannot be redeemed by the Router.
  await play("takesShares");
  const built = await one.build("all");
  expect(built).toMatchObject({ approval: null, estimate: { min_assets: null } });
  await play(trick);
  const hash = await one.sign(built);
  await play("none");
  await confirm(placed);
  expect(await one.held("share")).toBe(0n);
  return { one, hash, received: await one.held("asset") };
}

describe.each([
  ["says so", true],
  ["emits the event of a full payment", false],
])("a vault that cheats the owner's own call, and %s", (_, truthful) => {
  const each = (name: string, work: () => Promise<void>) =>
    test(name, () =>
      world.undone(async () => {
        await call("admit", truthful);
        await work();
      }),
    );

  each("pays half: the record states what arrived", async () => {
    const { one, hash, received } = await leaveUnrouted("paysHalf");
    expect(received).toBeLessThan(amount);
    const status = await one.status(hash);
    expect(status.withdrawal).toMatchObject({ state: "completed", assets: String(received) });
    expect(status.receiving).toMatchObject({ amount: String(received) });
  });

  describe.each(["paysThief", "paysNothing", "paysOther"] as const)("%s", (trick) => {
    each("is said to have failed, with the shares that are gone and no amount paid", async () => {
      const { one, hash, received } = await leaveUnrouted(trick);
      expect(received).toBe(0n);
      const status = await one.status(hash);
      expect(status).toMatchObject({
        ...{ status: "FAILED", substatus: "UNKNOWN_ERROR" },
        withdrawal: { state: "failed", assets: null, next: null },
      });
      expect(await one.record(status.withdrawal?.tracking_id ?? "")).toMatchObject({
        ...{ state: "failed", source_tx_hash: hash, assets: null },
      });
    });
  });
});

describe("a move out of a vault that turns to cheating after the build", () => {
  async function builtMove(one: Holder): Promise<SentDeposit> {
    const { status, body } = await one.askMove(await one.held("share"), beside);
    expect(status).toBe(200);
    return SentDeposit.parse(body);
  }

  /** Sends a built move by the account's own call, and returns whether it succeeded. */
  async function succeeds(one: Holder, { transaction_request: request, approval }: SentDeposit) {
    if (approval !== null) {
      const args = [approval.spender_address as Address, BigInt(approval.amount)] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await world.send(one.address, { to: approval.token_address as Address, data });
    }
    const { to, data } = TransactionRequest.parse(request);
    const sent = world.send(one.address, { to: to as Address, data: data as Hex });
    return sent.then(
      () => true,
      () => false,
    );
  }

  test.each(["paysHalf", "paysThief", "paysNothing", "paysOther"] as const)("%s: nothing moves", (trick) =>
    world.undone(async () => {
      const one = await holder();
      const shares = await one.held("share");
      const built = await builtMove(one);
      await play(trick);
      expect(await succeeds(one, built)).toBe(false);
      expect(await one.held("share")).toBe(shares);
      expect(await one.at(beside).held("share")).toBe(0n);
      // Nor is it built anew.
      expect((await one.askMove(shares, beside)).status).toBe(400);
    }),
  );

  test("both vaults lose a part: as many shares do not make up for less than the minimum", () =>
    world.undone(async () => {
      const one = await holder();
      const shares = await one.held("share");
      const built = await builtMove(one);
      await call("charge", 200n);
      const held = await balanceOf(world, { token: placed.asset.address, owner: beside.vault });
      const args = [THIEF, (held * 3n) / 100n] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      await world.send(beside.vault, { to: placed.asset.address, data });
      expect(await succeeds(one, built)).toBe(false);
      expect(await one.held("share")).toBe(shares);
      await call("charge", 0n);
      expect(await succeeds(one, built)).toBe(true);
      expect(await one.at(beside).held("share")).toBeGreaterThanOrEqual(
        BigInt(built.estimate.min_shares ?? 0),
      );
    }));
});
