import { describe, expect, test } from "vitest";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { VaultSummary } from "../../src/schemas/vault-schema.ts";
import { toWireVault } from "../../src/vaults/describe-vault.ts";
import { pauseReason } from "../../src/vaults/vault-deposit-entry.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { VAULT, vault } from "../support/deposits/fixtures.ts";

const router = { via: "router", address: depositRouterAddress } as const;
const user = { via: "user", address: VAULT } as const;
const shown = { chain: testChain, entry: router, pausedOnChain: false, minDeposit: null };

describe("toWireVault()", () => {
  test.each<[string, Partial<typeof vault>, bigint | null, string | null, boolean]>([
    ["not known", {}, null, null, false],
    ["the registry's", { minDeposit: 5n }, null, "5", false],
    ["the chain's", {}, 7n, "7", false],
    ["none, by the registry", { noMinimum: true }, null, "0", true],
    ["none, by the family", { adapter: "metamorpho" }, null, "0", true],
    ["none, by the chain", {}, 0n, "0", true],
  ])("shows the minimum deposit: %s", (_what, change, minDeposit, min_deposit, no_minimum) => {
    const wire = toWireVault({ ...vault, ...change }, { ...shown, minDeposit });
    expect(VaultSummary.parse(wire)).toMatchObject({ min_deposit, no_minimum });
  });

  test.each([
    [true, "active", "the vault's contract rejects deposits"],
    [false, "paused", "under review"],
    [true, "paused", "under review"],
    [false, "active", ""],
  ] as const)("shows the pause: on chain %s, in the registry %s", (pausedOnChain, status, paused_reason) => {
    const own = { ...vault, status, statusReason: "under review" };
    expect(toWireVault(own, { ...shown, pausedOnChain })).toMatchObject({
      paused: paused_reason !== "",
      paused_reason,
    });
  });

  test("pauseReason() names the contract's refusal when the registry has no reason", () => {
    expect(pauseReason(vault)).toBe("the vault's contract rejects deposits");
    expect(pauseReason({ ...vault, status: "paused", statusReason: "" })).toBe("");
  });

  test("shows the Router or the vault's entry point", () => {
    expect(toWireVault(vault, shown)).toMatchObject({
      deposit_router: depositRouterAddress,
      external_router: false,
    });
    expect(toWireVault(vault, { ...shown, entry: user })).toMatchObject({
      deposit_router: VAULT,
      external_router: true,
    });
  });
});
