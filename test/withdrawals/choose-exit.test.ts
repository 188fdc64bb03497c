import { type Address, encodeErrorResult, type Hex, parseAbi, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { failure } from "../../src/errors.ts";
import { depositRouterAbi } from "../../src/router/deposit-router-artifact.ts";
import type { ExitTerms } from "../../src/vaults/vault-exits.ts";
import {
  allPossible,
  asOnwardError,
  firstPossible,
  isOfExecutor,
  preferOwnCalls,
  prepareMode,
  rankModes,
} from "../../src/withdrawals/choose-exit.ts";
import { testContext } from "../support/context.ts";
import { OTHER, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects, simulatedChain } from "../support/deposits/simulated-chain.ts";
import {
  exitWayOf,
  factsOf,
  familyVault,
  home,
  orderOf,
  paying,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

const order = orderOf();
const instant = (terms: Partial<ExitTerms> = {}) => exitWayOf(order, { terms: { ...paying, ...terms } });
const request = exitWayOf(order, { mode: "request", via: "user" });

describe("rankModes()", () => {
  const rank = (slippage: number, terms: Partial<ExitTerms>) =>
    rankModes({ slippage }, [request, instant(terms)]);

  test("takes what is paid at once where it costs no more than the slippage", () => {
    expect(rank(0.005, {})).toEqual(["instant", "request"]);
    expect(rank(0.005, { previewAssets: (WORTH * 995n) / 1_000n })).toEqual(["instant", "request"]);
    expect(rank(0.005, { previewAssets: (WORTH * 99n) / 100n })).toEqual(["request", "instant"]);
    expect(rank(0.02, { previewAssets: (WORTH * 99n) / 100n })).toEqual(["instant", "request"]);
    expect(rank(0.005, { previewAssets: null })).toEqual(["instant", "request"]);
  });

  test("names each mode once", () => {
    expect(rankModes({ slippage: 0.005 }, [instant(), exitWayOf(order, { via: "user" })])).toEqual([
      "instant",
    ]);
  });
});

describe("preferOwnCalls()", () => {
  const first = (adapter: string, own: Partial<ExitTerms>, { pays = true } = {}) => {
    const left = orderOf({ vault: familyVault(adapter) });
    const ways = [exitWayOf(left), exitWayOf(left, { via: "user", pays, terms: { ...paying, ...own } })];
    return preferOwnCalls(left, factsOf(left, ways)).ways.map(({ via }) => via)[0];
  };

  test("takes the owner's call that is paid more, if it enforces a minimum as the Router does", () => {
    expect(first("fluid", { previewAssets: WORTH + 1n })).toBe("user");
    expect(first("fluid", {})).toBe("router");
    expect(first("fluid", { previewAssets: null })).toBe("router");
    // Only the Router unwraps the payment.
    expect(first("fluid", { previewAssets: WORTH + 1n }, { pays: false })).toBe("router");
    // A vault that answers each question differently must not get rid of the Router's minimum.
    expect(first("erc4626", { previewAssets: WORTH * 2n })).toBe("router");
  });
});

const paused = failure("exits_paused", "paused");
const down = failure("upstream_unavailable", "down");

describe("firstPossible()", () => {
  test("tries the modes in order and answers with the first refusal", async () => {
    const made = (mode: string) => (mode === "instant" ? Promise.reject(paused) : Promise.resolve(mode));
    expect(await firstPossible(["instant", "request"], made)).toBe("request");
    const refused = firstPossible(["instant", "request"], (mode) =>
      Promise.reject(mode === "instant" ? paused : failure("cooldown", "wait", { until: null })),
    );
    await expect(refused).rejects.toBe(paused);
    await expect(firstPossible([], async () => 1)).rejects.toMatchObject({ code: "mode_unsupported" });
  });

  test("prefers the reason of a mode that the vault has now", async () => {
    const why = failure("request_pending", "a cooldown is open");
    await expect(firstPossible(["instant", "cooldown"], whileCooling(why))).rejects.toBe(why);
    await expect(allPossible(["instant", "cooldown"], whileCooling(why))).rejects.toBe(why);
    const other = failure("mode_unsupported", "the cooldown is off");
    await expect(firstPossible(["instant", "cooldown"], whileCooling(other))).rejects.toBe(unsupported);
  });

  test("does not let another mode stand in for a node that does not answer", async () => {
    const asked: string[] = [];
    const made = firstPossible(["instant", "request"], (mode) => {
      asked.push(mode);
      return Promise.reject(down);
    });
    await expect(made).rejects.toBe(down);
    expect(asked).toEqual(["instant"]);
  });
});

const wayless = asOnwardError(failure("no_route", "no way", { reasons: [] }));

test("a build takes no other mode in place of one whose payment finds no way; a quote lists both", async () => {
  const made = (mode: string) => (mode === "instant" ? Promise.reject(wayless) : Promise.resolve(mode));
  await expect(firstPossible(["instant", "request"], made)).rejects.toBe(wayless);
  expect(await firstPossible(["request", "instant"], made)).toBe("request");
  expect(await allPossible(["instant", "request"], made)).toEqual([
    { mode: "request", prepared: "request", refusal: null },
    { mode: "instant", prepared: null, refusal: wayless },
  ]);
});

const unsupported = failure("mode_unsupported", "not in this mode");
/** Refuses `instant` because the vault does not have it now, as one with a cooldown does, and `cooldown` for `why`. */
const whileCooling = (why: Error) => (mode: string) => Promise.reject(mode === "instant" ? unsupported : why);

describe("allPossible()", () => {
  test("lists what is possible first, and refusals with their reason", async () => {
    const options = await allPossible(["instant", "request"], async (mode) => {
      if (mode === "instant") throw paused;
      return mode;
    });
    expect(options).toEqual([
      { mode: "request", prepared: "request", refusal: null },
      { mode: "instant", prepared: null, refusal: paused },
    ]);
    await expect(allPossible(["instant"], () => Promise.reject(down))).rejects.toBe(down);
  });

  test("lists a mode that nodes do not show only after one that a build would take", async () => {
    const made = (mode: string) => (mode === "request" ? Promise.reject(down) : Promise.resolve(mode));
    expect(await allPossible(["instant", "request"], made)).toEqual([
      { mode: "instant", prepared: "instant", refusal: null },
      { mode: "request", prepared: null, refusal: down },
    ]);
    await expect(allPossible(["request", "instant"], made)).rejects.toBe(down);
    const broken = new Error("a defect");
    const failing = (mode: string) => (mode === "request" ? Promise.reject(broken) : Promise.resolve(mode));
    await expect(allPossible(["instant", "request"], failing)).rejects.toBe(broken);
  });
});

const routerError = (
  errorName: "InputBelowMinimum" | "OutputBelowMinimum" | "StepUnderfunded",
  args: bigint[],
) => encodeErrorResult({ abi: depositRouterAbi, errorName, args } as Parameters<typeof encodeErrorResult>[0]);
const stepFailed = (reason: Hex): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName: "StepFailed", args: [0n, reason] });
const tokenFailed = (token: Address): Hex =>
  encodeErrorResult({ abi: depositRouterAbi, errorName: "TokenFailed", args: [token, "0x"] });
