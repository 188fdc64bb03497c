import { getAddress } from "viem";
import { expect, test } from "vitest";
import { knownChains } from "../../../src/chains/chain-definitions.ts";
import { vaultRegisters } from "../../../src/registry/registers/vault-registers.ts";
import { findFamily } from "../../../src/vaults/families/vault-families.ts";

test("every register is of a known chain and family, and stands once", () => {
  const chainIds = new Set(knownChains.map(({ chainId }) => chainId));
  const seen = new Set<string>();
  for (const { chainId, address, adapter, reading } of vaultRegisters) {
    expect(chainIds).toContain(chainId);
    expect(getAddress(address)).toBe(address);
    expect(findFamily(adapter)?.adapter.name).toBe(adapter);
    expect(seen.has(`${chainId}:${address}`)).toBe(false);
    seen.add(`${chainId}:${address}`);
    if (reading.kind !== "events") continue;
    const named = new Set(reading.event().inputs.map(({ name }) => name));
    for (const name of reading.vaults) expect(named).toContain(name);
  }
  expect(seen.size).toBe(208);
});

test("a register of events without a view that confirms its vaults vouches for nothing", () => {
  for (const { openness, membership, reading, isFactory } of vaultRegisters)
    if (reading.kind === "events" && membership === null)
      expect([isFactory, openness]).toEqual([false, "anybody"]);
});
