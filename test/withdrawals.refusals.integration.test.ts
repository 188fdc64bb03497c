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
  act,
  lockUp,
  onTeller,
  type RefusingVault,
  refusingVaults,
} from "./support/withdrawals/refusing-vaults.ts";
import { pass } from "./support/withdrawals/requesting-vaults.ts";

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

/** Expects the code of a build, or that one is built, and that the actions say the same. */
async function expectCode(one: Holder, code: string | null): Promise<Record<string, unknown>> {
  const { status, body } = await one.ask("all");
  expect([status, body["code"] ?? null]).toEqual([code === null ? 200 : 400, code]);
  const { withdraw } = await actionsOf(one);
  expect(withdraw).toMatchObject({ allowed: code === null, code });
  if (code === "no_liquidity") expect(body["available"]).toBe("0");
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
