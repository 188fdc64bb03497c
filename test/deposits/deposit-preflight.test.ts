import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  isAddressEqual,
  parseAbi,
  toHex,
} from "viem";
import { describe, expect, test } from "vitest";
import type { DepositIntent } from "../../src/deposits/deposit-intent.ts";
import { type Preflight, preflightDeposit, toDepositRefusal } from "../../src/deposits/deposit-preflight.ts";
import { depositRouterAddress } from "../../src/router/router-address.ts";
import { erc4626Abi } from "../../src/vaults/families/erc4626-base/erc4626-adapter.ts";
import { type Contracts, contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import {
  directIntent,
  intentOf,
  native,
  OTHER,
  USDC,
  USER,
  VAULT,
  vault,
  WETH,
  wethVault,
} from "../support/deposits/fixtures.ts";

const ONE = 10n ** 18n;
const AMOUNT = 100_000_000n;
/** What vault and token answer, by function; bytes are what it reverts with, null is no such function. */
type Answers = Record<string, bigint | boolean | string | readonly unknown[] | { revert: Hex } | null>;
const honest: Answers = {
  asset: USDC,
  previewDeposit: 80n * ONE,
  convertToAssets: 1_250_000n,
  maxDeposit: 2n ** 256n - 1n,
  minDeposit: null,
  paused: false,
  balanceOf: 500_000_000n,
  allowance: 7n,
};
const abi = [
  ...erc4626Abi(),
  ...erc20Abi.filter(
    (item) =>
      item.type === "function" && !erc4626Abi().some((own) => "name" in own && own.name === item.name),
  ),
  ...parseAbi([
    "function getAccessManagerAddress() view returns (address)",
    "function isTargetClosed(address target) view returns (bool)",
    "function canCall(address caller, address target, bytes4 selector) view returns (bool immediate, uint32 delay)",
  ]),
] as const;

const contractsOf = (change: Answers): { contracts: Contracts; asked: string[] } => {
  const asked: string[] = [];
  const answers = { ...honest, ...change };
  const contracts: Contracts = ({ to, data }) => {
    const { functionName, args } = decodeFunctionData({ abi, data });
    asked.push([isAddressEqual(to, VAULT) ? "vault" : to, functionName, ...(args ?? [])].join(" "));
    const answer = answers[functionName] ?? null;
    if (answer === null) return { ok: false, data: "0x" };
    if (typeof answer === "object" && "revert" in answer) return { ok: false, data: answer.revert };
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result: answer } as never) };
  };
  return { contracts, asked };
};

interface Asked {
  change?: Answers;
  intent?: DepositIntent;
  amount?: bigint;
  balance?: Hex;
}

async function check({
  change = {},
  intent = intentOf(),
  amount = AMOUNT,
  balance,
}: Asked = {}): Promise<Preflight> {
  const client = contractsClient(contractsOf(change).contracts, balance === undefined ? {} : { balance });
  return preflightDeposit(testContext({ clients: [client] }), { intent: { ...intent, client }, amount });
}

describe("preflightDeposit()", () => {
  test("returns terms, preview, balance and allowance of one block", async () => {
    expect(await check()).toEqual({
      terms: {
        asset: USDC,
        previewShares: 80n * ONE,
        previewRevert: null,
        price: { assets: 1_250_000n, shares: ONE },
        maxDeposit: 2n ** 256n - 1n,
        minDeposit: null,
        paused: false,
      },
      previewShares: 80n * ONE,
      balance: 500_000_000n,
      authorization: null,
      allowance: 7n,
      nativeBalance: ONE,
      warnings: [],
      block: { number: 1_234, timestamp: 1_700_000_000 },
    });
  });

  test("reads vault and token in one request", async () => {
    const { contracts, asked } = contractsOf({});
    const client = contractsClient(contracts);
    await preflightDeposit(testContext({ clients: [client] }), {
      intent: { ...intentOf(), client },
      amount: 99n,
    }).catch(() => null);
    expect(client.calls).toHaveLength(1);
    expect(asked).toEqual([
      "vault asset",
      "vault previewDeposit 99",
      `vault convertToAssets ${ONE}`,
      `vault convertToAssets ${ONE * 10n ** 12n}`,
      `vault maxDeposit ${USER}`,
      "vault minDeposit",
      "vault paused",
      `${USDC} balanceOf ${USER}`,
      `${USDC} allowance ${USER} ${depositRouterAddress}`,
    ]);
  });

  test("reads the allowance of the vault's spender for a deposit by the user", async () => {
    const { contracts, asked } = contractsOf({});
    const client = contractsClient(contracts);
    const own = { ...directIntent, vault: { ...directIntent.vault, spender: OTHER }, client };
    await preflightDeposit(testContext({ clients: [client] }), { intent: own, amount: AMOUNT });
    expect(asked.at(-1)).toBe(`${USDC} allowance ${USER} ${OTHER}`);
  });

  test("reads the native balance for native money", async () => {
    const intent = intentOf({ vault: wethVault, token: native, amount: ONE });
    const change = { asset: WETH, previewDeposit: ONE, convertToAssets: ONE };
    const checked = await check({ intent, change, amount: ONE, balance: toHex(3n * ONE) });
    expect([checked.balance, checked.allowance]).toEqual([3n * ONE, 7n]);
  });

  test("returns null for a balance or allowance that cannot be read", async () => {
    const checked = await check({ change: { balanceOf: null, allowance: { revert: "0x" } } });
    expect([checked.balance, checked.allowance]).toEqual([null, null]);
  });

  test("does not refuse above the vault's maximum, which simulation decides", async () => {
    expect((await check({ change: { maxDeposit: 0n } })).terms.maxDeposit).toBe(0n);
  });
});

