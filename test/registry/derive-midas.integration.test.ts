import { type Address, getAddress, toFunctionSelector, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { midasDepositVaultAbi } from "#stand-ins/midas";
import { deriveFromChain } from "../../src/registry/derive-registry-vault.ts";
import { recognizeFamily } from "../../src/registry/recognize-registry-family.ts";
import { unreviewedSubject } from "../../src/vaults/vault-deriver.ts";
import { vaultOf } from "../support/conformance/vaults/deposit.ts";
import type { Placed } from "../support/conformance/vaults/family.ts";
import { deployMidas } from "../support/conformance/vaults/midas-stand-in.ts";
import { set } from "../support/conformance/vaults/standard.ts";
import { place } from "../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../support/conformance/vaults/world.ts";

let world: World;
let placed: Placed;

beforeAll(async () => {
  world = await startWorld();
  const deploy = deployMidas({ deposit: "instant", recipient: "argument", caller: "router" });
  const family = { name: "Midas", adapter: "midas", type: "midas", deploy } as const;
  placed = await place(world, { family, decimals: 6 });
});
afterAll(() => world?.close());

const part = (name: string): Address => getAddress(placed.parts[name] ?? zeroAddress);

/** Derives a contract of which only the address is known. */
async function derive(address: Address, params: Record<string, string> = {}) {
  const { chainId } = await vaultOf(placed);
  const client = world.fresh().context().chains.client(chainId);
  if (client === null) throw new Error("the chain is not served");
  const subject = { ...unreviewedSubject({ chainId, address }), params };
  const family = await recognizeFamily(client, subject);
  return { family, derived: await deriveFromChain(client, { adapter: "midas", subject }) };
}

describe("a Midas vault by its address alone", () => {
  test("is a DepositVault, never a RedemptionVault of the same mToken", async () => {
    expect(await derive(part("deposits"))).toMatchObject({
      family: "midas",
      derived: { ok: true, vault: { params: { deposit: "instant", recipient: "argument" } } },
    });
    const redemptions = await derive(part("redemptions"));
    expect(redemptions.family).not.toBe("midas");
    expect(redemptions.derived).toEqual({
      ok: false,
      reason: `the contract is Midas's RedemptionVault of ${part("mToken")}: it pays mTokens back and takes no deposits`,
    });
    expect((await derive(part("mToken"))).derived).toEqual({
      ok: false,
      reason: "neither the contract nor the entry point of its registry entry is its DepositVault",
    });
  });

  test("is used by the function that is open when the other is paused", async () => {
    const named = toFunctionSelector("depositInstant(address,uint256,uint256,bytes32,address)");
    const plain = toFunctionSelector("depositInstant(address,uint256,uint256,bytes32)");
    const pause = (fn: string, on: boolean) =>
      set(placed, { abi: midasDepositVaultAbi, name: "pauseFn", args: [fn, on], on: part("deposits") });
    const used = async () => {
      const { derived } = await derive(part("deposits"));
      return derived.ok
        ? { caller: derived.vault.caller, recipient: derived.vault.params?.["recipient"] }
        : null;
    };
    await pause(named, true);
    expect(await used()).toEqual({ caller: "user", recipient: "caller" });
    // With both paused nothing is better than the usual one, which shows the pause.
    await pause(plain, true);
    expect(await used()).toMatchObject({ recipient: "argument" });
    await pause(named, false);
    expect(await used()).toMatchObject({ recipient: "argument" });
    await pause(plain, false);
  });

  test("remembers the RedemptionVault that another one replaced, of its own mToken only", async () => {
    const [before, now] = [`0x${"1".repeat(40)}`, part("redemptions").toLowerCase()];
    const accepted = async (params: Record<string, string>) => {
      const { derived } = await derive(part("deposits"), params);
      return derived.ok ? derived.vault.params?.["redemption_requests"] : derived.reason;
    };
    expect(await accepted({ redemption_vault: now })).toBe(now);
    const [replaced, both] = [{ redemption_requests: before }, { redemption_requests: `${before},${now}` }];
    expect(await accepted({ redemption_vault: now, ...replaced })).toBe(both.redemption_requests);
    expect(await accepted({ redemption_vault: now, ...both })).toBe(both.redemption_requests);
    // What cannot be read, or belongs to another mToken, changes nothing.
    expect(await accepted({ redemption_vault: before, ...both })).toBe(both.redemption_requests);
    expect(await accepted(both)).toBe(both.redemption_requests);
    expect(await accepted({})).toBeUndefined();
  });
});
