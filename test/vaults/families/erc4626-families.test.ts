import fc from "fast-check";
import { type Address, encodeErrorResult, type Hex, parseAbi, size, slice, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../src/chains/aggregator/aggregate-reads.ts";
import type { ErrorCode } from "../../../src/errors.ts";
import { aaveStata } from "../../../src/vaults/families/aave-stata-family.ts";
import { accountable } from "../../../src/vaults/families/accountable-family.ts";
import { erc4626 } from "../../../src/vaults/families/erc4626-family.ts";
import { euler, eulerEarn } from "../../../src/vaults/families/euler-family.ts";
import { fluid } from "../../../src/vaults/families/fluid-family.ts";
import { gearbox } from "../../../src/vaults/families/gearbox-family.ts";
import { ipor } from "../../../src/vaults/families/ipor/ipor-family.ts";
import { mellowLrt } from "../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import { metaMorpho, morphoV2 } from "../../../src/vaults/families/morpho/morpho-family.ts";
import { silo } from "../../../src/vaults/families/silo-family.ts";
import { spark } from "../../../src/vaults/families/spark-family.ts";
import { upshift } from "../../../src/vaults/families/upshift/upshift-adapter.ts";
import { upshiftLegacy } from "../../../src/vaults/families/upshift/upshift-legacy-adapter.ts";
import { yearn } from "../../../src/vaults/families/yearn-family.ts";
import type { VaultAdapter } from "../../../src/vaults/vault-adapter.ts";
import { type ContractAnswer, contractsClient } from "../../support/chains/multicall.ts";
import { OTHER, USER, vault } from "../../support/deposits/fixtures.ts";
import { answer } from "../../support/vaults/answer.ts";

const near: readonly VaultAdapter[] = [
  ...[erc4626, euler, eulerEarn, yearn, aaveStata, spark, gearbox, fluid, silo],
  ...[metaMorpho, morphoV2, ipor, mellowLrt, upshift, upshiftLegacy, accountable],
];
const NOW = 1_700_000_000_000;
const request = { token: vault.asset, amount: 100_000_000n, caller: USER, receiver: USER, now: NOW };

/** Runs all reads of the adapter against one contract. */
async function askAll(adapter: VaultAdapter, contract: (call: { data: Hex }) => ContractAnswer) {
  const client = contractsClient(contract);
  const [state, terms, flags] = await Promise.all([
    runQuery(client, adapter.state(vault, NOW)),
    runQuery(client, adapter.terms(vault, request)),
    runQuery(client, adapter.flags(vault)),
  ]);
  return { state: state.value, terms: terms.value, flags: flags.value };
}

describe.each(near)("$name", (adapter) => {
  test.each<[string, ContractAnswer]>([
    ["reverts without data", { ok: false, data: "0x" }],
    ["reverts with unknown data", { ok: false, data: "0xdeadbeef" }],
    ["returns no data", { ok: true, data: "0x" }],
    ["returns less than a word", { ok: true, data: "0x01" }],
  ])("returns null for every value of a contract that %s", async (_what, answer) => {
    const { state, terms, flags } = await askAll(adapter, () => answer);
    const limits = { minDeposit: null, paused: false };
    const totals = { totalAssets: null, totalSupply: null, sharePrice: null };
    const { pauseUnknown: _, ...known } = state;
    expect({ exitFee: null, ...known }).toEqual({ ...totals, ...limits, maxDeposit: null, exitFee: null });
    expect(flags).toEqual(limits);
    expect(terms).toMatchObject({
      ...limits,
      asset: null,
      previewShares: null,
      price: null,
      maxDeposit: null,
    });
    expect(terms.refusal ?? null).toBe(null);
  });

  test("never throws, whatever a contract returns", async () => {
    const answers = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ ok: true as const, data: toHex(bytes) })),
      fc.bigInt(0n, 2n ** 256n - 1n).map((word) => ({ ok: true as const, data: toHex(word, { size: 32 }) })),
      fc.constant({ ok: true as const, data: toHex(2n ** 256n - 1n, { size: 32 }) }),
      fc.constant({ ok: true as const, data: `0x${"ff".repeat(320)}` as Hex }),
      fc.constant({ ok: false as const, data: "0x" as Hex }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 8 }), async (told) => {
        let next = 0;
        const { state } = await askAll(adapter, () => {
          next += 1;
          return told[next % told.length] ?? { ok: false, data: "0x" };
        });
        for (const amount of [state.totalAssets, state.totalSupply, state.sharePrice, state.maxDeposit])
          expect(amount === null || (amount >= 0n && amount < 2n ** 256n)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test("encode() places amount and receiver in the calldata", () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 256n - 1n), fc.bigInt(1n, 2n ** 200n), (amount, minShares) => {
        const receiver: Address = OTHER;
        const call = adapter.encode(vault, { ...request, amount, receiver, minShares });
        const offset = call.amountOffset;
        expect(BigInt(slice(call.data, offset, offset + 32))).toBe(amount);
        expect(call.data).toContain(receiver.slice(2).toLowerCase());
        expect((size(call.data) - 4) % 32).toBe(0);
        expect(call).toMatchObject({ amountScale: 1n, sharesTo: "receiver", async: false });
        if (call.minShares === "native") expect(call.data).toContain(minShares.toString(16));
      }),
      { numRuns: 50 },
    );
  });
});

