import { type Address, encodeFunctionData, erc20Abi, type Hex, stringToHex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  cheatingQueueAbi,
  cheatingQueueCreationCode,
  cheatingVaultAbi,
  cheatingVaultCreationCode,
} from "#stand-ins/cheating";
import { installPermit2 } from "../scripts/stack/chains/infrastructure.ts";
import { depositRouterAddress } from "../src/router/router-address.ts";
import { permit2Address } from "../src/router/router-signature-messages.ts";
import type { BuiltWithdrawal } from "../src/schemas/withdraw-build-schema.ts";
import { sampleAmount } from "./support/conformance/vaults/deposit.ts";
import type { Placed } from "./support/conformance/vaults/family.ts";
import { deployStandard, set } from "./support/conformance/vaults/standard.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { mint, whole } from "./support/conformance/vaults/use.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { balanceOf } from "./support/e2e/balances.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
const THIEF: Address = "0x00000000000000000000000000000000000bad01";
/** Tricks of the contracts, by their numbers there. */
const VAULT_TRICKS = [
  ...["none", "paysHalf", "paysThief", "reenters", "paysNothing", "burnsMore", "wastesGas"],
  ...["returnsMuch", "inflatesBalances", "paysOther", "changesAsset", "takesShares"],
];
const QUEUE_TRICKS = [
  ...["none", "recordsThief", "recordsNothing", "paysThief", "paysHalf", "paysNothing"],
  ...["burnsCancelled", "returnsToThief", "recordsHalf", "takesMore"],
];

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function holderOf(placed: Placed): Promise<Holder> {
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await confirm(placed);
  return one;
}

/** Sends a built withdrawal and returns whether it succeeded. */
async function succeeds(one: Holder, built: BuiltWithdrawal): Promise<{ done: boolean; hash: Hex }> {
  const hash = await one.send(built);
  const receipt = await world.client.waitForTransactionReceipt({ hash });
  await confirm(one.placed);
  return { done: receipt.status === "success", hash };
}

