import { type Address, encodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plasmaAccessManagerAbi } from "#stand-ins/ipor";
import { vedaTellerDAbi } from "#stand-ins/veda";
import { VaultActions } from "../src/schemas/position-schema.ts";
import { sampleAmount, vaultIdOf } from "./support/conformance/vaults/deposit.ts";
import { deployIpor } from "./support/conformance/vaults/exit-stand-ins.ts";
import { deployMellow } from "./support/conformance/vaults/mellow-stand-in.ts";
import { place } from "./support/conformance/vaults/suite.ts";
import { mint } from "./support/conformance/vaults/use.ts";
import { deployVedaExit, deployVedaTeller } from "./support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "./support/conformance/vaults/world.ts";
import { extendDeadlines } from "./support/patient-deadlines.ts";
import { confirm, Holder } from "./support/withdrawals/holder.ts";
import {
  chargingVaults,
  dryVaults,
  lockUp,
  losingVault,
  onTeller,
  refusingVaults,
} from "./support/withdrawals/refusing-vaults.ts";
import { pass, type RequestingVault, requestingVaults } from "./support/withdrawals/requesting-vaults.ts";
import { act, type RefusingVault } from "./support/withdrawals/vault-changes.ts";

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

async function holderOf({ adapter, deploy, type = "custom" }: Omit<RefusingVault, "cases">): Promise<Holder> {
  const family = { name: "A vault", adapter, type, deploy } as const;
  const placed = await place(world, { family, decimals: 6 });
  const one = await Holder.with(placed, sampleAmount(6));
  await one.deposit(sampleAmount(6));
  await confirm(placed);
  return one;
}

async function actionsOf({ placed, address }: Holder): Promise<VaultActions> {
  const response = await world.fresh().send(`/v1/actions/${address}/${vaultIdOf(placed)}`);
  return VaultActions.parse(await response.json());
}

/** Expects the code of a build, or that one is built, and that quote and actions say the same. */
async function expectCode(one: Holder, code: string | null): Promise<Record<string, unknown>> {
  const { status, body } = await one.ask("all");
  expect([status, body["code"] ?? null]).toEqual([code === null ? 200 : 400, code]);
  const quoted = await one.quote("all");
  expect([quoted.status, quoted.body["code"] ?? null]).toEqual([status, code]);
  expect(quoted.body["available"]).toEqual(body["available"]);
  const { withdraw } = await actionsOf(one);
  expect(withdraw).toMatchObject({ allowed: code === null, code });
  // Not all families have a view that shows what they can pay.
  if (code === "no_liquidity") expect(["0", null]).toContain(body["available"]);
  return body;
}

describe.each(refusingVaults)("$adapter", (family) => {
  test.each(family.cases)("%s", async (_, change, code) => {
    const one = await holderOf(family);
    await expectCode(one, null);
    await change(one.placed, one.address);
    await expectCode(one, code);
  });
});

test.each(dryVaults)(
  "%s pays nothing at once while it is dry, and takes a request",
  async (_, family, dry) => {
    const one = await holderOf(family);
    await dry(one.placed, one.address);
    const { status, body } = await one.ask("all", { mode: "instant" });
    expect([status, body["code"]]).toEqual([400, "no_liquidity"]);
    expect((await one.quote("all", { mode: "instant" })).body).toMatchObject({ code: "no_liquidity" });
    const { built } = await one.withdraw("all");
    expect(built.mode).toBe("request");
  },
);

test("Yearn pays no redemption that realises a larger loss than the slippage", async () => {
  const one = await holderOf(losingVault);
  await losingVault.lose(51n)(one.placed, one.address);
  expect(await expectCode(one, "price_unsafe")).toMatchObject({ subject: "vault" });
  expect(await one.ask("all", { slippage: 0.0051 })).toMatchObject({ status: 200 });
});

test.each(chargingVaults)("%s: the exit fee is a figure of its own", async (_, family, charge) => {
  const one = await holderOf(family);
  const free = await one.build("all", { mode: "instant" });
  const gross = BigInt(free.estimate.assets ?? "0") + BigInt(free.estimate.exit_fee ?? "0");
  await charge(one.placed, one.address);
  const { body } = await one.quote("all", { mode: "instant" });
  const { built } = await one.withdraw("all", { mode: "instant" });
  const paid = await one.held("asset");
  const fee = gross - paid;
  expect(paid).toBeLessThan(BigInt(free.estimate.assets ?? "0"));
  expect(built.estimate).toMatchObject({ assets: String(paid), exit_fee: String(fee) });
  expect(body).toMatchObject({ options: [{ assets: String(paid), exit_fee: String(fee) }] });
  expect(await one.held("share")).toBe(0n);
});

