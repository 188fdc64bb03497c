import { parseAbi, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import type { WithdrawalRow } from "../../src/db/queries/deposit-queries.ts";
import { PARTS_PER_BILLION } from "../../src/lib/amount.ts";
import { priceKey } from "../../src/prices/price.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { nextExitStep } from "../../src/withdrawals/next-withdrawal-step.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import { home } from "../support/withdrawals/fixtures.ts";
import { vedaDelayed } from "../support/withdrawals/veda-exit-answers.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import {
  cooling,
  createWithdrawalFixture,
  EXCHANGE,
  fairWeth,
  fixedDatabase,
  storedOf,
  swapDesk,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

const HEAD = 1_700_000_000;
const ARRIVED = 101_000_000n;
const claimable: WithdrawalRow = { ...withdrawalRow, state: "claimable", mode: "cooldown", requestId: "0" };
const awaiting: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "awaiting_transfer", twoStep: true, assets: ARRIVED.toString(), slippage: 0.03 },
  moveToken: WETH.toLowerCase(),
};

describe("nextExitStep() of a request", () => {
  /** What follows for an account with this much cooling until `end`; `others` are its other redemptions. */
  const nextOf = async (
    row: WithdrawalRow,
    of: { end?: number; assets?: bigint; effects?: SimulatedEffects; others?: readonly WithdrawalRow[] } = {},
  ) => {
    const { ctx } = await createWithdrawalFixture({
      vaults: [storedOf(cooling)],
      functions: waitingFunctions,
      answers: { cooldowns: [BigInt(of.end ?? HEAD), of.assets ?? ARRIVED], cooldownDuration: 604_800 },
      effects: () => of.effects ?? { rises: { [balanceKey(USDC, USER)]: ARRIVED } },
    });
    // The registry is asked first, then the account's other redemptions.
    const answers = [[storedOf(cooling)], of.others ?? []];
    const db = fixedDatabase(() => answers.shift() ?? []);
    return nextExitStep({ ...ctx, db }, row);
  };

  test("claims what was settled, with a simulated transaction", async () => {
    const { next, refusal } = await nextOf(claimable);
    expect(refusal).toBeNull();
    expect(next).toMatchObject({ kind: "claim", transaction_request: { to: VAULT }, approval: null });
    expect(next?.warnings).toEqual([]);
  });

  test("has nothing to claim before the wait is over", async () => {
    const later = { end: HEAD + 3_600 };
    expect(await nextOf({ ...claimable, state: "cooling" }, later)).toEqual({ next: null, refusal: null });
  });

  test.each<[string, Parameters<typeof nextOf>[1], string]>([
    ["the vault no longer knows", { assets: 0n }, "request_gone"],
    ["would revert", { effects: { revert: "0x" } }, "would_revert"],
    ["would pay nothing", { effects: {} }, "nothing_to_withdraw"],
  ])("says why a claim that %s cannot be signed", async (_name, of, code) => {
    expect(await nextOf(claimable, of)).toMatchObject({ next: null, refusal: { code } });
  });

  test("warns of a claim that pays half, as a build of it does", async () => {
    const effects = { rises: { [balanceKey(USDC, USER)]: ARRIVED / 2n } };
    const { next } = await nextOf(claimable, { effects });
    expect(next?.warnings).toMatchObject([{ code: "pays_less" }]);
  });

  test("names a claim's revert by its meaning for withdrawals", async () => {
    const revert = toFunctionSelector("WithdrawalsPaused()");
    expect((await nextOf(claimable, { effects: { revert } })).refusal).toEqual({
      code: "exits_paused",
      detail: "Test USDC does not pay withdrawals now",
    });
  });

  test("offers one claim for several requests only once, at the oldest", async () => {
    const at = (ms: number) => new Date(claimable.createdAt.getTime() + ms);
    const other = (ms: number): WithdrawalRow => ({
      ...claimable,
      ...{ trackingId: "trk_ffffffffffffffffffffffffffffffff", createdAt: at(ms) },
    });
    const shared = await nextOf(claimable, { others: [other(-1)] });
    expect(shared).toMatchObject({ next: null, refusal: { code: "claim_shared" } });
    expect((await nextOf(claimable, { others: [other(1)] })).next?.kind).toBe("claim");
    const ended = { ...other(-1), state: "completed" as const };
    expect((await nextOf(claimable, { others: [ended] })).next?.kind).toBe("claim");
  });
});

