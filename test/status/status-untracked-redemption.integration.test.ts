import { type Hex, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { midasRedemptionVaultAbi } from "#stand-ins/midas";
import { deposits } from "../../src/db/tables/deposit-tables.ts";
import { depositHints } from "../../src/db/tables/deposit-tracking-tables.ts";
import { adapterOf } from "../../src/vaults/families/vault-families.ts";
import { sampleAmount, vaultOf } from "../support/conformance/vaults/deposit.ts";
import type { Placed } from "../support/conformance/vaults/family.ts";
import { deployMidasPayingOther, RATE } from "../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";
import { balanceOf } from "../support/e2e/balances.ts";
import { confirm, Holder } from "../support/withdrawals/holder.ts";
import { requestingVaults } from "../support/withdrawals/requesting-vaults.ts";

/** Redemptions that were requested at a vault without Causeway: it knows nothing but their transactions. */
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;

const placeOf = (family: Parameters<typeof place>[1]["family"]): Promise<Placed> =>
  place(world, { family, decimals: DECIMALS });

/** Makes an account that holds shares of a vault, which the operator then `prepares` for requests. */
async function holderAt(placed: Placed, prepares?: (placed: Placed) => Promise<void>): Promise<Holder> {
  const amount = sampleAmount(DECIMALS);
  const one = await Holder.with(placed, amount);
  await one.deposit(amount);
  await prepares?.(placed);
  await confirm(placed);
  return one;
}

/** Requests the redemption of shares elsewhere. */
async function requestElsewhere(one: Holder, shares?: bigint): Promise<Hex> {
  const hash = await one.sendForeign(shares ?? (await one.held("share")));
  await confirm(one.placed);
  return hash;
}

/** Families that record no assets for a request, and whose payments name neither it nor its shares. */
const UNTOLD = ["Upshift"];

describe.each(requestingVaults)("status of a redemption request that nobody built: $name", (kind) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await placeOf(kind);
  });
  const holder = () => holderAt(placed, kind.invest);

  async function idOf(one: Holder, hash: Hex): Promise<string> {
    const vault = await vaultOf(placed);
    const { logs } = await world.client.getTransactionReceipt({ hash });
    const seen = adapterOf(vault).exits?.findRequest?.(vault, { user: one.address, logs });
    return seen?.requestId ?? (await one.position())?.requests[0]?.request_id ?? "";
  }

  test("waits, is claimable, and is done once it is paid", async () => {
    const one = await holder();
    const hash = await requestElsewhere(one);
    const substatus = kind.mode === "cooldown" ? "WAIT_COOLDOWN" : "WAIT_VAULT_SETTLEMENT";
    const waits = { status: "PENDING", substatus, receiving: null, withdrawal: null };
    expect(await one.status(hash)).toMatchObject(waits);
    const id = await idOf(one, hash);
    const before = await one.held("asset");
    await kind.settle(placed, { user: one.address, requestIds: [id] });
    if (kind.pushes !== true) {
      expect(await one.status(hash)).toMatchObject({ ...waits, substatus: "WAIT_CLAIM_TRANSACTION" });
      await one.follow("claim", id);
    }
    await confirm(placed);
    const arrived = (await one.held("asset")) - before;
    expect(arrived).toBeGreaterThan(0n);
    const done = await one.status(hash);
    const told = !UNTOLD.includes(kind.name);
    expect(done).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED", deposit: null, withdrawal: null },
      sending: { tx_hash: hash, kind: "shares", token: { address: placed.shareToken } },
      receiving: { kind: "asset", token: placed.asset, amount: told ? String(arrived) : null },
    });
    expect(done.receiving?.tx_hash).not.toBe(hash);
  });

  test.runIf(kind.cancels === "at_once" && kind.miss === undefined)("is cancelled by its user", async () => {
    const one = await holder();
    const shares = await one.held("share");
    const hash = await requestElsewhere(one, shares);
    const cancelled = await one.follow("cancel", await idOf(one, hash));
    await confirm(placed);
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "DONE", substatus: "CANCELLED" },
      receiving: { tx_hash: cancelled, kind: "shares", amount: String(shares) },
    });
    // So is the cancellation itself, of which nobody names the request.
    expect(await one.status(cancelled)).toMatchObject({
      ...{ status: "DONE", substatus: "CANCELLED" },
      receiving: { tx_hash: cancelled, kind: "shares", amount: String(shares) },
    });
  });

  const { reject } = kind;
  test.runIf(reject !== undefined)("is rejected by the vault", async () => {
    const one = await holder();
    const hash = await requestElsewhere(one);
    await reject?.(placed, { user: one.address, requestIds: [await idOf(one, hash)] });
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "FAILED", substatus: "REJECTED", receiving: null },
    });
  });
});

test("two requests that one claim pays together have their parts of it, and nothing is recorded", async () => {
  const [kind] = requestingVaults;
  if (kind === undefined) throw new Error("no vaults");
  const placed = await placeOf(kind);
  const one = await holderAt(placed);
  const { db } = world.fresh().context();
  const rows = () =>
    db.run(async (sql) => [await sql.$count(deposits), await sql.$count(depositHints)] as const);
  const before = await rows();
  const shares = await one.held("share");
  const first = await one.sendForeign(shares / 3n);
  const second = await one.sendForeign(shares - shares / 3n);
  const held = await one.held("asset");
  await kind.settle(placed, { user: one.address, requestIds: ["0"] });
  const claim = await one.follow("claim", "0");
  await confirm(placed);
  const paid = (await one.held("asset")) - held;
  for (const [hash, part] of [
    [first, shares / 3n],
    [second, shares - shares / 3n],
  ] as const)
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      receiving: { tx_hash: claim, amount: String((paid * part) / shares), kind: "asset" },
    });
  expect(await rows()).toEqual(before);
});

test("a request that Midas pays in another token than the asset is done with that token", async () => {
  const deploy = deployMidasPayingOther({ deposit: "instant", recipient: "argument", caller: "router" });
  const family = { name: "Midas", adapter: "midas", type: "midas" as const, deploy };
  const placed = await placeOf(family);
  const one = await holderAt(placed);
  const hash = await requestElsewhere(one);
  const on = placed.parts["redemptions"];
  await set(placed, { abi: midasRedemptionVaultAbi, name: "approveRequest", args: [0n, RATE], on });
  await confirm(placed);
  const token = placed.parts["other"] ?? zeroAddress;
  const arrived = await balanceOf(world, { token, owner: one.address });
  expect(await one.status(hash)).toMatchObject({
    ...{ status: "DONE", substatus: "COMPLETED" },
    receiving: { amount: String(arrived), token: { address: token }, kind: "asset" },
  });
});
