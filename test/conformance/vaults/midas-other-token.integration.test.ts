import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import {
  deployMidasPayingOther,
  OTHER_DECIMALS,
  OTHER_RATE,
  RATE,
} from "../../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const setup = { deposit: "instant", recipient: "argument", caller: "router" } as const;
/** Units by which a value may differ that is rounded at each price. */
const ROUNDING = 2n;

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const placeVault = (stable: boolean): Promise<Placed> =>
  place(world, {
    family: {
      ...{ name: "Midas", adapter: "midas", type: "midas" },
      deploy: deployMidasPayingOther({ ...setup, stable }),
    },
    decimals: DECIMALS,
  });

describe.each([
  ["a fixed price", true],
  ["a price feed", false],
])("Midas whose RedemptionVault pays another token than the asset, which has %s", (_, stable) => {
  let placed: Placed;
  let other: Address;
  beforeAll(async () => {
    placed = await placeVault(stable);
    other = placed.parts["other"] ?? zeroAddress;
  });

  async function holder(): Promise<Holder> {
    const one = await Holder.with(placed, amount);
    await one.deposit(amount);
    await confirm(placed);
    return one;
  }
  const paidTo = (owner: Address) => balanceOf(world, { token: other, owner });
  const inOther = (shares: bigint) => (shares * RATE) / OTHER_RATE / 10n ** BigInt(18 - OTHER_DECIMALS);
  const answerRequest = (name: "approveRequest" | "rejectRequest", id: string) =>
    set(placed, {
      ...{ abi: midasRedemptionVaultAbi, name, on: placed.parts["redemptions"] },
      args: name === "approveRequest" ? [BigInt(id), RATE] : [BigInt(id)],
    });

  test("pays it at once, exactly as previewed, and leaves no share", async () => {
    const one = await holder();
    const shares = await one.held("share");
    const { built, hash } = await one.withdraw("all", { to_token: other, mode: "instant" });
    expect(built).toMatchObject({ two_step: false, estimate: { assets: String(inOther(shares)) } });
    const received = await paidTo(one.address);
    expect(received).toBe(inOther(shares));
    expect(received).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? received + 1n));
    expect(await one.held("share")).toBe(0n);
    await confirm(placed);
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      withdrawal: { state: "completed", assets: String(received) },
    });
    expect(await one.position()).toBe(null);
  });

  test("counts a request by its value in the asset, until it is paid in the other token", async () => {
    const one = await holder();
    const shares = await one.held("share");
    const before = BigInt((await one.position())?.current_assets ?? "-1");
    const { hash } = await one.withdraw(shares / 2n, { to_token: other, mode: "request" });
    await confirm(placed);
    await one.status(hash);
    const waiting = await one.position();
    const [request] = waiting?.requests ?? [];
    expect(request).toMatchObject({
      ...{ kind: "redeem", state: "pending", assets: String(inOther(shares / 2n)) },
      token: { address: other, decimals: OTHER_DECIMALS },
    });
    near(BigInt(waiting?.current_assets ?? "-1"), before);
    near(BigInt(waiting?.deposited_assets ?? "-1"), amount);
    await answerRequest("approveRequest", request?.request_id ?? "");
    await confirm(placed);
    const received = await paidTo(one.address);
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      withdrawal: { state: "completed", assets: String(received) },
    });
    const after = await one.position();
    expect(after).toMatchObject({ requests: [], share_balance: String(shares - shares / 2n) });
    // Without a fixed price, the asset's price at the time of the payment is unknown.
    if (!stable) expect(after).toMatchObject({ deposited_assets: null, yield_assets: null });
    else near(BigInt(after?.deposited_assets ?? "-1"), amount - before / 2n);
  });

  test("shows a rejected request as lost, at no value", async () => {
    const one = await holder();
    const { hash } = await one.withdraw("all", { to_token: other, mode: "request" });
    await confirm(placed);
    await one.status(hash);
    const [request] = (await one.position())?.requests ?? [];
    await answerRequest("rejectRequest", request?.request_id ?? "");
    await confirm(placed);
    expect(await one.status(hash)).toMatchObject({ status: "FAILED", substatus: "REJECTED" });
    expect(await one.position()).toBe(null);
    expect(await paidTo(one.address)).toBe(0n);
  });

  test("offers the asset in no mode while nothing swaps its payment to it", async () => {
    const one = await holder();
    for (const mode of ["instant", "request"])
      expect((await one.ask("all", { mode })).body).toMatchObject({ code: "no_route" });
    const { body } = await one.ask("all", { mode: "request" });
    expect(body["detail"]).toMatch(/; withdraw to .* on the vault's chain/);
  });
});

function near(seen: bigint, wanted: bigint): void {
  expect(seen - wanted).toBeLessThanOrEqual(ROUNDING);
  expect(wanted - seen).toBeLessThanOrEqual(ROUNDING);
}
