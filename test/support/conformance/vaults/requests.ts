import type { Address, Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adapterOf } from "../../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type { AsyncDeposits, PendingDeposit } from "../../../../src/vaults/vault-adapter.ts";
import { readUncached } from "../../../../src/vaults/vault-state.ts";
import { balanceOf } from "../../e2e/balances.ts";
import { type Answer, call } from "../../partners/wallet.ts";
import { confirm } from "../../withdrawals/holder.ts";
import {
  build,
  depositUnbuilt,
  execute,
  flowsIn,
  positionsOf,
  sampleAmount,
  statusOf,
  vaultIdOf,
  vaultOf,
} from "./deposit.ts";
import type { Family, Placed } from "./family.ts";
import { place } from "./suite.ts";
import { startWorld, type World } from "./world.ts";

/** A vault family with asynchronous deposits, or a family that accepts them in some states. */
export interface RequestingFamily extends Omit<Family, "shown" | "worth" | "withdrawal" | "states"> {
  /** Puts the vault into the state in which it takes requests. */
  open?(placed: Placed): Promise<void>;
  /** Settles a user's request at the price at the time of the request, so that the estimate must be exact. */
  settle(placed: Placed, of: { user: Address; requestId: string | null }): Promise<void>;
  /**
   * Sends an unrelated transaction of the user in which the vault also claims settled shares. Absent if the family has
   * none.
   */
  claimInside?(placed: Placed, of: { user: Address }): Promise<void>;
  /** True if the user must claim the shares after settlement, false if settlement sends them. */
  claims: boolean;
  /**
   * Event that counts as the deposit in the flows, or `both` if the request has the assets and the claim the shares, and
   * whether a request's flow has its number.
   */
  counts: { event: "request" | "claim" | "both"; numbered?: true };
  /** Maximum difference between claimed and requested assets per whole share, in the asset's smallest unit. */
  eventRounding?: bigint;
}

interface Asked {
  placed: Placed;
  user: Address;
  amount: bigint;
  requestId: string | null;
  /** Estimated shares. */
  estimate: bigint;
  vault: Vault;
  requests: AsyncDeposits;
  hash: Hex;
}

/**
 * Defines the tests of asynchronous deposits: each is requested, pending, settled and claimed, and counted exactly
 * once.
 */