const EnforcedPause = toFunctionSelector("EnforcedPause()");
const NotWhitelisted = toFunctionSelector("NotWhitelisted()");
const noLiquidity = encodeErrorResult({
  abi: parseAbi(["error ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max)"]),
  args: [OTHER, WORTH, 0n],
});

describe("prepareMode()", () => {
  /** Prepares an instant withdrawal at a vault whose owners' own calls have these effects. */
  const prepare = (
    routerEffects: SimulatedEffects,
    terms: Partial<ExitTerms> = {},
    {
      own: ownEffects = { rises: { [balanceKey(USDC, USER)]: WORTH } },
      ownTerms = paying,
    }: { own?: SimulatedEffects; ownTerms?: ExitTerms } = {},
  ) => {
    const { client, sent } = simulatedChain({
      effects: ({ to }) => (to === order.vault.address ? ownEffects : routerEffects),
      definition: home,
    });
    const own = orderOf({ client });
    const ways = [
      exitWayOf(own, { terms: { ...paying, ...terms } }),
      exitWayOf(own, { via: "user", terms: ownTerms }),
    ];
    const made = prepareMode(testContext({ clients: [client] }), {
      order: own,
      facts: factsOf(own, ways),
      mode: "instant",
    });
    return { made, sent };
  };

  test("falls back to the owner's own call where the vault refuses the executor", async () => {
    expect((await prepare({ revert: "0x" }).made).minAssets).toBe(null);
    expect((await prepare({}, { refusal: "not_allowed" }).made).call.target).toBe(order.vault.address);
  });

  describe("where the owner's own payment cannot be compared with what is due", () => {
    const unseen = { own: { unread: true }, ownTerms: paying };
    const unvalued = { ...paying, previewAssets: null, grossAssets: null };

    test.each<[string, Hex, string]>([
      ["for no reason", "0x", "would_revert"],
      ["for an unknown one", stepFailed("0xdeadbeef"), "would_revert"],
      ["as if it were paused", stepFailed(EnforcedPause), "exits_paused"],
      ["because of the paid token", tokenFailed(USDC), "would_revert"],
      ["in the Router's words", stepFailed(routerError("OutputBelowMinimum", [1n, 2n])), "would_revert"],
    ])("a vault that refuses the Router %s is not left without a minimum", async (_why, revert, code) => {
      for (const others of [unseen, { ownTerms: unvalued }])
        await expect(prepare({ revert }, {}, others).made).rejects.toMatchObject({ code });
      expect((await prepare({ revert }).made).exit.way.via).toBe("user");
      const half = { rises: { [balanceKey(USDC, USER)]: WORTH / 2n } };
      await expect(prepare({ revert }, {}, { own: half }).made).rejects.toMatchObject({
        code: "price_unsafe",
      });
    });

    test.each<[string, Hex]>([
      ["are not transferred", tokenFailed(VAULT)],
      ["lose on a transfer", routerError("InputBelowMinimum", [1n, 2n])],
      ["are allowed to few accounts", stepFailed(NotWhitelisted)],
    ])("a vault whose shares %s is left by the owner's own call", async (_why, revert) => {
      for (const others of [unseen, { ownTerms: unvalued }])
        expect((await prepare({ revert }, {}, others).made).exit.way.via).toBe("user");
    });
  });

  test.each<[string, boolean, SimulatedEffects, Partial<ExitTerms>]>([
    ["is not allowed", true, {}, { refusal: "not_allowed" }],
    ["meets an unknown error", true, { revert: stepFailed("0xdeadbeef") }, {}],
    ["meets a limit of its own", true, { revert: stepFailed(noLiquidity) }, {}],
    ["is paid too little", false, { revert: routerError("OutputBelowMinimum", [1n, 2n]) }, {}],
    ["finds the vault paused", false, {}, { paused: true }],
  ])("an executor that %s may be the reason: %s", async (_why, expected, effects, terms) => {
    const { client } = simulatedChain({ effects: () => effects, definition: home });
    const own = orderOf({ client });
    const facts = factsOf(own, [exitWayOf(own, { terms: { ...paying, ...terms } })]);
    const made = prepareMode(testContext({ clients: [client] }), { order: own, facts, mode: "instant" });
    expect(isOfExecutor(await made.catch((error: unknown) => error))).toBe(expected);
  });

  test("never drops the floor because the vault did not keep it", async () => {
    const { made } = prepare({ rises: { [balanceKey(USDC, USER)]: WORTH / 2n } });
    await expect(made).rejects.toMatchObject({ code: "price_unsafe" });
    for (const revert of [
      routerError("OutputBelowMinimum", [1n, 2n]),
      routerError("StepUnderfunded", [0n, 1n, 2n]),
    ])
      await expect(prepare({ revert }).made).rejects.toMatchObject({ code: "price_unsafe" });
  });

  test("does not ask the owner where the vault itself pays nobody", async () => {
    const { made, sent } = prepare({}, { paused: true });
    await expect(made).rejects.toMatchObject({ code: "exits_paused" });
    expect(sent).toEqual([]);
  });
});