test("nextExitStep() says that a matured request which the vault does not pay can be cancelled", async () => {
  const nextOf = async (change: { paused?: boolean; maturity?: number }) => {
    const { vault: delayed, ...world } = vedaDelayed({ maturity: HEAD - 60, ...change });
    const { ctx } = await createWithdrawalFixture({ ...world, vaults: [storedOf(delayed)] });
    const answers: object[][] = [[storedOf(delayed)], []];
    const db = fixedDatabase(() => answers.shift() ?? []);
    return nextExitStep({ ...ctx, db }, { ...claimable, state: "cooling" });
  };
  const { next, refusal } = await nextOf({ paused: true });
  expect([next, refusal?.code]).toEqual([null, "withdrawal_state"]);
  expect(refusal?.detail).toMatch(/can be cancelled$/);
  expect(await nextOf({ paused: true, maturity: HEAD + 60 })).toEqual({ next: null, refusal: null });
});

test("nextExitStep() says that the vault does not let a frozen account have what it has settled", async () => {
  const own: Vault = { ...vault, ...{ adapter: "centrifuge", type: "custom", params: { deposit: "async" } } };
  const { ctx } = await createWithdrawalFixture({
    vaults: [storedOf(own)],
    functions: [
      ...waitingFunctions,
      ...parseAbi([
        "function pendingRedeemRequest(uint256, address) view returns (uint256)",
        "function claimableRedeemRequest(uint256, address) view returns (uint256)",
        "function pendingCancelRedeemRequest(uint256, address) view returns (bool)",
        "function claimableCancelRedeemRequest(uint256, address) view returns (uint256)",
        "function maxWithdraw(address) view returns (uint256)",
        "function asyncRedeemManager() view returns (address)",
        "function investments(address, address) view returns (uint128, uint128)",
      ]),
    ],
    answers: {
      ...{ pendingRedeemRequest: 0n, claimableRedeemRequest: 0n, maxWithdraw: 0n },
      ...{ pendingCancelRedeemRequest: false, claimableCancelRedeemRequest: 0n },
      ...{ asyncRedeemManager: OTHER, investments: [0n, ARRIVED] },
    },
  });
  const answers: object[][] = [[storedOf(own)], []];
  const db = fixedDatabase(() => answers.shift() ?? []);
  const row: WithdrawalRow = { ...claimable, state: "requested", mode: "request" };
  expect(await nextExitStep({ ...ctx, db }, row)).toMatchObject({
    ...{ next: null, refusal: { code: "not_allowed" } },
  });
});

