import { type Address, erc20Abi } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { deployMidas } from "./support/conformance/vaults/midas-stand-in.ts";
import { set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { read } from "./support/partners/wallet.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import { requestingVaults } from "./support/withdrawals/requesting-vaults.ts";

let world: World;
let restoreDeadlines = (): void => undefined;
beforeAll(async () => {
  restoreDeadlines = extendDeadlines();
  world = await startWorld();
});
afterAll(async () => {
  await world?.close();
  restoreDeadlines();
});

async function holderAt(placed: Placed): Promise<Holder> {
  const one = await Holder.with(placed, sampleAmount(6));
  await one.deposit(sampleAmount(6));
  await confirm(placed);
  return one;
}

const allowanceOf = ({ placed, address }: Holder, spender: string): Promise<bigint> =>
  world.client.readContract({
    ...{ address: placed.shareToken, abi: erc20Abi, functionName: "allowance" },
    args: [address, spender as Address],
  });

describe("Midas, redeemed by the owner's own call", () => {
  test.each([
    ["with a fee, which alone is taken by allowance", 100n],
    ["without a fee, of which nothing is taken by allowance", 0n],
  ])("%s: no allowance and no share is left behind", async (_, fee) => {
    const setup = { deposit: "instant", recipient: "argument", caller: "router", redeemVia: "user" } as const;
    const family = { name: "A vault", adapter: "midas", type: "midas", deploy: deployMidas(setup) } as const;
    const placed = await place(world, { family, decimals: 6 });
    const redemptions = placed.parts["redemptions"] ?? placed.vault;
    await set(placed, { abi: midasRedemptionVaultAbi, name: "setInstantFee", args: [fee], on: redemptions });
    const one = await holderAt(placed);
    const shares = await one.held("share");
    const { built } = await one.withdraw("all", { mode: "instant", slippage: 0.03 });
    expect(built.approval?.amount ?? "0").toBe(String((shares * fee) / 10_000n));
    expect(await one.held("share")).toBe(0n);
    expect(await one.held("asset")).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? shares));
    expect(await allowanceOf(one, redemptions)).toBe(0n);
  });
});

describe("Midas, which exempts the owner but not the Router", () => {
  const setup = { deposit: "instant", recipient: "argument", caller: "router" } as const;
  const family = { name: "A vault", adapter: "midas", type: "midas", deploy: deployMidas(setup) } as const;

  test.each([
    ["a fee within the slippage", ["setInstantFee", [50n]], ["waiveFee", true]],
    ["a fee beyond what is accepted", ["setInstantFee", [500n]], ["waiveFee", true]],
    ["its smallest redemption", ["setMinAmount", [10n ** 30n]], ["freeFromMinAmount", true]],
  ] as const)(
    "from %s: is left by the owner's own call, for all that the shares are worth",
    async (_, rule, free) => {
      const placed = await place(world, { family, decimals: 6 });
      const redemptions = placed.parts["redemptions"] ?? placed.vault;
      const change = (name: string, args: readonly unknown[]) =>
        set(placed, { abi: midasRedemptionVaultAbi, name, args, on: redemptions });
      const one = await holderAt(placed);
      await change(rule[0], rule[1]);
      await change(free[0], [one.address, free[1]]);
      const { body } = await one.quote("all");
      expect(body).toMatchObject({ options: [{ mode: "instant", exit_fee: "0" }, { mode: "request" }] });
      const asked = `/v1/actions/${one.address}/${world.chainId}:${placed.vault}`;
      expect((await read(await world.fresh().send(asked))).body).toMatchObject({
        withdraw: { allowed: true, mode: "instant", max: String(await one.held("share")) },
      });
      const { built } = await one.withdraw("all", { authorize: "auto" });
      expect(built).toMatchObject({ mode: "instant", authorize: "approve", approval: null, warnings: [] });
      expect(built.transaction_request?.to.toLowerCase()).toBe(redemptions.toLowerCase());
      expect(await one.held("share")).toBe(0n);
      expect(await one.held("asset")).toBe(BigInt(built.estimate.assets ?? "0"));
      expect(BigInt(built.estimate.min_assets ?? "0")).toBeGreaterThan(0n);
    },
  );
});

test.each(requestingVaults.map((kind) => [kind.name, kind] as const))(
  "%s: a request of all shares leaves no allowance behind",
  async (_, kind) => {
    const placed = await place(world, { family: kind, decimals: 6 });
    const one = await holderAt(placed);
    await kind.invest?.(placed);
    const { built } = await one.withdraw("all", { mode: "request" });
    const spender = built.approval?.spender_address;
    if (spender !== undefined) expect(await allowanceOf(one, spender)).toBe(0n);
    if (kind.inWallet !== true) expect(await one.held("share")).toBe(0n);
  },
);