/** A contract that converts a whole share to 1.0731 units of the asset, and shares beyond `most` not at all. */
const nearlyWorthless =
  (most: bigint) =>
  ({ data }: { data: Hex }): ContractAnswer => {
    const shares = data.startsWith("0x07a2d13a") ? BigInt(slice(data, 4)) : most + 1n;
    if (shares > most) return { ok: false, data: "0x" };
    const assets = (shares * 10_731n) / (10_000n * 10n ** BigInt(vault.shareDecimals));
    return { ok: true, data: toHex(assets, { size: 32 }) };
  };

test("the share price is exact to a millionth when a share is worth almost nothing", async () => {
  const { state, terms } = await askAll(erc4626, nearlyWorthless(10n ** 30n));
  expect(state.sharePrice).toBe(1_073_100n * 10n ** 6n);
  expect(terms.price).toEqual({ assets: 1_073_100n * 10n ** 6n, shares: 10n ** 30n });
});

test("the share price uses the smaller sample when the vault cannot convert the larger one", async () => {
  const { terms } = await askAll(erc4626, nearlyWorthless(10n ** 18n));
  expect(terms.price).toEqual({ assets: 1n, shares: 10n ** 18n });
});

test("only Fluid's deposit call enforces minimum shares (slippage)", () => {
  const call = (adapter: VaultAdapter) => adapter.encode(vault, { ...request, minShares: 7n });
  expect(near.filter((adapter) => call(adapter).minShares === "native")).toEqual([fluid]);
  expect(slice(call(fluid).data, 0, 4)).toBe("0xbc157ac1");
});

test("only Spark and MetaMorpho of these families enforce no minimum deposit", () => {
  expect(near.filter(({ noMinimum }) => noMinimum)).toEqual([spark, metaMorpho]);
});

test("the position lens never uses total assets over supply where totals are incomplete", () => {
  const exact = near.filter((adapter) => adapter.lens(vault).kind === "convert");
  expect(exact).toEqual([eulerEarn, silo, metaMorpho, morphoV2, ipor, upshiftLegacy, accountable]);
});

/** Answers of a Plasma vault by its reads' names, without those of the standard. */
const plasma = { manager: OTHER, closed: false, call: [true, 0] };

test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
  ["open", plasma, { paused: false, pauseUnknown: undefined }],
  ["closed", { ...plasma, closed: true }, { paused: true, pauseUnknown: undefined }],
  [
    "unknown while the access manager does not say so",
    { ...plasma, closed: undefined },
    { pauseUnknown: true },
  ],
  ["unknown while the vault does not name its access manager", {}, { pauseUnknown: true }],
])("a Plasma vault is %s", (_what, answers, shown) => {
  const { pauseUnknown, paused } = answer(ipor.state(vault, NOW), answers);
  expect({ paused, pauseUnknown }).toMatchObject({ paused: false, ...shown });
});

test.each<[string, bigint | undefined, boolean]>([
  ["active", 1n << 56n, false],
  ["paused", (1n << 56n) | (1n << 60n), true],
  ["frozen", (1n << 56n) | (1n << 57n), true],
  ["not active", 0n, true],
  ["unreadable", undefined, false],
])("a static aToken of a reserve that is %s takes deposits or is paused", (_what, state, paused) => {
  const read = answer(aaveStata.state(vault, NOW), { pool: OTHER, state, paused: false });
  expect(read.paused).toBe(paused);
});

test("a private Plasma vault refuses the Router's executor, which is a new account", () => {
  const refusalBy = (call: [boolean, number], caller: Address | null) =>
    answer(ipor.terms(vault, { ...request, caller }), { ...plasma, call }).refusal;
  expect(refusalBy([false, 0], null)).toBe("not_allowed");
  expect(refusalBy([false, 0], USER)).toBe("not_allowed");
  expect(refusalBy([true, 0], null)).toBeNull();
});

const reverts = (signature: string, args: readonly unknown[] = []): Hex =>
  encodeErrorResult({
    abi: parseAbi([`error ${signature}`] as readonly string[]),
    errorName: signature.split("(")[0] ?? "",
    args: [...args],
  });
const reason = (reason: string): Hex => reverts("Error(string reason)", [reason]);

