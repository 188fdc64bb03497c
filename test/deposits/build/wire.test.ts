import { describe, expect, test } from "vitest";
import { toWireDeposit } from "../../../src/deposits/deposits.ts";
import { toTransactionRequest, toWalletCall } from "../../../src/orders/wallet-calls.ts";
import { depositRouterAddress } from "../../../src/router/address.ts";
import { Deposit } from "../../../src/schemas/deposit.ts";
import { VaultSummary } from "../../../src/schemas/vault.ts";
import { acceptedTokens, pauseReason } from "../../../src/vaults/deposit-entry.ts";
import { toWireVault } from "../../../src/vaults/wire.ts";
import {
  NOW,
  native,
  OTHER,
  REF,
  row,
  USDC,
  USER,
  VAULT,
  vault,
  WETH,
  wethVault,
} from "../../support/deposits/fixtures.ts";
import { testChain } from "../../support/rpc-node.ts";

const router = { via: "router", address: depositRouterAddress } as const;
const user = { via: "user", address: VAULT } as const;
const shown = { chain: testChain, entry: router, pausedOnChain: false, minDeposit: null };

describe("toTransactionRequest() and toWalletCall()", () => {
  test("write calldata in lower case", () => {
    const call = { target: VAULT, data: "0xAb5425c6FF", value: 1n } as const;
    expect(toTransactionRequest(call, { chainId: 1, gasUsed: 1n }).data).toBe("0xab5425c6ff");
    expect(toWalletCall(call, 1)).toEqual({ to: VAULT, data: "0xab5425c6ff", value: "0x1", chain_id: "0x1" });
  });
});

describe("toWireDeposit()", () => {
  test("writes every field with checksummed addresses and ISO times", () => {
    const wire = toWireDeposit(row, NOW);
    expect(Deposit.parse(wire)).toEqual(wire);
    expect(wire).toEqual({
      tracking_id: "trk_0123456789abcdef0123456789abcdef",
      state: "built",
      status: "NOT_FOUND",
      substatus: null,
      user_address: USER,
      vault_id: `31337:${VAULT.toLowerCase()}`,
      from_chain_id: 31337,
      to_chain_id: 31337,
      from_token: USDC,
      from_amount: "100000000",
      estimated_shares: "100000000000000000000",
      min_shares: "99500000000000000000",
      shares: null,
      bridge: null,
      router_explorer: null,
      two_step: false,
      destination_tx_hash: null,
      delivered_amount: null,
      refund_tx_hash: null,
      next_refusal: null,
      source_tx_hash: null,
      deposit_tx_hash: null,
      claim_tx_hash: null,
      parent_tracking_id: null,
      created_at: "2026-01-02T03:04:05.678Z",
      updated_at: "2026-01-02T03:04:05.678Z",
      expires_at: "2026-01-02T03:09:05.678Z",
      history: [{ state: "built", at: "2026-01-02T03:04:05.678Z" }],
      next: null,
    });
  });

  test("shows an unsent deposit as expired after its quote's expiry", () => {
    expect(toWireDeposit(row, NOW + 300_000)).toMatchObject({ state: "expired", status: "NOT_FOUND" });
    const sent = { ...row, state: "submitted", sourceTxHash: REF } as const;
    expect(toWireDeposit(sent, NOW + 300_000)).toMatchObject({
      state: "submitted",
      status: "PENDING",
      substatus: "WAIT_SOURCE_CONFIRMATIONS",
      source_tx_hash: REF,
    });
  });

  test("shows the substatus of a failed deposit", () => {
    const failed = { ...row, state: "failed", substatus: "OUT_OF_GAS" } as const;
    expect(toWireDeposit(failed, NOW)).toMatchObject({ status: "FAILED", substatus: "OUT_OF_GAS" });
  });
});

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
    [true, "active", "the vault's own contract refuses deposits"],
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
    expect(pauseReason(vault)).toBe("the vault's own contract refuses deposits");
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

describe("acceptedTokens()", () => {
  const symbols = (own: typeof vault, entry: typeof router | typeof user, chain = testChain) =>
    acceptedTokens(own, { chain, entry }).map(({ symbol }) => symbol);
  const dai = { address: OTHER, symbol: "DAI", decimals: 18 };

  test("lists the asset first and no token twice", () => {
    expect(symbols(vault, router)).toEqual(["USDC"]);
    expect(symbols({ ...vault, acceptedAssets: [dai] }, router)).toEqual(["USDC", "DAI"]);
    const lower = { ...vault.asset, address: USDC.toLowerCase() as typeof USDC };
    expect(symbols({ ...vault, acceptedAssets: [dai, lower] }, router)).toEqual(["DAI", "USDC"]);
  });

  test("includes native money when the Router can wrap it into the asset", () => {
    expect(acceptedTokens(wethVault, { chain: testChain, entry: router }).at(-1)).toEqual(native);
    expect(symbols(wethVault, user)).toEqual(["WETH"]);
    expect(symbols(wethVault, router, { ...testChain, wrappedNative: null })).toEqual(["WETH"]);
    expect(symbols({ ...wethVault, asset: { ...wethVault.asset, address: OTHER } }, router)).toEqual([
      "WETH",
    ]);
    expect(wethVault.asset.address).toBe(WETH);
  });
});
