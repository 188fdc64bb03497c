import { encodeFunctionData, erc20Abi, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { plasmaWithdrawManagerAbi } from "#stand-ins/ipor";
import { vedaDelayedWithdrawAbi, vedaVaultAbi } from "#stand-ins/veda";
import type { PendingExit } from "../../../src/vaults/vault-exits.ts";
import { deployIpor } from "../../support/conformance/vaults/exit-stand-ins.ts";
import {
  deployRedeemableVault,
  follow,
  pendingOf,
  type RedeemableVault,
  redeemOrRequest,
  sharesOf,
} from "../../support/conformance/vaults/leaving.ts";
import { set } from "../../support/conformance/vaults/standard.ts";
import { whole } from "../../support/conformance/vaults/use.ts";
import { deployVedaExit, VEDA_WAIT_S } from "../../support/conformance/vaults/veda-exits-stand-in.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { pass } from "../../support/withdrawals/requesting-vaults.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Returns the account's only request. */
async function requestOf(of: RedeemableVault): Promise<PendingExit> {
  const [request] = await pendingOf(of);
  if (request === undefined) throw new Error("no request");
  return request;
}
const claim = (of: RedeemableVault, request: PendingExit) =>
  follow(of, of.exits.claim?.(of.vault, { user: of.user, request }));

describe("IPOR's requests", () => {
  const release = (of: RedeemableVault, shares: bigint) =>
    set(of.placed, {
      ...{ abi: plasmaWithdrawManagerAbi, name: "releaseShares", args: [shares] },
      on: of.placed.parts["requests"],
    });
  /** A vault with a request of all shares, and their number. */
  async function requested() {
    const of = await deployRedeemableVault(world, { adapter: "ipor", deploy: deployIpor });
    const shares = await sharesOf(of);
    await redeemOrRequest(of, { mode: "request", shares });
    return { of, shares };
  }

  test("are claimed for the shares that are released", async () => {
    const { of, shares } = await requested();
    await release(of, shares / 4n);
    const ready = await requestOf(of);
    expect(ready).toMatchObject({ state: "claimable", shares, claimableShares: shares / 4n });
    expect((await claim(of, ready)).paid).toBeGreaterThan(0n);
    expect(await requestOf(of)).toMatchObject({ state: "pending", shares: shares - shares / 4n });
  });

  test("are claimed for the shares that the account still holds", async () => {
    const { of, shares } = await requested();
    await release(of, shares);
    const args = [zeroAddress.replace(/0$/, "1") as typeof zeroAddress, shares / 2n] as const;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    await world.send(of.user, { to: of.vault.shareToken, data });
    const ready = await requestOf(of);
    expect(ready).toMatchObject({ state: "claimable", claimableShares: shares - shares / 2n });
    expect((await claim(of, ready)).paid).toBeGreaterThan(0n);
  });
});

describe("Veda's matured requests", () => {
  const act = (of: RedeemableVault, name: string, args: readonly unknown[]) =>
    set(of.placed, { abi: vedaDelayedWithdrawAbi, name, args, on: of.placed.parts["pays"] });
  /** A vault with a matured request of all shares, and their number. */
  async function matured() {
    const of = await deployRedeemableVault(world, {
      ...{ adapter: "veda", deploy: deployVedaExit({ way: "delayed" }) },
    });
    const shares = whole(of.vault.asset, 1_000n);
    const { address: vault, asset } = of.vault;
    const args = [of.user, asset.address, 0n, of.user, shares] as const;
    await set(of.placed, { abi: vedaVaultAbi, name: "enter", args, on: vault });
    await redeemOrRequest(of, { mode: "cooldown", shares });
    await pass(of.placed, VEDA_WAIT_S + 1);
    expect(await requestOf(of)).toMatchObject({ state: "claimable", claimableShares: shares });
    return { of, shares };
  }

  test.each<[string, readonly unknown[]]>([
    ["setPaused", [true]],
    ["stopWithdrawalsInAsset", []],
  ])("wait after %s, while their claim reverts, and give the shares back", async (name, given) => {
    const { of, shares } = await matured();
    const ready = await requestOf(of);
    await act(of, name, given.length > 0 ? given : [of.vault.asset.address]);
    await expect(claim(of, ready)).rejects.toThrow();
    const stuck = await requestOf(of);
    expect(stuck).toMatchObject({ state: "pending", claimableShares: 0n, cancellable: true });
    await follow(of, of.exits.cancel?.(of.vault, { user: of.user, request: stuck }));
    expect(await sharesOf(of)).toBe(shares);
  });
});