const says = (reason: string): { revert: Hex } => ({
  revert: encodeErrorResult({
    abi: parseAbi(["error Error(string reason)"]),
    errorName: "Error",
    args: [reason],
  }),
});

describe("preflightDeposit() refusals", () => {
  test.each<[string, Asked, object]>([
    ["another asset on chain", { change: { asset: WETH } }, { code: "upstream_rejected" }],
    [
      "a pause",
      { change: { paused: true } },
      { code: "vault_paused", members: { reason: "the vault's contract rejects deposits" } },
    ],
    [
      "the chain's minimum",
      { change: { minDeposit: AMOUNT + 1n } },
      { code: "below_minimum", members: { min_deposit: "100000001" } },
    ],
    [
      "the registry's minimum",
      { intent: intentOf({ vault: { ...vault, minDeposit: AMOUNT + 1n } }) },
      { code: "below_minimum", members: { min_deposit: "100000001" } },
    ],
    [
      "the larger of two minima",
      { intent: intentOf({ vault: { ...vault, minDeposit: 5n } }), change: { minDeposit: AMOUNT + 2n } },
      { code: "below_minimum", members: { min_deposit: "100000002" } },
    ],
    ["no shares", { change: { previewDeposit: 0n } }, { code: "zero_shares" }],
    ["no price", { change: { convertToAssets: null } }, { code: "price_unsafe" }],
    ["a price of nothing", { change: { convertToAssets: 0n } }, { code: "price_unsafe" }],
    [
      "shares worth 4 % less",
      { change: { previewDeposit: (80n * ONE * 96n) / 100n } },
      { code: "price_unsafe" },
    ],
    [
      "shares worth 2 % less, to who allows 1 %",
      { change: { previewDeposit: (80n * ONE * 98n) / 100n }, intent: intentOf({ slippage: 0.01 }) },
      { code: "price_unsafe" },
    ],
    [
      "a preview that reverts",
      { change: { previewDeposit: null } },
      { code: "would_revert", members: { revert: null } },
    ],
    [
      "a preview that says why",
      { change: { previewDeposit: says("no thanks") } },
      { code: "would_revert", members: { revert: "no thanks" } },
    ],
    [
      "a preview that says zero shares",
      { change: { previewDeposit: says("ZERO_SHARES") } },
      { code: "zero_shares" },
    ],
    [
      "a preview that says paused",
      { change: { previewDeposit: says("Pausable: paused") } },
      { code: "vault_paused" },
    ],
    [
      "a preview that reverts above the maximum",
      { change: { previewDeposit: null, maxDeposit: 5n } },
      { code: "above_maximum", members: { max_deposit: "5" } },
    ],
  ])("%s", async (_why, asked, refused) => {
    await expect(check(asked)).rejects.toMatchObject({ name: "AppError", ...refused });
  });

  test.each([
    [AMOUNT, true],
    [AMOUNT - 1n, false],
  ])("accepts the minimum deposit: %s", async (amount, passes) => {
    const asked = check({ change: { minDeposit: AMOUNT, previewDeposit: 80n * ONE }, amount });
    if (passes) expect((await asked).previewShares).toBe(80n * ONE);
    else await expect(asked).rejects.toMatchObject({ code: "below_minimum" });
  });

  test("returns the most useful refusal first", async () => {
    const everything: Answers = {
      paused: true,
      minDeposit: AMOUNT * 2n,
      previewDeposit: 0n,
      convertToAssets: 0n,
    };
    const codes: unknown[] = [];
    for (const repaired of [{}, { paused: false }, { minDeposit: null }, { previewDeposit: ONE }]) {
      Object.assign(everything, repaired);
      codes.push(await check({ change: everything }).catch(({ code }: { code: string }) => code));
    }
    expect(codes).toEqual(["vault_paused", "below_minimum", "zero_shares", "price_unsafe"]);
  });
});