describe("a vault that cheats those who leave it", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployStandard({ abi: cheatingVaultAbi, code: cheatingVaultCreationCode });
    placed = await place(world, {
      family: { name: "A vault", adapter: "erc4626", type: "custom", deploy },
      decimals: DECIMALS,
    });
    const other = await world.token(DECIMALS);
    await world.script((script) =>
      mint(script, { token: other, to: placed.vault, amount: whole(other, 1_000_000n) }),
    );
    await call("payIn", [other.address]);
  });

  const call = (name: string, args: readonly unknown[]) => set(placed, { abi: cheatingVaultAbi, name, args });
  const play = (trick: string) => call("play", [VAULT_TRICKS.indexOf(trick), THIEF]);
  const each = (name: string, work: () => Promise<void>) => test(name, () => world.undone(work));

  each("pays honestly at first, and leaves neither shares nor an allowance", async () => {
    const one = await holderOf(placed);
    const built = await one.build("all");
    expect(await succeeds(one, built)).toMatchObject({ done: true });
    expect(await one.held("share")).toBe(0n);
    expect(await one.held("asset")).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? amount * 2n));
    const view = { address: placed.shareToken, abi: erc20Abi, functionName: "allowance" } as const;
    const args = [one.address, depositRouterAddress] as const;
    expect(await world.client.readContract({ ...view, args })).toBe(0n);
  });

  describe.each([
    ["paysHalf", "pays half of what it previews"],
    ["paysThief", "pays somebody else"],
    ["paysNothing", "pays nothing, but emits the events of a payment"],
    ["paysOther", "pays in a worthless token"],
    ["wastesGas", "uses up all gas"],
    ["returnsMuch", "reverts with a megabyte"],
    ["takesShares", "diverts shares at their transfer"],
  ])("that %s", (trick) => {
    each("is not built, or without what it cheats at", async () => {
      const one = await holderOf(placed);
      await play(trick);
      const { status, body } = await one.ask("all");
      // The owner's own redemption transfers no shares, so that nothing can be diverted.
      if (trick === "takesShares") {
        expect(body).toMatchObject({ approval: null, estimate: { min_assets: null } });
        await one.withdraw("all");
        return expect(await one.held("asset")).toBeGreaterThanOrEqual((amount * 995n) / 1_000n);
      }
      expect([trick, status]).toEqual([trick, 400]);
      expect(["price_unsafe", "would_revert", "no_liquidity"]).toContain(body["code"]);
    });

    each("costs nothing where it turns to it after the build", async () => {
      const one = await holderOf(placed);
      const shares = await one.held("share");
      const built = await one.build("all");
      await call("aim", [THIEF, stringToHex(built.tracking_id)]);
      await play(trick);
      const { done, hash } = await succeeds(one, built);
      expect([trick, done]).toEqual([trick, false]);
      expect(await one.held("share")).toBe(shares);
      expect(await one.status(hash)).toMatchObject({ status: "FAILED", withdrawal: { state: "failed" } });
    });
  });

  each(
    "diverts shares at their transfer: `auto` takes no signature, which only the Router could use",
    async () => {
      const one = await holderOf(placed);
      await installPermit2(world.url);
      const args = [permit2Address, await one.held("share")] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
      await world.send(one.address, { to: placed.shareToken, data });
      expect((await one.ask("all", { authorize: "auto" })).body).toMatchObject({ authorize: "permit2" });
      await play("takesShares");
      expect(await one.ask("all", { authorize: "permit2" })).toMatchObject({ status: 400 });
      const { built } = await one.withdraw("all", { authorize: "auto" });
      expect(built).toMatchObject({
        authorize: "approve",
        approval: null,
        warnings: [{ code: "no_minimum" }],
      });
      expect(await one.held("asset")).toBeGreaterThanOrEqual((amount * 995n) / 1_000n);
    },
  );

  each(
    "takes all other shares of the account too: is not built, and is bound to what was approved",
    async () => {
      const one = await holderOf(placed);
      const half = (await one.held("share")) / 2n;
      const built = await one.build(half);
      await play("burnsMore");
      expect(await one.ask(half)).toMatchObject({ status: 400, body: { code: "price_unsafe" } });
      // The share token is the vault's: no contract can keep it from its own balances. The redeemed part is paid.
      await succeeds(one, built);
      expect(await one.held("asset")).toBeGreaterThanOrEqual(
        BigInt(built.estimate.min_assets ?? amount * 2n),
      );
    },
  );

  each("reenters the Router with the user's own call: it is paid once, and what was promised", async () => {
    const one = await holderOf(placed);
    const half = (await one.held("share")) / 2n;
    const built = await one.build(half);
    await call("aim", [depositRouterAddress, built.transaction_request?.data]);
    await play("reenters");
    expect(await succeeds(one, built)).toMatchObject({ done: true });
    expect(await one.held("share")).toBeGreaterThanOrEqual(half);
    expect(await one.held("asset")).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? amount * 2n));
    expect(await balanceOf(world, { token: placed.asset.address, owner: placed.vault })).toBeGreaterThan(0n);
  });

  each(
    "raises its exit fee after the build: within the slippage it pays the minimum, beyond it nothing moves",
    async () => {
      const one = await holderOf(placed);
      const shares = await one.held("share");
      const built = await one.build(shares / 2n);
      await call("charge", [100n]);
      expect(await succeeds(one, built)).toMatchObject({ done: false });
      expect(await one.held("share")).toBe(shares);
      await call("charge", [40n]);
      expect(await succeeds(one, built)).toMatchObject({ done: true });
      expect(await one.held("asset")).toBeGreaterThanOrEqual(
        BigInt(built.estimate.min_assets ?? amount * 2n),
      );
    },
  );

  each("doubles the balances that it shows: nothing is taken that is not there", async () => {
    const one = await holderOf(placed);
    const shares = await one.held("share");
    const built = await one.build("all");
    await play("inflatesBalances");
    const { status } = await one.ask("all");
    expect(status === 400 || status === 200).toBe(true);
    const { done } = await succeeds(one, built);
    await play("none");
    const received = await one.held("asset");
    if (done) expect(received).toBeGreaterThanOrEqual(BigInt(built.estimate.min_assets ?? amount * 2n));
    else expect(await one.held("share")).toBe(shares);
  });

  each("names another asset: is refused", async () => {
    const one = await holderOf(placed);
    await play("changesAsset");
    const { status, body } = await one.ask("all");
    expect([400, 502]).toContain(status);
    expect(["upstream_rejected", "price_unsafe"]).toContain(body["code"]);
  });

  each("another account sends the user's call: the Router takes nothing from the user", async () => {
    const [one, other] = [await holderOf(placed), await holderOf(placed)];
    const shares = await one.held("share");
    const built = await one.build("all");
    expect((await one.ask("all", { receiver: other.address })).body).toMatchObject({
      detail: [{ type: "unknown_field" }],
    });
    // The user has approved, and the other account sends.
    const args = [depositRouterAddress, shares] as const;
    const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    await world.send(one.address, { to: placed.shareToken, data: approval });
    const { to = depositRouterAddress, data = "0x" } = built.transaction_request ?? {};
    const call = { to: to as Address, data: data as Hex };
    await expect(world.send(other.address, call)).rejects.toThrow("reverted");
    expect(await one.held("share")).toBe(shares);
    expect((await other.ask("all", { user_address: one.address })).status).toBe(200);
    expect(await other.held("share")).toBeGreaterThan(0n);
  });
});