describe("nextExitStep() of a second step", () => {
  const nextOf = async (row: WithdrawalRow, held = ARRIVED) => {
    const world = await createWithdrawalFixture({
      answers: { balanceOf: held },
      effects: () => ({ rises: { [balanceKey(WETH, USER)]: fairWeth(ARRIVED) } }),
    });
    const desk = swapDesk(world.ctx);
    return { made: await nextExitStep(desk.ctx, row), ...desk, db: world.db };
  };

  test("swaps exactly what the vault paid, and stores what identifies the transaction", async () => {
    const { made, asked, db } = await nextOf(awaiting);
    expect(made.refusal).toBeNull();
    expect(asked[0]).toMatchObject({ fromToken: USDC, toToken: WETH, amount: ARRIVED, user: USER });
    expect(made.next).toMatchObject({ kind: "transfer", transaction_request: { to: EXCHANGE } });
    expect(made.next?.approval).toMatchObject({ token_address: USDC, amount: ARRIVED.toString() });
    expect(JSON.stringify(db.written)).toContain(EXCHANGE.toLowerCase());
  });

  test("may lose what is left of the slippage after an instant withdrawal, and all of it after a request", async () => {
    const short = { ...awaiting, estimatedAssets: ((ARRIVED * 100n) / 99n).toString() };
    const slippageOf = async (row: WithdrawalRow) => (await nextOf(row)).asked[0]?.slippage ?? 0n;
    // The vault lost a hundredth.
    const lost =
      (await slippageOf({ ...short, mode: "request" })) - (await slippageOf({ ...short, mode: "instant" }));
    expect(Number(lost) / Number(PARTS_PER_BILLION)).toBeCloseTo(0.01, 3);
  });

  test("takes the bridge that the build preferred", async () => {
    const { chainId } = home;
    const token = { address: USDC, symbol: "USDC", decimals: 6 };
    const leg = {
      chainId,
      token,
      amount: null,
      spender: null,
      allowed: true,
      reset: false,
      transaction: null,
    };
    const source = { ...leg, slot: "source", purpose: "request" };
    const destination = { ...leg, slot: "destination", purpose: "transfer" };
    const plan = { source, destination, settles: true, preferred_bridge: "across" };
    const firstOf = async (kept: object) => {
      const { ctx } = await createWithdrawalFixture({ answers: { balanceOf: ARRIVED } });
      const desk = swapDesk({ ...ctx, db: fixedDatabase(() => [{ plan: kept }]) });
      const [one] = await desk.ctx.providers.all();
      if (one === undefined) throw new Error("no provider");
      const quote: typeof one.quote = async (scope, request) =>
        (await one.quote(scope, request)).flatMap((offer) => [
          { ...offer, bridge: "stargate" },
          { ...offer, bridge: "across", toAmountMin: offer.toAmountMin - 1n },
        ]);
      const providers = { ...desk.ctx.providers, all: async () => [{ ...one, quote }] };
      await nextExitStep({ ...desk.ctx, providers }, awaiting);
      return desk.asked[0]?.bridges;
    };
    expect(await firstOf(plan)).toEqual(["across"]);
    expect(await firstOf({ ...plan, preferred_bridge: undefined })).toEqual(["stargate"]);
  });

  test("is built once for the readings of ten seconds", async () => {
    const { made, asked, ctx } = await nextOf(awaiting);
    const count = asked.length;
    expect(count).toBeGreaterThan(0);
    expect(await nextExitStep(ctx, awaiting)).toEqual(made);
    expect(asked).toHaveLength(count);
    // What the vault paid may become known as another amount.
    await nextExitStep(ctx, { ...awaiting, assets: (ARRIVED - 1n).toString() });
    expect(asked.length).toBeGreaterThan(count);
  });

  test("asks for no approval that was given since it was built", async () => {
    let allowance = 0n;
    const { ctx } = await createWithdrawalFixture({
      answers: { balanceOf: ARRIVED, allowance: () => allowance },
      effects: () => ({ rises: { [balanceKey(WETH, USER)]: fairWeth(ARRIVED) } }),
    });
    const desk = swapDesk(ctx);
    const callsNow = async () => (await nextExitStep(desk.ctx, awaiting)).next?.calls.length;
    expect(await callsNow()).toBe(2);
    allowance = ARRIVED - 1n;
    expect(await callsNow()).toBe(2);
    allowance = ARRIVED;
    expect(await callsNow()).toBe(1);
    const count = desk.asked.length;
    expect(await callsNow()).toBe(1);
    expect(desk.asked).toHaveLength(count);
  });

  test("has the warnings of its route", async () => {
    const world = await createWithdrawalFixture({
      answers: { balanceOf: ARRIVED },
      effects: () => ({ rises: { [balanceKey(WETH, USER)]: fairWeth(ARRIVED) } }),
    });
    const { ctx } = swapDesk(world.ctx);
    const known = await nextExitStep(ctx, awaiting);
    expect(known.next?.warnings).toEqual([]);
    // Without a price, a second provider confirms the first.
    ctx.prices.book.feeds.delete(priceKey({ chainId: home.chainId, token: WETH }));
    const [one] = await ctx.providers.all();
    if (one === undefined) throw new Error("no provider");
    const quote: typeof one.quote = async (scope, request) =>
      (await one.quote(scope, request)).map((offer) => ({ ...offer, provider: "other" }));
    const providers = { ...ctx.providers, all: async () => [one, { ...one, name: "other", quote }] };
    const other = { ...awaiting, trackingId: `trk_${"e".repeat(32)}` };
    const unknown = await nextExitStep({ ...ctx, providers }, other);
    expect(unknown.refusal).toBeNull();
    expect(unknown.next?.warnings).toMatchObject([{ code: "price_unverified" }]);
  });

  test("swaps what a rebasing token credited, which may be two units less than its event shows", async () => {
    const credited = ARRIVED - 2n;
    const { made, asked, db } = await nextOf(awaiting, credited);
    expect(made.refusal).toBeNull();
    expect(asked.map(({ amount }) => amount)).toEqual(asked.map(() => credited));
    expect(made.next?.approval).toMatchObject({ token_address: USDC, amount: credited.toString() });
    // By this amount its transfer is found.
    expect(JSON.stringify(db.written)).toContain(credited.toString());
    // Never more than the vault paid.
    const rich = await nextOf(awaiting, ARRIVED + 2n);
    expect(rich.made.next?.approval).toMatchObject({ amount: ARRIVED.toString() });
  });

  test("asks nobody to swap what was spent, or an amount that is unknown", async () => {
    const spent = await nextOf(awaiting, ARRIVED - 3n);
    expect(spent.made).toMatchObject({ next: null, refusal: { code: "balance_insufficient" } });
    expect(spent.db.written).toEqual([]);
    const unknown = await nextOf({ ...awaiting, assets: null });
    expect(unknown.made).toMatchObject({ next: null, refusal: { code: "amount_unknown" } });
    expect(unknown.asked).toEqual([]);
  });
});

test.each(["built", "submitted", "bridging", "completed", "failed"] as const)(
  "nextExitStep() has nothing for a withdrawal that is %s",
  async (state) => {
    const { ctx } = await createWithdrawalFixture();
    expect(await nextExitStep(ctx, { ...withdrawalRow, state })).toEqual({ next: null, refusal: null });
  },
);