describe("toDepositRefusal()", () => {
  const terms = {
    asset: USDC,
    previewShares: 1n,
    previewRevert: null,
    price: null,
    maxDeposit: 2n ** 256n - 1n,
    minDeposit: null,
    paused: false,
  } as const;
  const input = { intent: intentOf(), amount: AMOUNT, terms };

  test.each([
    [
      { code: "above_maximum", text: "x" },
      { code: "above_maximum", members: { max_deposit: null } },
    ],
    [
      { code: "below_minimum", text: "x" },
      { code: "below_minimum", members: { min_deposit: null } },
    ],
    [{ code: "vault_paused", text: "x" }, { code: "vault_paused" }],
    [{ code: "zero_shares", text: "x" }, { code: "zero_shares" }],
    [{ code: "not_allowed", text: "x" }, { code: "not_allowed" }],
    [{ code: "request_pending", text: "x" }, { code: "request_pending" }],
    [
      { code: null, text: "Panic(17)" },
      { code: "would_revert", members: { revert: "Panic(17)" } },
    ],
    [
      { code: null, text: null },
      { code: "would_revert", members: { revert: null } },
    ],
  ] as const)("with %j is refused as %j", (revert, refused) => {
    expect(toDepositRefusal(input, revert)).toMatchObject({ name: "AppError", ...refused });
  });

  test("returns `above_maximum` for an empty revert above the vault's maximum", () => {
    const full = { ...input, terms: { ...terms, maxDeposit: AMOUNT - 1n } };
    const silent = { code: null, text: null };
    expect(toDepositRefusal(full, silent)).toMatchObject({
      code: "above_maximum",
      members: { max_deposit: "99999999" },
    });
    const room = { ...input, terms: { ...terms, maxDeposit: AMOUNT } };
    expect(toDepositRefusal(room, silent)).toMatchObject({ code: "would_revert" });
  });

  test.each([
    [AMOUNT + 1n, "100000001"],
    // The amount reaches it, and is refused nevertheless.
    [AMOUNT, null],
  ])("names the known minimum deposit of %s as %s", (minDeposit, shown) => {
    const own = { ...input, intent: intentOf({ vault: { ...vault, minDeposit } }) };
    expect(toDepositRefusal(own, { code: "below_minimum", text: "x" })).toMatchObject({
      members: { min_deposit: shown },
    });
  });
});

test("a registry's minimum, in the asset's unit, is none of a deposit in another token", () => {
  const dai = { ...vault.asset, address: WETH, decimals: 18 };
  const terms = { maxDeposit: null, minDeposit: null } as Preflight["terms"];
  const refused = (token: typeof dai, minDeposit: bigint) => {
    const intent = intentOf({ vault: { ...vault, minDeposit }, token });
    return toDepositRefusal({ intent, amount: 1n, terms }, { code: "below_minimum", text: "x" }).members;
  };
  expect(refused(vault.asset, 5n)).toEqual({ min_deposit: "5" });
  expect(refused(dai, 5n)).toEqual({ min_deposit: null });
});

describe("preflightDeposit() of a vault with an allow-list", () => {
  const gated = { ...vault, adapter: "ipor" };
  const change = {
    getAccessManagerAddress: OTHER,
    isTargetClosed: false,
    canCall: [false, 0],
  };

  test("refuses a user who is not on the allow-list", async () => {
    const intent = { ...directIntent, vault: gated };
    await expect(check({ change, intent })).rejects.toMatchObject({ code: "not_allowed" });
    await expect(check({ change: { ...change, canCall: [true, 0] }, intent })).resolves.toMatchObject({
      previewShares: 80n * ONE,
    });
  });

  test("refuses the Router's executor where accounts without rights may not deposit", async () => {
    const intent = { ...intentOf(), vault: gated };
    await expect(check({ change, intent })).rejects.toMatchObject({ code: "not_allowed" });
    await expect(check({ change: { ...change, canCall: [true, 0] }, intent })).resolves.toMatchObject({
      previewShares: 80n * ONE,
    });
  });
});