export function requesting(families: readonly RequestingFamily[]): void {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  describe.each(families)("$name", (family) => {
    test.each(family.decimals)(
      "a deposit request for an asset with %s decimals is settled and claimed",
      async (decimals) => {
        const placed = await place(world, { family, decimals });
        await family.open?.(placed);
        const asked = await ask(family, placed);
        const { user, amount, requestId } = asked;
        expect(await pendingOf(asked)).toMatchObject({ pendingAssets: amount });
        expect(await sharesOf(asked)).toBe(0n);
        await expectOnlyRequest(asked, { state: "pending", shares: null, assets: String(amount) });
        await family.settle(placed, { user, requestId });
        const settled = await pendingOf(asked);
        const shares = String(settled.claimableShares);
        if (family.claims) await expectOnlyRequest(asked, { state: "claimable", shares });
        expect(settled.pendingAssets).toBe(0n);
        if (family.claims) expect(settled.claimableShares).toBe(asked.estimate);
        await claim(family, { asked, settled });
        expect(await pendingOf(asked)).toMatchObject({ pendingAssets: 0n, claimableShares: 0n });
      },
    );

    test("the status of a request that nobody built waits for the settlement", async () => {
      const [decimals = 18] = family.decimals;
      const placed = await place(world, { family, decimals });
      await family.open?.(placed);
      const amount = sampleAmount(decimals);
      const { address: user } = await world.user(placed.asset, amount);
      const { transactionHash } = await depositUnbuilt({ placed, user, amount });
      expect(await statusOf(placed, transactionHash)).toMatchObject({
        ...{ status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT", receiving: null, deposit: null },
        sending: { tx_hash: transactionHash, amount: `${amount}`, token: placed.asset, kind: "asset" },
      });
      if (family.claimInside === undefined) return;
      await family.settle(placed, { user, requestId: null });
      expect(await statusOf(placed, transactionHash)).toMatchObject({ substatus: "WAIT_CLAIM_TRANSACTION" });
      await family.claimInside(placed, { user });
      const { deposit: _, ...ended } = await statusOf(placed, transactionHash);
      expect(ended).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    });
  });
}

/** Builds and sends a request, and compares its receipt with the build. */
async function ask(family: RequestingFamily, placed: Placed): Promise<Asked> {
  const { world, asset } = placed;
  const amount = sampleAmount(asset.decimals);
  const signer = await world.user(asset, amount);
  const user = signer.address;
  const built = await build({ placed, user, amount });
  expect(built.estimate.min_shares).toBeNull();
  expect(built.simulation.shares).toBeNull();
  expect(built.steps.some(({ step_id: id }) => id === "claim")).toBe(family.claims);
  const estimate = BigInt(built.estimate.estimated_shares);
  expect(estimate).toBeGreaterThan(0n);
  const receipt = await execute(placed, { user: signer, built });
  expect(await balanceOf(world, { token: asset.address, owner: user })).toBe(0n);
  const vault = await vaultOf(placed);
  const requests = adapterOf(vault).asyncDeposits?.(vault) ?? null;
  if (requests === null) throw new Error("the family has no asynchronous deposits");
  const seen = requests.findRequest(vault, { user, logs: receipt.logs });
  expect(seen).toMatchObject({ assets: amount });
  const { event, numbered } = family.counts;
  const named = event === "request" && numbered === true && seen !== null;
  const counted = {
    ...{ kind: "deposit", user, assets: amount, shares: event === "both" ? 0n : null },
    ...(named && { requestId: `deposit:${seen.requestId}` }),
  };
  expect(await flowsIn(placed, receipt)).toEqual(event === "claim" ? [] : [counted]);
  return {
    placed,
    user,
    amount,
    requestId: seen?.requestId ?? null,
    estimate,
    vault,
    requests,
    hash: receipt.transactionHash,
  };
}

async function claim(family: RequestingFamily, of: { asked: Asked; settled: PendingDeposit }): Promise<void> {
  const { asked, settled } = of;
  const { placed, user, vault, requests } = asked;
  const own = requests.claim(vault, { user, pending: settled });
  expect(own !== null).toBe(family.claims);
  if (own !== null) {
    expect(await sharesOf(asked)).toBe(0n);
    expect((await claimByApi(asked)).body).toMatchObject({
      transaction_request: { to: own.target, data: own.data },
      simulation: { received: String(settled.claimableShares) },
    });
    const receipt = await placed.world.send(user, { to: own.target, data: own.data });
    expect(await sharesOf(asked)).toBe(settled.claimableShares);
    const flows = await flowsIn(placed, receipt);
    const [{ assets = null } = {}] = flows;
    const alone = family.counts.event === "both" && { sharesOnly: true };
    const counted = { kind: "deposit", user, assets, shares: settled.claimableShares, ...alone };
    expect(flows).toEqual(family.counts.event === "request" ? [] : [counted]);
    if (family.counts.event === "both") expect(assets).toBe(0n);
    if (family.counts.event === "claim") expectNear(family, { asked, settled, assets });
  }
  expect(await sharesOf(asked)).toBeGreaterThan(0n);
  expect((await claimByApi(asked)).status).not.toBe(200);
}

/** Asks the API to build the claim of the deposit's shares. */
function claimByApi({ placed, user, requestId }: Asked): Promise<Answer> {
  const body = { vault_id: vaultIdOf(placed), user_address: user, request_id: requestId ?? "0" };
  return call(placed.world.fresh(), ["POST", "/v1/withdraw/claim"], { body });
}

/** Expects the assets in the claim's event to equal the requested ones, except for the family's rounding. */
function expectNear(
  { eventRounding = 0n }: RequestingFamily,
  of: { asked: Asked; settled: PendingDeposit; assets: bigint | null },
): void {
  const { asked, settled, assets } = of;
  if (assets === null) throw new Error("the claim's event has no amount");
  const wholeShares = (settled.claimableShares ?? 0n) / 10n ** BigInt(asked.placed.row.shareDecimals) + 1n;
  const missed = assets > asked.amount ? assets - asked.amount : asked.amount - assets;
  expect(missed).toBeLessThanOrEqual(eventRounding * wholeShares);
}

async function pendingOf({ placed, user, requestId, vault, requests }: Asked): Promise<PendingDeposit> {
  const requestIds = requestId === null ? [] : [requestId];
  const query = requests.pending(vault, { user, requestIds });
  const ctx = placed.world.fresh().context();
  return (await readUncached(ctx, { chainId: vault.chainId, query })).value;
}

/**
 * Expects the account's only position to consist of the request, and to show neither a gain nor a loss, also after the
 * flows are indexed.
 */
async function expectOnlyRequest({ placed, user, hash }: Asked, request: object): Promise<void> {
  await confirm(placed);
  // Midas' requests are found by their ids only, which tracking reads from the receipt.
  await statusOf(placed, hash);
  const positions = await positionsOf(placed, user);
  expect(positions).toMatchObject([
    {
      ...{ vault_id: vaultIdOf(placed), share_balance: "0", current_assets: "0", value_usd: null },
      requests: [{ kind: "deposit", ...request }],
    },
  ]);
  expect([null, "0"]).toContain(positions[0]?.yield_assets);
  const [{ deposited_assets: deposited, yield_assets: earned } = {}] = positions;
  expect(earned).toBe(deposited);
}

const sharesOf = ({ placed, user }: Asked): Promise<bigint> =>
  balanceOf(placed.world, { token: placed.shareToken, owner: user });
