import {
  type Abi,
  decodeFunctionData,
  encodeErrorResult,
  type Hex,
  parseAbi,
  toHex,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { aaveStata } from "../../../../src/vaults/families/aave-stata-family.ts";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import { euler, eulerEarn } from "../../../../src/vaults/families/euler-family.ts";
import { fluid } from "../../../../src/vaults/families/fluid-family.ts";
import { gearbox } from "../../../../src/vaults/families/gearbox-family.ts";
import { mellowLrt } from "../../../../src/vaults/families/mellow/mellow-lrt-family.ts";
import { metaMorpho, morphoV2 } from "../../../../src/vaults/families/morpho/morpho-family.ts";
import { silo } from "../../../../src/vaults/families/silo-family.ts";
import { spark } from "../../../../src/vaults/families/spark-family.ts";
import { explainExitRevert } from "../../../../src/vaults/families/vault-families.ts";
import { yearn } from "../../../../src/vaults/families/yearn-family.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type { VaultAdapter } from "../../../../src/vaults/vault-adapter.ts";
import type { ExitInput, ExitTerms } from "../../../../src/vaults/vault-exits.ts";
import { type ContractAnswer, contractsClient } from "../../../support/chains/multicall.ts";
import { OTHER, USER, vault } from "../../../support/deposits/fixtures.ts";

const NOW = 1_700_000_000_000;
const families = [
  erc4626,
  euler,
  eulerEarn,
  yearn,
  aaveStata,
  spark,
  gearbox,
  fluid,
  silo,
  metaMorpho,
  morphoV2,
];
const exitsOf = ({ exits }: VaultAdapter) => {
  if (exits === undefined) throw new Error("no way out");
  return exits;
};
const input: ExitInput = {
  ...{ mode: "instant", token: vault.asset, shares: 1_000n, owner: USER, caller: USER, receiver: OTHER },
  minAssets: 990n,
};
const views = parseAbi([
  "function asset() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
  "function convertToAssets(uint256) view returns (uint256)",
  "function previewRedeem(uint256) view returns (uint256)",
  "function maxRedeem(address) view returns (uint256)",
  "function maxRedeem(address, uint256) view returns (uint256)",
  "function maxWithdraw(address) view returns (uint256)",
  "function paused() view returns (bool)",
  "function isPaused() view returns (bool)",
  "function cash() view returns (uint256)",
  "function hookConfig() view returns (address, uint32)",
  "function canSendShares(address) view returns (bool)",
  "function canReceiveShares(address) view returns (bool)",
  "function canReceiveAssets(address) view returns (bool)",
  "function cdo() view returns (address)",
  "function MOOLAH() view returns (address)",
  "function jrtVault() view returns (address)",
  "function actionsJrt() view returns (bool, bool)",
  "function actionsSrt() view returns (bool, bool)",
  "function POOL() view returns (address)",
  "function getConfiguration(address) view returns (uint256)",
]);

type Answers = Readonly<Record<string, bigint | Hex | ((args: readonly unknown[]) => bigint | null)>>;

async function termsOf(adapter: VaultAdapter, answers: Answers, request: Partial<ExitInput> = {}) {
  const query = exitsOf(adapter).terms(vault, { ...input, ...request, now: NOW });
  const client = contractsClient(({ data }): ContractAnswer => {
    const { functionName, args = [] } = decodeFunctionData({ abi: views, data });
    const stated = answers[functionName] ?? null;
    const answer = typeof stated === "function" ? stated(args) : stated;
    if (answer === null) return { ok: false, data: "0x" };
    return { ok: true, data: typeof answer === "bigint" ? toHex(answer, { size: 32 }) : answer };
  });
  return (await runQuery(client, query)).value;
}

const healthy: Answers = {
  ...{ asset: toHex(BigInt(vault.asset.address), { size: 32 }), balanceOf: 5_000n, paused: 0n },
  ...{ convertToAssets: 1_010n, previewRedeem: 1_000n, maxRedeem: 5_000n, maxWithdraw: 5_050n },
};

describe.each(families)("withdrawals from $name", (adapter) => {
  test("redeem at once for the asset, through the Router too", () => {
    const exits = exitsOf(adapter);
    expect(exits.modes(vault)).toEqual(["instant"]);
    expect(exits.tokens(vault, "instant")).toEqual([vault.asset]);
    expect(exits.viaRouter({ ...vault, caller: "router" }, "instant")).toBe(true);
  });

  test("name owner and receiver where the owner calls", () => {
    const call = exitsOf(adapter).encode(vault, input);
    expect(call).toMatchObject({ target: vault.entryPoint, spender: null, sharesOffset: 4, selfOffsets: [] });
    expect(call).toMatchObject({ paysTo: "receiver", async: false, tokenOut: vault.asset.address });
    expect([wordAt(call.data, 4), wordAt(call.data, 36), wordAt(call.data, 68)]).toEqual([
      1_000n,
      BigInt(OTHER),
      BigInt(USER),
    ]);
  });

  test("leave the words of the executor to the Router", () => {
    const exits = exitsOf(adapter);
    const passed = exits.encode(vault, { ...input, caller: null, receiver: null });
    expect(passed).toMatchObject({ selfOffsets: [36, 68], paysTo: "caller" });
    const direct = exits.encode(vault, { ...input, caller: null });
    expect(direct).toMatchObject({ selfOffsets: [68], paysTo: "receiver" });
    expect(wordAt(passed.data, 36)).toBe(BigInt(zeroAddress));
  });

  test("show balance, preview and value, and no reason against them", async () => {
    expect(await termsOf(adapter, healthy)).toMatchObject({
      ...{ asset: vault.asset.address, heldShares: 5_000n, previewAssets: 1_000n, grossAssets: 1_010n },
      ...{ priced: "now", paused: false, refusal: null, previewRevert: null },
    });
  });

  test("are unknown where nothing answers", async () => {
    const terms: ExitTerms = await termsOf(adapter, {});
    expect(terms).toMatchObject({ asset: null, heldShares: null, maxShares: null, previewAssets: null });
    expect(terms).toMatchObject({ grossAssets: null, availableAssets: null, paused: false, refusal: null });
  });
});

describe("a maxRedeem of zero", () => {
  const word = (value: bigint) => toHex(value, { size: 32 });
  const none: Answers = { ...healthy, maxRedeem: 0n, maxWithdraw: 0n };
  const poor: Answers = { ...none, balanceOf: 999n };
  const actions = (withdrawals: bigint) => `0x${word(1n).slice(2)}${word(withdrawals).slice(2)}` as const;
  const tranche = (junior: string, [ofJunior, ofSenior]: [bigint, bigint]): Answers => ({
    ...{ ...poor, cdo: word(BigInt(OTHER)), jrtVault: word(BigInt(junior)) },
    ...{ actionsJrt: actions(ofJunior), actionsSrt: actions(ofSenior) },
  });
  const reserve = (bits: bigint): Answers => ({ ...poor, POOL: word(BigInt(OTHER)), getConfiguration: bits });

  test.each<[string, VaultAdapter, Answers, boolean]>([
    ["of a paused vault", metaMorpho, { ...poor, paused: 1n }, true],
    ["of a vault of a known family", metaMorpho, none, false],
    ["of a vault that holds the assets", erc4626, none, true],
    ["of a vault that does not hold them", erc4626, poor, false],
    ["of an account without shares", erc4626, { ...none, balanceOf: 0n }, false],
    ["of a junior tranche that is off", erc4626, tranche(vault.address, [0n, 1n]), true],
    ["of a junior tranche that is on", erc4626, tranche(vault.address, [1n, 0n]), false],
    ["of a senior tranche that is off", erc4626, tranche(USER, [1n, 0n]), true],
    ["of a senior tranche that is on", erc4626, tranche(USER, [0n, 1n]), false],
    ["of an active reserve", aaveStata, reserve(1n << 56n), false],
    ["of a paused reserve", aaveStata, reserve((1n << 56n) | (1n << 60n)), true],
    ["of a reserve that is not active", aaveStata, reserve(0n), true],
    ["of an unreadable reserve", aaveStata, poor, false],
    ["of a paused strategy", yearn, { ...poor, isPaused: 1n }, true],
    ["of a strategy that is not paused", yearn, { ...poor, isPaused: 0n }, false],
    ["of a vault without a pause", yearn, poor, false],
  ])("%s", async (_what, adapter, answers, closed) => {
    expect((await termsOf(adapter, answers)).closed).toBe(closed);
  });

  test("is no reason where more than zero is redeemable", async () => {
    expect((await termsOf(erc4626, { ...healthy, maxRedeem: 1n, paused: 1n })).closed).toBe(false);
  });
});

test.each<[string, Answers, true | undefined]>([
  ["paused", { paused: 1n }, true],
  ["not paused", { paused: 0n }, undefined],
  ["unreadable", { paused: () => null }, undefined],
])("a vault of Lista on a market that is %s: %s", async (_which, answers, halted) => {
  const market = toHex(BigInt(OTHER), { size: 32 });
  const terms = await termsOf(erc4626, { ...healthy, MOOLAH: market, ...answers });
  expect([terms.halted, terms.closed, terms.maxShares]).toEqual([halted, false, 5_000n]);
});

const wordAt = (data: Hex, offset: number): bigint =>
  BigInt(`0x${data.slice(2 + offset * 2, 2 + offset * 2 + 64)}`);

test("only Fluid's call enforces the minimum, Yearn's a maximum loss", () => {
  const native = families.filter((adapter) => exitsOf(adapter).encode(vault, input).minAssets === "native");
  expect(native).toEqual([fluid]);
  expect(wordAt(exitsOf(fluid).encode(vault, input).data, 100)).toBe(990n);
  expect(wordAt(exitsOf(yearn).encode(vault, input).data, 100)).toBe(50n);
});

describe("the limit of a redemption", () => {
  test.each([[metaMorpho], [eulerEarn]])(
    "of $name shows the liquidity below the balance",
    async (adapter) => {
      const dry = { ...healthy, maxRedeem: 100n, maxWithdraw: 101n };
      expect(await termsOf(adapter, dry)).toMatchObject({ maxShares: 100n, availableAssets: 101n });
      expect(await termsOf(adapter, healthy)).toMatchObject({ maxShares: 5_000n, availableAssets: null });
    },
  );

  test("is not read where it says nothing", async () => {
    const none = { ...healthy, maxRedeem: 0n, maxWithdraw: 0n };
    expect(await termsOf(morphoV2, none)).toMatchObject({ maxShares: null, availableAssets: null });
    expect(await termsOf(euler, { ...none, cash: 70n })).toMatchObject({
      maxShares: null,
      availableAssets: 70n,
    });
  });
});

describe("the limit of a redemption from Yearn", () => {
  /** What a vault redeems within an accepted loss of 0.5% and, null if unread, at any loss. */
  const limitOf = async (within: bigint, any: bigint | null) => {
    const maxRedeem = ([, maxLoss]: readonly unknown[]) => (maxLoss === 10_000n ? any : within);
    return (await termsOf(yearn, { ...healthy, maxRedeem })).maxShares;
  };

  test("is what it redeems within the accepted loss", async () => {
    expect(await limitOf(5_000n, 5_000n)).toBe(5_000n);
    expect(await limitOf(700n, 5_000n)).toBe(700n);
  });

  test("is the liquidity where the first strategy has a larger loss, and not zero", async () => {
    expect(await limitOf(0n, 3_000n)).toBe(3_000n);
    expect(await limitOf(0n, 0n)).toBe(0n);
    expect(await limitOf(0n, null)).toBeNull();
  });
});

test("the gates of Morpho Vault V2 refuse owner, receiver and executor", async () => {
  const open = { ...healthy, canSendShares: 1n, canReceiveShares: 1n, canReceiveAssets: 1n };
  expect(await termsOf(morphoV2, open)).toMatchObject({ refusal: null });
  expect(await termsOf(morphoV2, { ...open, canSendShares: 0n })).toMatchObject({ refusal: "not_allowed" });
  expect(await termsOf(morphoV2, { ...open, canReceiveAssets: 0n })).toMatchObject({
    refusal: "not_allowed",
  });
  const closed = { ...open, canReceiveShares: 0n };
  expect(await termsOf(morphoV2, closed)).toMatchObject({ refusal: null });
  expect(await termsOf(morphoV2, closed, { caller: null })).toMatchObject({ refusal: "not_allowed" });
  const gated: Vault = { ...vault, caller: "user" };
  expect(exitsOf(morphoV2).viaRouter(gated, "instant")).toBe(false);
});

test("a hook without target that disables redemptions pauses Euler, deposits alone do not", async () => {
  const hooked = (operations: bigint) => toHex(operations, { size: 64 });
  expect(await termsOf(euler, { ...healthy, hookConfig: hooked(8n) })).toMatchObject({ paused: true });
  expect(await termsOf(euler, { ...healthy, hookConfig: hooked(1n << 14n) })).toMatchObject({ paused: true });
  expect(await termsOf(euler, { ...healthy, hookConfig: hooked(1n) })).toMatchObject({ paused: false });
});

test.each([
  [gearbox, true],
  [aaveStata, true],
  [erc4626, false],
])("paused() of $name stops withdrawals where it is known to", async (adapter, paused) => {
  expect(await termsOf(adapter, { ...healthy, paused: 1n })).toMatchObject({ paused });
});

const errorData = (signature: string, args: readonly unknown[] = []): Hex =>
  encodeErrorResult({ abi: parseAbi([signature]) as Abi, args: [...args] });
const reason = (text: string) => errorData("error Error(string)", [text]);

test.each([
  [metaMorpho, errorData("error NotEnoughLiquidity()"), "no_liquidity"],
  [eulerEarn, errorData("error NotEnoughLiquidity()"), "no_liquidity"],
  [silo, errorData("error NotEnoughLiquidity()"), "no_liquidity"],
  [silo, errorData("error NotSolvent()"), "not_allowed"],
  [silo, errorData("error ReturnZeroAssets()"), "nothing_to_withdraw"],
  [morphoV2, errorData("error CannotSendShares()"), "not_allowed"],
  [morphoV2, errorData("error CannotReceiveAssets()"), "not_allowed"],
  [euler, errorData("error E_InsufficientCash()"), "no_liquidity"],
  [euler, errorData("error E_OperationDisabled()"), "exits_paused"],
  [euler, errorData("error E_ZeroAssets()"), "nothing_to_withdraw"],
  [yearn, reason("too much loss"), "price_unsafe"],
  [yearn, reason("ERC4626: redeem more than max"), "no_liquidity"],
  [aaveStata, errorData("error EnforcedPause()"), "exits_paused"],
  [aaveStata, errorData("error ReservePaused()"), "exits_paused"],
  [aaveStata, reason("32"), "no_liquidity"],
  [spark, reason("SparkVault/insufficient-liquidity"), "no_liquidity"],
  [spark, reason("StUsds/insufficient-unused-funds"), "no_liquidity"],
  [spark, reason("UsdcVault/psm-buy-gem-halted"), "exits_paused"],
  [mellowLrt, reason("RatiosStrategy: withdrawals paused"), "exits_paused"],
  [gearbox, reason("Pausable: paused"), "exits_paused"],
  [fluid, errorData("error FluidLiquidityError(uint256)", [11_003n]), "no_liquidity"],
  [fluid, errorData("error FluidLiquidityError(uint256)", [11_002n]), "exits_paused"],
  [fluid, errorData("error FluidLiquidityError(uint256)", [12_001n]), "exits_paused"],
  [
    erc4626,
    errorData("error ERC4626ExceededMaxRedeem(address,uint256,uint256)", [USER, 2n, 1n]),
    "no_liquidity",
  ],
  [erc4626, errorData("error ExitsPaused()"), "exits_paused"],
  [erc4626, errorData("error RequestsPaused()"), "exits_paused"],
  [erc4626, reason("Withdrawals are currently paused"), "exits_paused"],
  [erc4626, reason("Vault: withdrawals disabled"), "exits_paused"],
  [erc4626, reason("withdrawals are not paused"), null],
  [erc4626, errorData("error SharesLocked()"), "share_locked"],
  [erc4626, reason("Shares are still locked."), "share_locked"],
  [erc4626, reason("shares unlocked"), null],
  [erc4626, "0xdeadbeef" as Hex, null],
])("%o maps the error of a withdrawal %s to %s", (adapter, revert, code) => {
  expect(explainExitRevert({ ...vault, adapter: adapter.name }, revert).code).toBe(code);
});

describe("exitPrice() of a vault that charges redemptions", () => {
  const price = async (answer: (name: string, shares: bigint) => bigint | null, of: Vault = vault) => {
    const query = exitsOf(erc4626).exitPrice?.(of, 0);
    if (query === undefined) throw new Error("no exit price");
    const client = contractsClient(({ data }): ContractAnswer => {
      const { functionName, args } = decodeFunctionData({ abi: views, data });
      const value = answer(functionName, BigInt(String(args?.[0])));
      if (value === null) return { ok: false, data: "0x" };
      return { ok: true, data: toHex(value, { size: 32 }) };
    });
    return (await runQuery(client, query)).value;
  };
  const ONE = 10n ** BigInt(vault.shareDecimals);
  const worth = (name: string, shares: bigint) =>
    (shares * (name === "previewRedeem" ? 1_246_250n : 1_250_000n)) / ONE;

  test("is sampled with a million shares", async () => {
    expect(await price(worth)).toEqual({ gross: 1_250_000_000_000n, net: 1_246_250_000_000n });
  });

  test.each([
    ["yo", { gross: 1_250_000_000_000n, net: 1_246_250_000_000n }],
    // What these pay at once, if anything, is not what they preview.
    ["cooldown", null],
    ["maple", null],
    ["erc7540", null],
  ])("with the exit %s is %o", async (exit, expected) => {
    expect(await price(worth, { ...vault, params: { exit } })).toEqual(expected);
  });

  test("is sampled with one share where the vault previews no more shares than exist", async () => {
    const scarce = (name: string, shares: bigint) =>
      name === "previewRedeem" && shares > 55n * ONE ? null : worth(name, shares);
    expect(await price(scarce)).toEqual({ gross: 1_250_000n, net: 1_246_250n });
  });

  test("is unknown where one share is worth too few units, or has no preview", async () => {
    const coarse = (name: string, shares: bigint) => (shares > ONE ? null : worth(name, shares) / 1_000n);
    expect(await price(coarse)).toBeNull();
    expect(await price((name, shares) => (name === "previewRedeem" ? null : worth(name, shares)))).toBeNull();
  });
});