describe("a vault that cheats with its requests", () => {
  let placed: Placed;
  beforeAll(async () => {
    const deploy = deployStandard({ abi: cheatingQueueAbi, code: cheatingQueueCreationCode });
    placed = await place(world, {
      family: { name: "A queue", adapter: "accountable", type: "accountable", deploy },
      decimals: DECIMALS,
    });
  });
  const play = (trick: string) =>
    set(placed, { abi: cheatingQueueAbi, name: "play", args: [QUEUE_TRICKS.indexOf(trick), THIEF] });
  const settle = (user: Address) => set(placed, { abi: cheatingQueueAbi, name: "settle", args: [user] });
  const each = (name: string, work: () => Promise<void>) => test(name, () => world.undone(work));

  async function requested(): Promise<{ one: Holder; hash: Hex; shares: bigint }> {
    const one = await holderOf(placed);
    const shares = await one.held("share");
    const { hash } = await one.withdraw("all", { mode: "request" });
    await confirm(placed);
    await one.status(hash);
    return { one, hash, shares };
  }

  each("is honest at first", async () => {
    const { one, hash } = await requested();
    await settle(one.address);
    await one.follow("claim", "0");
    await confirm(placed);
    expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
  });

  test.each(["recordsThief", "recordsNothing"])("is not built where it %s", (trick) =>
    world.undone(async () => {
      const one = await holderOf(placed);
      await play(trick);
      const { status, body } = await one.ask("all", { mode: "request" });
      expect([status, body["code"]]).toEqual([502, "upstream_rejected"]);
    }),
  );

  test.each(["recordsHalf", "takesMore"])("is not built for a part of the shares where it %s", (trick) =>
    world.undone(async () => {
      const one = await holderOf(placed);
      await play(trick);
      const part = (await one.held("share")) / 2n;
      expect((await one.ask(part, { mode: "request" })).body).toMatchObject({
        ...{ status: 400, code: "price_unsafe", subject: "vault" },
      });
    }),
  );

  test.each(["paysThief", "paysNothing"])("has no claim where it %s, and is never complete", (trick) =>
    world.undone(async () => {
      const { one, hash } = await requested();
      await settle(one.address);
      await play("none");
      const claim = await one.askAbout("claim", "0");
      expect(claim.status).toBe(200);
      await play(trick);
      expect((await one.askAbout("claim", "0")).body).toMatchObject({ code: "nothing_to_withdraw" });
      // The user sends the claim that was built before.
      await one.sign(claim.body as Pick<BuiltWithdrawal, "transaction_request" | "approval" | "calls">);
      await confirm(placed);
      const status = await one.status(hash);
      expect(status.status).not.toBe("DONE");
      expect(await one.held("asset")).toBe(0n);
    }),
  );

  each("pays half of a claim: it is built with a warning, and the record says what arrived", async () => {
    const { one, hash } = await requested();
    await settle(one.address);
    await confirm(placed);
    expect((await one.askAbout("claim", "0")).body["warnings"]).toEqual([]);
    await play("paysHalf");
    expect((await one.askAbout("claim", "0")).body["warnings"]).toMatchObject([{ code: "pays_less" }]);
    const { withdrawal } = await one.status(hash);
    expect(withdrawal?.next?.warnings).toMatchObject([{ code: "pays_less" }]);
    await one.follow("claim", "0");
    await confirm(placed);
    const received = await one.held("asset");
    expect(await one.status(hash)).toMatchObject({ withdrawal: { assets: String(received) } });
  });

  test.each(["burnsCancelled", "returnsToThief"])("has no cancellation where it %s", (trick) =>
    world.undone(async () => {
      const { one, shares } = await requested();
      await play(trick);
      expect((await one.askAbout("cancel", "0")).body).toMatchObject({
        ...{ status: 400, code: "price_unsafe", subject: "vault" },
      });
      await play("none");
      await one.follow("cancel", "0");
      expect(await one.held("share")).toBe(shares);
    }),
  );

  each("another account neither claims nor cancels the user's request by what the API builds", async () => {
    const { one } = await requested();
    await settle(one.address);
    const other = await holderOf(placed);
    for (const action of ["claim", "cancel"] as const)
      expect((await other.askAbout(action, "0")).body).toMatchObject({ code: "nothing_to_withdraw" });
    expect((await other.position())?.requests).toEqual([]);
  });
});