/** Returns an account that has requested the redemption of all of its shares. */
async function requesterAt(kind: RequestingVault): Promise<Holder> {
  const placed = await place(world, { family: kind, decimals: 6 });
  const one = await Holder.with(placed, sampleAmount(6));
  await one.deposit(sampleAmount(6));
  await kind.invest?.(placed);
  await confirm(placed);
  const { hash } = await one.withdraw("all", { mode: "request" });
  await confirm(placed);
  await one.status(hash);
  return one;
}

describe.each(requestingVaults)("$name: an open request", (kind) => {
  test("is not claimed too early, and cancelled only where that is possible: actions give the builds' codes", async () => {
    const one = await requesterAt(kind);
    const [request] = (await one.position())?.requests ?? [];
    const id = request?.request_id ?? "";
    const { claim, cancel } = await actionsOf(one);
    const early = await one.askAbout("claim", id);
    expect(early.status).toBe(400);
    expect(early.body["code"]).toBe(request?.earliest === null ? "request_pending" : "cooldown");
    expect(claim).toMatchObject({ allowed: false, code: early.body["code"] });
    expect(claim.until).toBe(early.body["until"] ?? null);
    const back = await one.askAbout("cancel", id);
    expect(cancel).toMatchObject({
      ...{ allowed: back.status === 200, code: back.status === 200 ? null : back.body["code"] },
    });
    expect(back.status === 200).toBe(kind.cancels !== null && kind.miss === undefined);
  });

  test.runIf(kind.joins === null)(
    "excludes a second one, which would replace it or start its wait again",
    async () => {
      const one = await requesterAt(kind);
      const { asset } = one.placed;
      await world.script((script) =>
        mint(script, { token: asset, to: one.address, amount: sampleAmount(6) }),
      );
      await one.deposit(sampleAmount(6));
      const { status, body } = await one.ask("all", { mode: "request" });
      expect([status, body["code"]]).toEqual([400, "request_pending"]);
    },
  );
});

describe("locked shares are refused until the lock ends", () => {
  async function lockedFor(one: Holder, seconds: number): Promise<void> {
    const body = await expectCode(one, "share_locked");
    expect(body["detail"]).toMatch(/until \d{4}-\d{2}-\d{2}T/);
    const { withdraw } = await actionsOf(one);
    expect(withdraw.until).toMatch(/^\d{4}-\d{2}-\d{2}T/);
    await pass(one.placed, seconds);
    await expectCode(one, null);
    await one.withdraw("all");
    expect(await one.held("share")).toBe(0n);
  }

  test.each([
    ["a teller", deployVedaTeller],
    ["a queue", deployVedaExit({ way: "queue" })],
    ["delayed withdrawals", deployVedaExit({ way: "delayed" })],
  ])("Veda, by a deposit, from %s", async (_, deploy) => {
    const one = await holderOf({ adapter: "veda", type: "veda", deploy });
    await onTeller("setShareLockPeriod", 3_600n)(one.placed, one.address);
    // The deposit itself is the user's own, because the Router cannot pass on locked shares.
    await lockByDeposit(one);
    await lockedFor(one, 3_601);
  });

  test("Mellow, of all shares", async () => {
    const deploy = deployMellow({ queue: "sync", caller: "user", redeem: "async" });
    const one = await holderOf({ adapter: "mellow", type: "lido", deploy });
    await lockUp(3_600)(one.placed, one.address);
    await lockedFor(one, 3_601);
  });

  test("IPOR, of an account", async () => {
    const one = await holderOf({ adapter: "ipor", type: "ipor", deploy: deployIpor });
    await act(plasmaAccessManagerAbi, "setRedemptionDelay", [3_600n], "manager")(one.placed, one.address);
    await act(plasmaAccessManagerAbi, "lock", [one.address], "manager")(one.placed, one.address);
    const { status, body } = await one.ask("all", { mode: "instant" });
    expect([status, body["code"]]).toEqual([400, "share_locked"]);
    await pass(one.placed, 3_601);
    await one.withdraw("all", { mode: "instant" });
    expect(await one.held("share")).toBe(0n);
  });
});

/** Deposits a small amount by the account's own call of the teller, which locks all of its shares. */
async function lockByDeposit({ placed, address }: Holder): Promise<void> {
  const { asset, vault } = placed;
  const teller = placed.row.entryPoint as Address;
  const amount = 1_000n;
  await world.script((script) => mint(script, { token: asset, to: address, amount }));
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [vault, amount] });
  await world.send(address, { to: asset.address, data: approve });
  const args = [asset.address, amount, 0n, zeroAddress] as const;
  const data = encodeFunctionData({ abi: vedaTellerDAbi, functionName: "deposit", args });
  await world.send(address, { to: teller, data });
}
