import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eulerVaultAbi, eulerVaultCreationCode } from "#stand-ins/lending";
import { advanceToNow } from "../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { indexFlowsJob } from "../../src/jobs.ts";
import { followDeposits } from "../../src/tracking/follow/follow-deposits.ts";
import { build, execute, sampleAmount } from "../support/conformance/vaults/deposit.ts";
import { deployStandard } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import { call } from "../support/partners/wallet.ts";
import { Holder } from "../support/withdrawals/holder.ts";

/** What the flow index does not include yet must look neither like a gain nor like a loss. */
const amount = sampleAmount(6);
const family = {
  ...{ name: "an instant vault", adapter: "euler", type: "custom" as const },
  deploy: deployStandard({ abi: eulerVaultAbi, code: eulerVaultCreationCode }),
} as const;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await advanceToNow(world.url);
});
afterAll(() => world?.close());

const mine = (): Promise<unknown> => rpc(world.url, "anvil_mine", "0x10");
const index = (): Promise<unknown> => indexFlowsJob.run(world.fresh().context());

/** An account with an indexed deposit, which holds as much again. */
async function depositor(): Promise<Holder> {
  const one = await Holder.with(await place(world, { family, decimals: 6 }), 2n * amount);
  await one.deposit(amount);
  await mine();
  // The first run finds the block from which on the vault is indexed.
  await index();
  await index();
  expect(await one.position()).toMatchObject({ deposited_assets: String(amount) });
  return one;
}

async function depositAgain({ placed, user }: Holder): Promise<{ hash: Hex; trackingId: string }> {
  const built = await build({ placed, user: user.address, amount });
  const { transactionHash } = await execute(placed, { user, built });
  return { hash: transactionHash, trackingId: built.tracking_id };
}

/** Deposits by the vault's own call, as an application other than this service would. */
async function depositElsewhere({ placed, user }: Holder): Promise<void> {
  const approval = { abi: erc20Abi, functionName: "approve", args: [placed.vault, amount] } as const;
  await world.send(user.address, { to: placed.asset.address, data: encodeFunctionData(approval) });
  const deposit = { abi: eulerVaultAbi, functionName: "deposit", args: [amount, user.address] } as const;
  await world.send(user.address, { to: placed.vault, data: encodeFunctionData(deposit) });
}

async function redeemElsewhere({ placed, user }: Holder, shares: bigint): Promise<void> {
  const args = [shares, user.address, user.address] as const;
  const redeem = { abi: eulerVaultAbi, functionName: "redeem", args } as const;
  await world.send(user.address, { to: placed.vault, data: encodeFunctionData(redeem) });
}

const unknown = { deposited_assets: null, yield_assets: null };

describe("deposited and earned amounts are unknown", () => {
  test.each(["confirmed", "unconfirmed"])("after a second deposit that is seen, %s", async (how) => {
    const one = await depositor();
    const { hash } = await depositAgain(one);
    if (how === "confirmed") await mine();
    await one.status(hash);
    const position = await one.position();
    expect(BigInt(position?.current_assets ?? 0)).toBeGreaterThan((3n * amount) / 2n);
    expect(position).toMatchObject(unknown);
    await mine();
    await one.status(hash);
    await index();
    expect(await one.position()).toMatchObject({ deposited_assets: String(2n * amount) });
  });

  test("after a withdrawal that is seen", async () => {
    const one = await depositor();
    const { hash } = await one.withdraw((await one.held("share")) / 2n);
    await mine();
    await one.status(hash);
    expect(await one.position()).toMatchObject(unknown);
    await index();
    const paid = await one.held("asset");
    expect(await one.position()).toMatchObject({ deposited_assets: String(2n * amount - paid) });
  });

  test("after a deposit made elsewhere, until it is indexed", async () => {
    const one = await depositor();
    await depositElsewhere(one);
    await mine();
    const position = await one.position();
    expect(BigInt(position?.current_assets ?? 0)).toBeGreaterThan((3n * amount) / 2n);
    expect(position).toMatchObject(unknown);
    await index();
    const indexed = await one.position();
    expect(indexed).toMatchObject({ deposited_assets: String(2n * amount) });
    expect(indexed?.yield_assets).not.toBeNull();
  });

  test("after a redemption made elsewhere, until it is indexed", async () => {
    const one = await depositor();
    await redeemElsewhere(one, (await one.held("share")) / 2n);
    await mine();
    expect(await one.position()).toMatchObject(unknown);
    await index();
    const paid = await one.held("asset");
    expect(await one.position()).toMatchObject({ deposited_assets: String(2n * amount - paid) });
  });

  test("after a deposit that the jobs find without a report", async () => {
    const one = await depositor();
    await depositAgain(one);
    await mine();
    for (let round = 0; round < 2; round += 1) await followDeposits(world.fresh().context());
    expect(await one.position()).toMatchObject(unknown);
  });
});

describe("only the earned amount is unknown", () => {
  test("after shares were sent to another account, for both accounts", async () => {
    const one = await depositor();
    const other = await Holder.with(one.placed, 2n * amount);
    await other.deposit(amount);
    await mine();
    await index();
    expect((await other.position())?.yield_assets).not.toBeNull();
    const sent = (await one.held("share")) / 4n;
    await one.transfer(other.address, sent);
    const both = async () => [await one.position(), await other.position()];
    const transferred = { deposited_assets: String(amount), yield_assets: null };
    await mine();
    // Before it is indexed, a transfer cannot be told from a deposit or a redemption.
    expect(await both()).toMatchObject([unknown, unknown]);
    await index();
    expect(await both()).toMatchObject([transferred, transferred]);
    await mine();
    expect(await both()).toMatchObject([transferred, transferred]);
    await other.transfer(one.address, sent);
    await mine();
    await index();
    expect((await both()).map((position) => position?.yield_assets)).not.toContain(null);
  });
});

describe("deposited and earned amounts stay known", () => {
  test("when a stranger sends an amount that rounding may explain", async () => {
    const one = await depositor();
    const stranger = await Holder.with(one.placed, 2n * amount);
    await stranger.deposit(amount);
    await stranger.transfer(one.address, 1n);
    await mine();
    await index();
    expect((await one.position())?.yield_assets).not.toBeNull();
  });

  test("whatever strangers report", async () => {
    const one = await depositor();
    const { placed, user } = one;
    const { tracking_id: id } = await build({ placed, user: user.address, amount });
    const body = { tx_hash: `0x${"5a".repeat(32)}`, step: "source" };
    const { status } = await call(world.fresh(), ["PATCH", `/v1/deposits/${id}/tx`], { body });
    expect(status).toBe(200);
    expect(await one.position()).toMatchObject({ deposited_assets: String(amount) });
  });
});
