import { afterAll, beforeAll, expect, test } from "vitest";
import { simpleLrtAbi } from "#stand-ins/mellow-lrt";
import {
  type Deploy,
  deployRedeemableVault,
  follow,
  pendingOf,
  type RedeemableVault,
  redeemOrRequest,
  sharesOf,
  termsOf,
} from "../../support/conformance/vaults/leaving.ts";
import { deployLrt, settleQueue } from "../../support/conformance/vaults/lrt-stand-in.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { whole } from "../../support/conformance/vaults/use.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const open = (deploy: Deploy): Promise<RedeemableVault> =>
  deployRedeemableVault(world, { adapter: "mellow_lrt", deploy });

test("a Symbiotic vault pays what is liquid, queues the rest and lets it be claimed", async () => {
  const of = await open(deployLrt("symbiotic"));
  const { asset } = of.vault;
  await set(of.placed, { abi: simpleLrtAbi, name: "stake", args: [whole(asset, 100_000n)] });
  await set(of.placed, { abi: simpleLrtAbi, name: "keep", args: [whole(asset, 5_000n)] });
  const shares = await sharesOf(of);
  const asked = await redeemOrRequest(of, { mode: "request", shares });
  const [waiting] = await pendingOf(of);
  expect(asked.terms.priced).toBe("recorded");
  expect(asked.paid).toBeLessThan(asked.terms.previewAssets ?? 0n);
  expect(asked.paid).toBe(asked.terms.paidNow);
  expect(asked.paid + (waiting?.assets ?? 0n)).toBe(asked.terms.previewAssets);
  expect(waiting).toMatchObject({ state: "pending", bookedOut: true });
  await set(of.placed, { abi: simpleLrtAbi, name: "settle", args: [of.user] });
  const [ready] = await pendingOf(of);
  if (ready === undefined) throw new Error("nothing to claim");
  const { paid } = await follow(of, of.exits.claim?.(of.vault, { user: of.user, request: ready }));
  expect(paid).toBe(waiting?.assets);
  expect(await pendingOf(of)).toEqual([]);
});

test("a MultiVault queues in several subvaults, and each queue pays a claim of its own", async () => {
  const of = await open(deployLrt("multi", [30_000n, 50_000n]));
  const asked = await redeemOrRequest(of, { mode: "request", shares: await sharesOf(of) });
  const [waiting] = await pendingOf(of);
  expect(asked.paid).toBe(asked.terms.paidNow);
  expect(asked.paid + (waiting?.assets ?? 0n)).toBe(asked.terms.previewAssets);
  const requestLogs = asked.receipt.logs;
  let total = 0n;
  for (const index of [0, 1]) await settleQueue(of.placed, { index, user: of.user });
  for (const left of [true, false]) {
    const [ready] = await pendingOf(of);
    if (ready === undefined) throw new Error("nothing to claim");
    const claim = of.exits.claim?.(of.vault, { user: of.user, request: ready });
    const { paid, receipt } = await follow(of, claim);
    expect(paid).toBe(ready.claimableAssets);
    const seen = { user: of.user, requestId: "0", logs: receipt.logs, requestLogs };
    // The request's own logs name the queues where the registry entry does not.
    for (const vault of [of.vault, { ...of.vault, params: {} }])
      expect(of.exits.findSettlement?.(vault, seen)).toEqual({
        outcome: "paid",
        assets: paid,
        inParts: true,
      });
    expect((await pendingOf(of)).length).toBe(left ? 1 : 0);
    total += paid;
  }
  expect(total).toBe(waiting?.assets);
});

test("DVV pays everything at once, has no requests, and takes none", async () => {
  const of = await open(deployLrt("instant"));
  const shares = await sharesOf(of);
  expect(of.exits.modes(of.vault)).toEqual(["instant"]);
  expect(await pendingOf(of)).toEqual([]);
  expect(await termsOf(of, { mode: "request", shares })).toMatchObject({ refusal: "mode_unsupported" });
  const { terms, paid } = await redeemOrRequest(of, { mode: "instant", shares });
  expect(paid).toBe(terms.previewAssets);
});