describe("explain()", () => {
  test.each<[VaultAdapter, Hex, ErrorCode | null, string]>([
    [aaveStata, reverts("StaticATokenInvalidZeroShares()"), "zero_shares", "StaticATokenInvalidZeroShares"],
    [aaveStata, reason("28"), "vault_paused", "28"],
    [aaveStata, reason("51"), "above_maximum", "51"],
    [aaveStata, reverts("ReserveInactive()"), "vault_paused", "ReserveInactive"],
    [aaveStata, reverts("ReservePaused()"), "vault_paused", "ReservePaused"],
    [aaveStata, reverts("SupplyCapExceeded()"), "above_maximum", "SupplyCapExceeded"],
    [eulerEarn, reverts("ZeroShares()"), "zero_shares", "ZeroShares"],
    [spark, reason("SparkVault/deposit-cap-exceeded"), "above_maximum", "SparkVault/deposit-cap-exceeded"],
    [spark, reason("StUsds/mint-over-supply-cap"), "above_maximum", "StUsds/mint-over-supply-cap"],
    [spark, reason("UsdcVault/psm-sell-gem-halted"), "vault_paused", "UsdcVault/psm-sell-gem-halted"],
    [gearbox, reverts("AmountCantBeZeroException()"), "zero_shares", "AmountCantBeZeroException"],
    [
      fluid,
      reverts("FluidLendingError(uint256 id)", [20_001n]),
      "below_minimum",
      "fToken__DepositInsignificant",
    ],
    [fluid, reverts("FluidLendingError(uint256 id)", [20_002n]), null, "fToken__MinAmountOut"],
    [fluid, reverts("FluidLiquidityError(uint256 id)", [11_002n]), "vault_paused", "UserModule__UserPaused"],
    [
      fluid,
      reverts("FluidLiquidityError(uint256 id)", [12_001n]),
      "vault_paused",
      "LiquidityHelpers__Reentrancy",
    ],
    [
      fluid,
      reverts("FluidLiquidityError(uint256 id)", [11_007n]),
      "below_minimum",
      "UserModule__OperateAmountInsufficient",
    ],
    [fluid, reverts("FluidLiquidityError(uint256 id)", [11_001n]), null, "FluidLiquidityError(11001)"],
    [fluid, reverts("FluidLendingError(uint256 id)", [9n]), null, "FluidLendingError(9)"],
    [fluid, reverts("fToken__DepositInsignificant()"), "below_minimum", "fToken__DepositInsignificant"],
    [silo, reverts("ReturnZeroShares()"), "zero_shares", "ReturnZeroShares"],
    [morphoV2, reverts("ZeroAbsoluteCap()"), "above_maximum", "ZeroAbsoluteCap"],
    [ipor, reverts("AccountIsLocked(uint256 unlockTime)", [5n]), "share_locked", "AccountIsLocked"],
    [ipor, reverts("NoAssetsToDeposit()"), "zero_shares", "NoAssetsToDeposit"],
    [upshift, reverts("DepositsPaused()"), "vault_paused", "DepositsPaused"],
    [upshift, reverts("SenderNotWhitelisted()"), "not_allowed", "SenderNotWhitelisted"],
    [upshift, reverts("AssetNotWhitelisted()"), null, "AssetNotWhitelisted"],
    [upshift, reverts("StalePrice()"), "price_stale", "StalePrice"],
    [
      upshift,
      reverts("AllocationExceeded(uint256 a, uint256 b, uint256 c)", [3n, 1n, 2n]),
      "above_maximum",
      "AllocationExceeded",
    ],
    [upshiftLegacy, reverts("DepositLimitReached()"), "above_maximum", "DepositLimitReached"],
    [upshiftLegacy, reverts("MaxSupplyLimitReached()"), "above_maximum", "MaxSupplyLimitReached"],
    [upshiftLegacy, reverts("AddressBlacklisted()"), "not_allowed", "AddressBlacklisted"],
    [upshiftLegacy, reverts("SharesAmountRequired()"), "zero_shares", "SharesAmountRequired"],
    [accountable, "0x5945ea56", "below_minimum", "InsufficientAmount"],
    [accountable, "0x3d90e2a0", "vault_paused", "DepositNotAllowed"],
    [accountable, reverts("NAVGracePeriodExpired()"), "price_stale", "NAVGracePeriodExpired"],
  ])("$name maps revert data %s", (adapter, revert, code, text) => {
    expect(adapter.explain?.(revert)).toEqual({ code, text });
  });

  test.each(near.filter(({ explain }) => explain !== undefined))(
    "of $name returns null for unknown revert data",
    (adapter) => {
      const panic = reverts("Panic(uint256 code)", [17n]);
      for (const data of ["0x", "0x12", "0xdeadbeef", reason("something else"), panic] as const)
        expect(adapter.explain?.(data)).toBe(null);
    },
  );
});
