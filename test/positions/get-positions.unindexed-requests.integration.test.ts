import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { indexFlowsJob } from "../../src/jobs.ts";
import { actionsOf, sampleAmount } from "../support/conformance/vaults/deposit.ts";
import type { Placed } from "../support/conformance/vaults/family.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { deployRequesting } from "../support/conformance/vaults/waiting-stand-ins.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import { confirm, Holder } from "../support/withdrawals/holder.ts";
import { requestingVaults } from "../support/withdrawals/requesting-vaults.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
/** Units by which values may differ that the vault rounds at each step. */
const ROUNDING = 3n;
/** The vaults whose requests only their events show. */
const kinds = requestingVaults.flatMap((kind) => {
  const { name } = kind;
  if (name === "ERC-7540")
    return { ...kind, name: "ERC-7540 by number", deploy: deployRequesting({ numbered: true }) };
  return name === "Midas" || name === "Veda queue" ? kind : [];
});

/** An account with an indexed deposit, and `more` of the asset in its wallet. */
async function depositor(placed: Placed, more = 0n): Promise<Holder> {
  const one = await Holder.with(placed, amount + more);
  await one.deposit(amount);
  await confirm(placed);
  // The first run finds the block from which on the vault is indexed.
  await indexFlowsJob.run(world.fresh().context());
  expect(await one.position()).toMatchObject({ deposited_assets: String(amount) });
  return one;
}

function near(seen: string | null | undefined, wanted: bigint): void {
  expect(BigInt(seen ?? "-1") - wanted).toBeLessThanOrEqual(ROUNDING);
  expect(wanted - BigInt(seen ?? "-1")).toBeLessThanOrEqual(ROUNDING);
}

describe.each(kinds)("a request at $name that was not built here and is not indexed", (kind) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await place(world, { family: kind, decimals: DECIMALS });
  });

  test.each([
    ["half of the shares", 2n],
    ["all shares", 1n],
  ])("of %s is in the position", async (_which, parts) => {
    const one = await depositor(placed);
    const shares = (await one.held("share")) / parts;
    await one.sendForeign(shares);
    const asked = await one.position();
    near(asked?.current_assets, amount);
    const request = { kind: "redeem", state: "pending", shares: String(shares), tracking_id: null };
    expect(asked).toMatchObject({ requests: [request], deposited_assets: null, yield_assets: null });
    await confirm(placed);
    const { current_assets: value, requests } = asked ?? {};
    expect(await one.position()).toMatchObject({ current_assets: value, requests });
  });

  test("is in the position beside one that is indexed", async () => {
    const one = await depositor(placed);
    await one.sendForeign((await one.held("share")) / 2n);
    await confirm(placed);
    await one.sendForeign(await one.held("share"));
    const asked = await one.position();
    near(asked?.current_assets, amount);
    expect(asked).toMatchObject({ share_balance: "0", requests: [{}, {}] });
  });
});

describe.each(kinds)("before the index reaches it, a request at $name that was not built here", (kind) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await place(world, { family: kind, decimals: DECIMALS });
  });

  test("is in the position where a larger deposit was made after it", async () => {
    const one = await depositor(placed, 2n * amount);
    await one.sendForeign(await one.held("share"));
    await one.deposit(2n * amount);
    const asked = await one.position();
    near(asked?.current_assets, 3n * amount);
    expect(asked).toMatchObject({ requests: [{}], deposited_assets: null, yield_assets: null });
  });

  test("is among the actions, and cancelled where the family allows it", async () => {
    const one = await depositor(placed);
    const shares = await one.held("share");
    expect(await actionsOf(placed, one.address)).toMatchObject({ requests: [], cancel: { allowed: false } });
    await one.sendForeign(shares);
    const { requests, claim, cancel } = await actionsOf(placed, one.address);
    const request = { kind: "redeem", state: "pending", shares: String(shares), tracking_id: null };
    expect({ requests, claim }).toMatchObject({ requests: [request], claim: { allowed: false } });
    const refusal = kind.name === "Midas" ? "mode_unsupported" : "withdrawal_state";
    const cancels = kind.name === "Veda queue";
    expect(cancel).toMatchObject({ allowed: cancels, code: cancels ? null : refusal });
    if (!cancels) return;
    await one.follow("cancel", requests[0]?.request_id ?? "");
    expect(await actionsOf(placed, one.address)).toMatchObject({ requests: [], cancel: { allowed: false } });
    expect(await one.held("share")).toBe(shares);
    near((await one.position())?.current_assets, amount);
  });
});

describe("an instant redemption from Midas that is not indexed", () => {
  const midas = kinds.find(({ name }) => name === "Midas");
  let placed: Placed;
  beforeAll(async () => {
    if (midas === undefined) throw new Error("there is no Midas");
    placed = await place(world, { family: midas, decimals: DECIMALS });
  });

  test.each([
    ["through the Router", (one: Holder, shares: bigint) => one.withdraw(shares, { mode: "instant" })],
    [
      "by the vault's own call",
      (one: Holder, shares: bigint) => one.sendForeign(shares, { mode: "instant" }),
    ],
  ])("%s leaves the value of the rest", async (_how, redeem) => {
    const one = await depositor(placed);
    await redeem(one, (await one.held("share")) / 2n);
    near((await one.position())?.current_assets, amount / 2n);
    await redeem(one, await one.held("share"));
    expect(await one.position()).toBe(null);
  });

  test("leaves an unknown value where shares were sent away too, until it is indexed", async () => {
    const one = await depositor(placed);
    const shares = await one.held("share");
    await one.sendForeign(shares / 4n, { mode: "instant" });
    await one.transfer(placed.vault, shares / 4n);
    expect(await one.position()).toMatchObject({ share_balance: String(shares - 2n * (shares / 4n)) });
    expect(await one.position()).toMatchObject({ current_assets: null, value_usd: null });
    await confirm(placed);
    near((await one.position())?.current_assets, amount / 2n);
  });
});
