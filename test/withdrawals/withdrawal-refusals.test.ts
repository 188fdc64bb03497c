import { encodeErrorResult, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import type { ExitMode, ExitTerms } from "../../src/vaults/vault-exits.ts";
import {
  coveredShares,
  explainFailedExit,
  findExcessiveFee,
  findExitRefusal,
  lacksLiquidity,
  payableShares,
  toExitRefusal,
} from "../../src/withdrawals/withdrawal-refusals.ts";
import { vault } from "../support/deposits/fixtures.ts";
import {
  exitWayOf,
  familyVault,
  HELD,
  orderOf,
  paying,
  READ_AT,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

const errors = parseAbi([
  "error OutputBelowMinimum(uint256 received, uint256 minimum)",
  "error StepUnderfunded(uint256 index, uint256 held, uint256 needed)",
  "error StepFailed(uint256 index, bytes reason)",
  "error TokenFailed(address token, bytes reason)",
  "error NotEnoughLiquidity()",
  "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "error Error(string reason)",
  "error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)",
  "error EnforcedPause()",
  "error OperationNotAllowed()",
  "error Panic(uint256 code)",
  "error ZeroAllocation()",
  "error Unheard(uint256)",
]);
const asked = (terms: Partial<ExitTerms> = {}, shares = HELD) => ({
  ...{ order: { vault }, shares, facts: { block: { number: 1, timestamp: READ_AT } } },
  way: { mode: "instant" as const, terms: { ...paying, ...terms } },
});

describe("payableShares()", () => {
  const of = (terms: Partial<ExitTerms>) => payableShares(asked(terms));
  /** What MetaMorpho's maxRedeem loses by converting to an asset of six decimals and back. */
  const lower = HELD - HELD / WORTH;

  test.each<[string, Partial<ExitTerms>, bigint]>([
    ["no limit is known", { maxShares: null }, HELD],
    ["the limit is above the balance", { maxShares: HELD * 2n }, HELD],
    [
      "the limit is lower, and all of the assets are there",
      { maxShares: lower, availableAssets: WORTH },
      HELD,
    ],
    ["the limit is lower, and a unit is missing", { maxShares: lower, availableAssets: WORTH - 1n }, lower],
    ["the limit is lower, and nothing says why", { maxShares: HELD - 1n }, HELD - 1n],
    ["the limit is half", { maxShares: HELD / 2n, availableAssets: WORTH / 2n }, HELD / 2n],
    [
      "the limit is half, and all of the assets are there",
      { maxShares: HELD / 2n, availableAssets: WORTH },
      HELD / 2n,
    ],
    ["nothing is payable", { maxShares: 0n, availableAssets: WORTH }, 0n],
    ["the preview fails", { maxShares: lower, availableAssets: WORTH, previewAssets: null }, lower],
  ])("when %s", (_name, terms, payable) => {
    expect(of(terms)).toBe(payable);
  });
});

test.each<[string, Partial<ExitTerms>, bigint]>([
  ["cover all", { availableAssets: WORTH }, HELD],
  ["are unknown", { availableAssets: null }, HELD],
  ["are none", { availableAssets: 0n }, 0n],
  ["cover half", { availableAssets: WORTH / 2n }, (HELD * (WORTH / 2n)) / (WORTH + 1n)],
  [
    "cover half of shares without a preview",
    { availableAssets: WORTH / 2n, previewAssets: null },
    (HELD * (WORTH / 2n)) / (WORTH + 1n),
  ],
  ["exceed a lower limit", { availableAssets: WORTH / 2n, maxShares: 7n }, 7n],
  ["have no known price", { availableAssets: 1n, previewAssets: null, grossAssets: null }, HELD],
])("coveredShares() if the assets %s", (_name, terms, covered) => {
  expect(coveredShares(asked(terms))).toBe(covered);
});

describe("the amount that a vault without liquidity can pay", () => {
  test.each<[string, Partial<ExitTerms>, string | null]>([
    ["is what its view says", { availableAssets: WORTH / 2n }, String(WORTH / 2n)],
    ["is nothing where its view says so", { availableAssets: 0n }, "0"],
    ["is unknown where its view allows what it refuses", { availableAssets: WORTH }, null],
    ["is its limit's worth", { availableAssets: WORTH, maxShares: HELD / 2n }, String(WORTH / 2n)],
    ["is what its view says below a limit", { availableAssets: 3n, maxShares: HELD / 2n }, "3"],
    ["is unknown where no view says", {}, null],
  ])("%s", (_name, terms, available) => {
    expect(toExitRefusal(asked(terms), "no_liquidity").members).toEqual({ available });
  });

  test("is said to be what the account holds where it asked for more", () => {
    const message = (heldShares: bigint | null) =>
      toExitRefusal(asked({ maxShares: 0n, heldShares }), "no_liquidity").message;
    expect(message(HELD - 1n)).toMatch(
      `the account holds ${HELD - 1n} of the ${HELD} shares: ask for no more than it holds`,
    );
    for (const held of [HELD, null]) expect(message(held)).toMatch(/does not have this much liquidity now$/);
  });
});

describe("findExcessiveFee()", () => {
  const codeOf = (of: { mode: ExitMode; slippage: number; terms: Partial<ExitTerms> }) => {
    const order = orderOf({ slippage: of.slippage });
    const way = exitWayOf(order, { mode: of.mode, terms: { ...paying, ...of.terms } });
    return findExcessiveFee({ order, way })?.code ?? null;
  };
  const dear = { previewAssets: (WORTH * 96n) / 100n };

  test.each(["instant", "request", "cooldown"] as const)(
    "refuses a fee of more than three percent by %s",
    (mode) => {
      expect(codeOf({ mode, slippage: 0.005, terms: dear })).toBe("price_unsafe");
      expect(codeOf({ mode, slippage: 0.04, terms: dear })).toBe(null);
      expect(codeOf({ mode, slippage: 0.005, terms: { previewAssets: (WORTH * 97n) / 100n } })).toBe(null);
    },
  );

  test("names the part that the vault keeps, rounded up", () => {
    const order = orderOf();
    const messageOf = (previewAssets: bigint) => {
      const way = exitWayOf(order, { mode: "instant", terms: { ...paying, previewAssets } });
      return findExcessiveFee({ order, way })?.message;
    };
    expect(messageOf((WORTH * 96n) / 100n)).toMatch(/ keeps 4% of what the shares are worth$/);
    expect(messageOf((WORTH * 96n) / 100n - 1n)).toMatch(/ keeps 4\.01% of what the shares are worth$/);
    expect(messageOf(WORTH / 3n)).toMatch(/ keeps 66\.67% /);
  });

  test("refuses the fee of a request whose payment the vault records, though it may pay less", () => {
    const recorded = { ...dear, priced: "recorded" } as const;
    expect(codeOf({ mode: "request", slippage: 0.005, terms: recorded })).toBe("price_unsafe");
  });

  test("refuses no request that the vault prices later", () => {
    expect(codeOf({ mode: "request", slippage: 0.005, terms: { ...dear, priced: "later" } })).toBe(null);
  });
});

describe("lacksLiquidity()", () => {
  test.each<[Partial<ExitTerms>, boolean]>([
    [{}, false],
    [{ maxShares: HELD - 1n, availableAssets: WORTH }, false],
    [{ maxShares: HELD - 1n }, true],
    [{ maxShares: HELD / 2n }, true],
    [{ availableAssets: WORTH - 1n }, true],
    [{ availableAssets: 0n }, true],
    [{ availableAssets: 0n, previewAssets: 1n }, true],
    [{ availableAssets: null }, false],
  ])("of %o is %s", (terms, lacking) => {
    expect(lacksLiquidity(asked(terms))).toBe(lacking);
  });

  test("says nothing about requests", () => {
    const request = {
      ...asked({ maxShares: 0n }),
      way: { mode: "request" as const, terms: { ...paying, maxShares: 0n } },
    };
    expect(lacksLiquidity(request)).toBe(false);
  });
});

describe("findExitRefusal()", () => {
  test.each<[string | undefined, Partial<ExitTerms>]>([
    [undefined, {}],
    ["exits_paused", { paused: true }],
    ["share_locked", { lockedUntil: READ_AT + 1 }],
    [undefined, { lockedUntil: READ_AT }],
    ["cooldown", { refusal: "cooldown", earliest: READ_AT + 60 }],
    ["request_pending", { refusal: "request_pending" }],
    ["mode_unsupported", { refusal: "mode_unsupported" }],
    ["token_unsupported", { refusal: "token_unsupported" }],
    ["price_stale", { refusal: "price_stale" }],
    ["not_allowed", { refusal: "not_allowed" }],
    ["below_minimum", { minShares: HELD + 1n }],
    [undefined, { minShares: HELD }],
    ["below_minimum", { previewAssets: 0n }],
    ["upstream_rejected", { asset: null }],
    // The simulation decides about liquidity.
    [undefined, { maxShares: 0n }],
  ])("is %s for %o", (code, terms) => {
    expect(findExitRefusal(asked(terms))?.code).toBe(code);
  });

  test("says how many shares the vault redeems at least", () => {
    const least = HELD + 1n;
    const { message } = findExitRefusal(asked({ minShares: least })) ?? {};
    expect(message).toContain(`redeems at least ${least} smallest units of its shares`);
  });

  test("says until when", () => {
    expect(findExitRefusal(asked({ refusal: "cooldown", earliest: READ_AT + 60 }))?.members).toEqual({
      until: new Date((READ_AT + 60) * 1_000).toISOString(),
    });
    const available = toExitRefusal(asked({ availableAssets: 7n }), "no_liquidity").members;
    expect(available).toEqual({ available: "7" });
    expect(toExitRefusal(asked({ maxShares: 0n }), "no_liquidity").members).toEqual({ available: "0" });
    const half = { maxShares: HELD / 2n, previewAssets: null };
    expect(toExitRefusal(asked(half), "no_liquidity").members).toEqual({ available: String(WORTH / 2n) });
    expect(toExitRefusal(asked(), "no_liquidity").members).toEqual({ available: null });
    expect(toExitRefusal(asked(), "price_stale").members).toEqual({ subject: "vault" });
  });
});

test("toExitRefusal() gives the end of a lock only from the lock, not from when a request would be paid", () => {
  const locked = toExitRefusal(asked({ earliest: READ_AT + 60 }), "share_locked");
  expect(locked.message).toMatch(/still locks the account's shares$/);
  const known = toExitRefusal(asked({ lockedUntil: READ_AT + 1, earliest: READ_AT + 60 }), "share_locked");
  expect(known.message).toMatch(`, until ${new Date((READ_AT + 1) * 1_000).toISOString()}`);
});

describe("a time that a Date cannot hold", () => {
  const never = Number(2n ** 256n - 1n);

  test("is left out of the refusal", () => {
    const locked = findExitRefusal(asked({ lockedUntil: never }));
    expect(locked?.code).toBe("share_locked");
    expect(locked?.message).not.toContain("until");
    const waiting = findExitRefusal(asked({ refusal: "cooldown", earliest: never }));
    expect(waiting).toMatchObject({ code: "cooldown", members: { until: null } });
  });
});

describe("explainFailedExit()", () => {
  const metaMorpho = familyVault("metamorpho");
  const of = (revert: Hex, terms: Partial<ExitTerms> = {}) =>
    explainFailedExit({ ...asked(terms), order: { vault: metaMorpho } }, revert).code;
  const failed = (reason: Hex) =>
    encodeErrorResult({ abi: errors, errorName: "StepFailed", args: [0n, reason] });
  const illiquid = encodeErrorResult({ abi: errors, errorName: "NotEnoughLiquidity" });
  const unheard = encodeErrorResult({ abi: errors, errorName: "Unheard", args: [1n] });

  test("tells the vault's own words, through the Router or not", () => {
    expect(of(illiquid)).toBe("no_liquidity");
    expect(of(failed(illiquid))).toBe("no_liquidity");
    expect(of(failed(unheard))).toBe("would_revert");
    expect(of(unheard, { maxShares: 0n })).toBe("no_liquidity");
    expect(of("0x")).toBe("would_revert");
  });

  test("a limit of zero means a closed vault where the views show one, and nothing else the vault says", () => {
    const limit = encodeErrorResult({
      ...{ abi: errors, errorName: "ERC4626ExceededMaxRedeem" },
      args: [vault.address, HELD, 0n],
    });
    const none = { maxShares: 0n };
    expect(of(limit, none)).toBe("no_liquidity");
    expect(of(failed(limit), { ...none, closed: true })).toBe("exits_paused");
    expect(of(unheard, { ...none, closed: true })).toBe("exits_paused");
    expect(of(illiquid, { ...none, closed: true })).toBe("no_liquidity");
  });

  test("a lack of liquidity means a paused market where the views show one", () => {
    expect(of(illiquid, { halted: true })).toBe("exits_paused");
    expect(of(unheard, { halted: true })).toBe("would_revert");
  });

  test("a revert without a reason means a vault without the assets only where its payer lacks them", () => {
    expect(of("0x", { payerAssets: WORTH - 1n })).toBe("no_liquidity");
    expect(of(failed("0x"), { payerAssets: WORTH - 1n })).toBe("no_liquidity");
    expect(of("0x", { payerAssets: WORTH })).toBe("would_revert");
    expect(of("0x", { payerAssets: null })).toBe("would_revert");
    expect(of("0x", { payerAssets: 0n, heldShares: HELD - 1n })).toBe("would_revert");
    expect(of(unheard, { payerAssets: 0n })).toBe("would_revert");
  });

  test("a transfer of more than somebody holds means a vault without the assets", () => {
    const short = encodeErrorResult({
      ...{ abi: errors, errorName: "ERC20InsufficientBalance" },
      args: [vault.address, 1n, 2n],
    });
    const named = (reason: string) => encodeErrorResult({ abi: errors, errorName: "Error", args: [reason] });
    const older = named("ERC20: transfer amount exceeds balance");
    for (const revert of [short, older, failed(short), failed(older)]) {
      expect(of(revert)).toBe("no_liquidity");
      // Then the owner may be the one who holds too little.
      expect(of(revert, { heldShares: HELD - 1n })).toBe("would_revert");
      expect(of(revert, { heldShares: null })).toBe("would_revert");
    }
    expect(of(named("ERC20: burn amount exceeds balance"))).toBe("would_revert");
  });

  test("charges a paused token to itself, and a paused share to its vault", () => {
    const paused = encodeErrorResult({ abi: errors, errorName: "EnforcedPause" });
    const failing = (token: Hex) =>
      encodeErrorResult({ abi: errors, errorName: "TokenFailed", args: [token, paused] });
    expect(of(failing(metaMorpho.shareToken))).toBe("exits_paused");
    expect(of(failing(metaMorpho.asset.address))).toBe("would_revert");
    expect(of(failed(paused))).toBe("exits_paused");
  });

  test("an underflow in Morpho's Vault V2 means an adapter without the assets, if the holder has the shares", () => {
    const underflow = encodeErrorResult({ abi: errors, errorName: "Panic", args: [17n] });
    const v2 = (terms: Partial<ExitTerms> = {}, revert: Hex = underflow) =>
      explainFailedExit({ ...asked(terms), order: { vault: familyVault("morpho_v2") } }, revert);
    expect(v2().code).toBe("no_liquidity");
    expect(v2({}, failed(underflow)).code).toBe("no_liquidity");
    expect(v2({}, encodeErrorResult({ abi: errors, errorName: "ZeroAllocation" })).code).toBe("no_liquidity");
    expect(v2({ heldShares: HELD - 1n })).toMatchObject({ code: "would_revert" });
    expect(v2({ heldShares: null }).code).toBe("would_revert");
    const other = encodeErrorResult({ abi: errors, errorName: "Panic", args: [18n] });
    expect(v2({}, other).members).toEqual({ revert: "Panic(18)" });
    expect(of(underflow)).toBe("would_revert");
  });

  test("a cooldown that cannot start while it is on means a restricted account", () => {
    const revert = encodeErrorResult({ abi: errors, errorName: "OperationNotAllowed" });
    const codeIn = (mode: ExitMode) => {
      const order = { vault: familyVault("erc4626", { exit: "cooldown" }) };
      return explainFailedExit({ ...asked(), order, way: { mode, terms: paying } }, revert).code;
    };
    expect([codeIn("cooldown"), codeIn("instant")]).toEqual(["not_allowed", "mode_unsupported"]);
  });

  test("a loss above the slippage is named, whatever the vault's limit", () => {
    const loss = encodeErrorResult({ abi: errors, errorName: "Error", args: ["too much loss"] });
    for (const maxShares of [0n, HELD / 2n, null]) {
      const yearn = { ...asked({ maxShares }), order: { vault: familyVault("yearn_v3") } };
      const refusal = explainFailedExit(yearn, failed(loss));
      expect([refusal.code, refusal.members]).toEqual(["price_unsafe", { subject: "vault" }]);
      expect(refusal.message).toMatch(/a slippage of up to 0\.03 may help$/);
    }
    const messageFor = (slippage: number, pays: boolean) => {
      const order = { vault: familyVault("yearn_v3"), slippage };
      const { way, shares } = asked();
      return explainFailedExit({ order, way: { ...way, pays }, shares }, failed(loss)).message;
    };
    expect(messageFor(0.01, true)).toMatch(/a slippage of up to 0\.03 may help$/);
    expect(messageFor(0.03, true)).toMatch(/a loss above the slippage from these shares$/);
    expect(messageFor(0.03, false)).toMatch(/: withdraw what the vault pays first$/);
  });

  test("a floor of the Router means a vault that pays less than it previews", () => {
    const floor = encodeErrorResult({ abi: errors, errorName: "OutputBelowMinimum", args: [1n, 2n] });
    const underfunded = encodeErrorResult({ abi: errors, errorName: "StepUnderfunded", args: [1n, 1n, 2n] });
    for (const revert of [floor, underfunded]) expect(of(revert)).toBe("price_unsafe");
    // A vault cannot pose as the Router: what it reverts with is wrapped.
    expect(of(failed(floor))).toBe("would_revert");
  });
});
