import { describe, expect, test } from "vitest";
import { failure } from "../../src/errors.ts";
import type { PlannedAuthorization } from "../../src/orders/authorization/planned-authorization.ts";
import { toBuiltWithdrawalSteps } from "../../src/orders/order-steps.ts";
import type { VerifiedTransfer } from "../../src/providers/provider.ts";
import { midasExits } from "../../src/vaults/families/midas/midas-exits.ts";
import type { ExitTerms } from "../../src/vaults/vault-exits.ts";
import {
  arrivalOf,
  planWithdrawalSteps,
  toFigures,
  toWireWithdrawal,
  withdrawalWarnings,
} from "../../src/withdrawals/describe-built-withdrawal.ts";
import { encodeExit } from "../../src/withdrawals/exit-calldata.ts";
import type { PreparedWithdrawal } from "../../src/withdrawals/prepared-withdrawal.ts";
import { USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import {
  away,
  clientOf,
  exitOf,
  exitWayOf,
  factsOf,
  HELD,
  orderOf,
  paying,
  READ_AT,
  WORTH,
} from "../support/withdrawals/fixtures.ts";

const share = { address: VAULT, symbol: "", decimals: 18 };

/** A withdrawal that was prepared; `kind` says what follows the redemption. */
function prepared(of: {
  kind?: "direct" | "two_step";
  terms?: Partial<ExitTerms>;
  mode?: "instant" | "request" | "cooldown";
  order?: Parameters<typeof orderOf>[0];
  minAssets?: bigint | null;
  via?: "router" | "user";
  approved?: bigint;
  paid?: bigint;
  route?: { toAmount: bigint; toAmountMin: bigint };
}): PreparedWithdrawal {
  const order = orderOf(of.order);
  const way = exitWayOf(order, {
    ...{ mode: of.mode ?? "instant", via: of.via ?? "router" },
    terms: { ...paying, ...of.terms },
  });
  const exit = exitOf(order, { way });
  const call = encodeExit({ ...exit, way: { ...way, mode: "instant" } });
  const made = {
    ...{ exit, facts: factsOf(order, [way]), call, assets: of.paid ?? WORTH },
    minAssets: of.minAssets === undefined ? 124_375_000n : of.minAssets,
    simulated: {
      calls: [call, call],
      approved: of.approved ?? exit.shares,
      gasUsed: 200_000n,
      blockNumber: 7,
      received: WORTH,
    },
  };
  if (of.kind !== "two_step") return { kind: "direct", order, exit: made };
  const token = { address: WETH, symbol: "WETH", decimals: 18 };
  const route = { ...of.route, spender: VAULT } as VerifiedTransfer;
  const transfer = of.route === undefined ? null : { route, token, reasons: [], warnings: [] };
  return { kind: "two_step", order, exit: made, transfer };
}
const prices = new Map() as Parameters<typeof toFigures>[1];

describe("planWithdrawalSteps()", () => {
  const titles = (of: PreparedWithdrawal) =>
    toBuiltWithdrawalSteps(planWithdrawalSteps(of, share)).map(({ step_id, title }) => [step_id, title]);

  test("calls shares by their vault, with an amount that can be read", () => {
    const odd = prepared({ order: { shares: 237_820_123_456_789_012_345n } });
    expect(titles(odd)).toEqual([
      ["source.approve", `Approve 237.820123 shares of ${vault.name}`],
      ["source.redeem", `Redeem 237.820123 shares of ${vault.name}`],
    ]);
  });

  test("calls a request a redemption and not a deposit", () => {
    const of = prepared({ mode: "request", via: "user" });
    expect(titles(of)).toEqual([
      ["source.request", `Request the redemption of 100 shares of ${vault.name}`],
      ["claim", "Claim what the vault settled"],
    ]);
    const cooling = prepared({ mode: "cooldown", via: "user" });
    expect(titles(cooling)[0]?.[1]).toBe(`Start the cooldown of 100 shares of ${vault.name}`);
  });

  test("names no amount for the second step while what the vault will pay is unknown", () => {
    const of = prepared({ kind: "two_step", mode: "request", via: "user" });
    const unknown = { ...of, exit: { ...of.exit, assets: null } } as PreparedWithdrawal;
    const last = toBuiltWithdrawalSteps(planWithdrawalSteps(unknown, share)).at(-1);
    expect(last).toMatchObject({
      step_id: "destination.transfer",
      title: "Swap or bridge USDC",
      amount: null,
    });
  });

  test("names what is swapped or bridged second", () => {
    const of = prepared({ kind: "two_step", route: { toAmount: 50n, toAmountMin: 48n } });
    expect(titles(of).slice(-2)).toEqual([
      ["destination.approve", "Approve 125 USDC"],
      ["destination.transfer", "Swap or bridge 125 USDC"],
    ]);
  });
});

describe("toFigures()", () => {
  test("shows no exit fee where the vault's conversions differ by rounding alone", () => {
    const feeOf = (more: bigint) =>
      toFigures(prepared({ terms: { grossAssets: WORTH + more } }), prices).exit_fee;
    expect(["0", "0", "0", "3"]).toEqual([-1n, 0n, 2n, 3n].map(feeOf));
  });

  test("shows the fee that the simulation shows and the preview does not", () => {
    const hidden = (of: Parameters<typeof prepared>[0]) =>
      toFigures(prepared({ terms: { grossAssets: WORTH + 1_000n }, ...of }), prices).exit_fee;
    expect(hidden({ paid: WORTH - 500n })).toBe("1500");
    expect(hidden({ paid: WORTH - 2n })).toBe("1000");
    expect(hidden({ paid: WORTH + 500n })).toBe("1000");
    // What is paid later is not in the simulation.
    expect(hidden({ paid: WORTH - 500n, terms: { grossAssets: WORTH, paidNow: WORTH - 500n } })).toBe("0");
    expect(hidden({ paid: WORTH - 500n, mode: "request", via: "user" })).toBe("1000");
  });

  test("shows what the vault pays, keeps and guarantees", () => {
    const of = prepared({ terms: { grossAssets: WORTH + 1_000n } });
    expect(toFigures(of, prices)).toEqual({
      ...{ assets: "125000000", min_assets: "124375000", exit_fee: "1000" },
      ...{ to_amount: "125000000", to_amount_min: "124375000", to_amount_usd: null, available_at: null },
    });
  });

  test("guesses nothing that is unknown", () => {
    const none = prepared({
      kind: "two_step",
      mode: "request",
      via: "user",
      minAssets: null,
      terms: { grossAssets: null },
    });
    expect(toFigures(none, prices)).toMatchObject({
      ...{ min_assets: null, exit_fee: null, to_amount: null, to_amount_min: null, available_at: null },
    });
    const later = prepared({ mode: "cooldown", via: "user", terms: { earliest: READ_AT } });
    expect(toFigures(later, prices).available_at).toBe(new Date(READ_AT * 1_000).toISOString());
  });

  test("guarantees of a second step no more than the least that the vault pays brings", () => {
    const route = { toAmount: 1_000_000n, toAmountMin: 970_000n };
    expect(arrivalOf(prepared({ kind: "two_step", route }))).toEqual({ amount: 1_000_000n, least: 965_150n });
    expect(arrivalOf(prepared({ kind: "two_step", route, minAssets: null }))).toEqual({
      amount: 1_000_000n,
      least: null,
    });
  });
});

describe("withdrawalWarnings()", () => {
  const codes = (of: PreparedWithdrawal) => withdrawalWarnings(of).map(({ code }) => code);

  test("names a fee above the slippage, and a minimum that nobody enforces", () => {
    expect(codes(prepared({}))).toEqual([]);
    expect(codes(prepared({ terms: { grossAssets: (WORTH * 102n) / 100n } }))).toEqual(["exit_fee"]);
    expect(codes(prepared({ via: "user", minAssets: null }))).toEqual(["no_minimum"]);
    // 0.4 % by the preview, and as much again that only the simulation shows.
    const terms = { grossAssets: (WORTH * 1_004n) / 1_000n };
    expect(codes(prepared({ terms }))).toEqual([]);
    expect(codes(prepared({ terms, paid: (WORTH * 996n) / 1_000n }))).toEqual(["exit_fee"]);
  });

  test("takes a fee of exactly the slippage for no higher one, however the vault rounds", () => {
    const withGross = (grossAssets: bigint) => codes(prepared({ terms: { grossAssets } }));
    // 0.5 % of it is 628,140.705, of which the vault keeps 628,141.
    expect(withGross(WORTH + 628_141n)).toEqual([]);
    expect(withGross(WORTH + 628_143n)).toEqual(["exit_fee"]);
  });

  const waiting = { via: "user", mode: "request", minAssets: null } as const;

  test("says that a request cannot be taken back, unless the vault may let the user cancel it", () => {
    expect(withdrawalWarnings(prepared(waiting))).toEqual([
      { code: "not_cancellable", detail: `a request with ${vault.name} cannot be taken back` },
    ]);
    const cooling = withdrawalWarnings(prepared({ ...waiting, mode: "cooldown" }));
    expect(cooling[0]?.detail).toBe(`a cooldown with ${vault.name} cannot be taken back`);
    const maple = { ...vault, params: { exit: "maple" } };
    expect(codes(prepared({ ...waiting, order: { vault: maple } }))).toEqual([]);
  });

  test("says that Midas returns nothing of a request that it rejects", () => {
    const of = prepared(waiting);
    const order = { ...of.order, vault: { ...vault, adapter: "midas" }, exits: midasExits };
    expect(withdrawalWarnings({ ...of, order })).toEqual([
      {
        code: "not_cancellable",
        detail: `a request with ${vault.name} cannot be taken back, and one that the vault rejects returns nothing on chain`,
      },
    ]);
  });

  test("names why `auto` does not pay at once", () => {
    const insteadOf = failure("no_liquidity", "the daily limit is used up", { available: null });
    expect(withdrawalWarnings({ ...prepared(waiting), insteadOf })[0]).toEqual({
      code: "mode_changed",
      detail: `${vault.name} does not pay now (no_liquidity: the daily limit is used up), so this is a request, which pays later`,
    });
  });
});

describe("toWireWithdrawal()", () => {
  const wire = (of: PreparedWithdrawal) =>
    toWireWithdrawal(of, {
      ...{ expiresAt: new Date(READ_AT * 1_000), plan: planWithdrawalSteps(of, share), gas: null, prices },
    });

  test.each([
    [0.005, 0.005],
    [0.001, 0.001],
    [0.5, 0.005],
  ])("applies of a slippage of %s %s where nothing is exchanged", (slippage, applied) => {
    expect(wire(prepared({ order: { slippage } })).estimate.slippage_applied).toBe(applied);
  });

  test("applies the whole slippage where a swap follows", () => {
    const route = { toAmount: 1_000_000n, toAmountMin: 970_000n };
    const of = prepared({ kind: "two_step", route, order: { slippage: 0.03 } });
    expect(wire(of)).toMatchObject({ two_step: true, estimate: { slippage_applied: 0.03 } });
  });

  test("approves only what the vault takes by allowance", () => {
    const { approval, steps, simulation } = wire(prepared({ approved: 7n }));
    expect(approval).toMatchObject({ token_address: VAULT, amount: "7" });
    expect(steps.map(({ purpose, amount }) => [purpose, amount])).toEqual([
      ["approve", "7"],
      ["redeem", HELD.toString()],
    ]);
    expect(simulation.allowance_sufficient).toBe(false);
    const none = wire(prepared({ approved: 0n }));
    expect(none).toMatchObject({ approval: null, simulation: { allowance_sufficient: true } });
    expect(none.steps.map(({ purpose }) => purpose)).toEqual(["redeem"]);
  });

  test("needs no allowance of the Router where a signature pays", () => {
    const built = prepared({});
    const { data } = built.exit.call;
    const authorization: PlannedAuthorization = {
      kind: "permit2",
      ...{ chainId: vault.chainId, owner: USER, submitter: USER, data, domain: null, permitNonce: null },
    };
    const answer = wire({ ...built, authorization });
    expect(answer).toMatchObject({ approval: null, calls: [], simulation: { allowance_sufficient: true } });
  });

  test("approves exactly the shares, and says what the account lacks", () => {
    const to = { client: clientOf(away), chainId: away.chainId, token: WETH };
    const answer = wire(prepared({ order: { to, shares: HELD + 1n } }));
    expect(answer.approval).toMatchObject({ token_address: VAULT, amount: String(HELD + 1n) });
    expect(answer.simulation).toMatchObject({ balance_sufficient: false, allowance_sufficient: false });
    expect(answer.tracking).toMatchObject({ to_chain_id: away.chainId, bridge: null });
  });

  test("does not answer without the account's shares", () => {
    const of = prepared({});
    const unread = { ...of, exit: { ...of.exit, facts: { ...of.exit.facts, balance: null } } };
    expect(() => wire(unread as PreparedWithdrawal)).toThrow(
      expect.objectContaining({ code: "upstream_unavailable" }),
    );
  });
});
