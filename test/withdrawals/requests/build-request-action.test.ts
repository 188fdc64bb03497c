import { decodeFunctionData, encodeErrorResult, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { getActions } from "../../../src/actions/get-available-actions.ts";
import { RequestActionInput } from "../../../src/schemas/withdraw-build-schema.ts";
import { buildRequestAction } from "../../../src/withdrawals/requests/build-request-action.ts";
import type { RequestAction } from "../../../src/withdrawals/requests/simulate-request-action.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { balanceKey, type SimulatedEffects } from "../../support/deposits/simulated-chain.ts";
import { vedaDelayed } from "../../support/withdrawals/veda-exit-answers.ts";
import {
  cooling,
  createWithdrawalFixture,
  pooled,
  storedOf,
  waitingFunctions,
} from "../../support/withdrawals/withdrawing.ts";

/** Time of the chain's block, in seconds. */
const HEAD = 1_700_000_000;
const COOLING = 125_000_000n;
const LOCKED = 40n * 10n ** 18n;
const calls = parseAbi([
  "function unstake(address receiver)",
  "function removeShares(uint256 shares, address owner) returns (uint256)",
  "error InvalidCooldown()",
  "error ExcessiveRedeemAmount()",
  "error EnforcedPause()",
  "error RequestNotCancelable()",
  "error Odd()",
]);
type RevertName = Extract<(typeof calls)[number], { type: "error" }>["name"];
const reverting = (errorName: RevertName): SimulatedEffects => ({
  revert: encodeErrorResult({ abi: calls, errorName }),
});

/** The views of ERC-7540 and of ERC-7887's cancellations, which return the shares in a transaction of their own. */
const asyncFunctions = parseAbi([
  "function pendingRedeemRequest(uint256, address) view returns (uint256)",
  "function claimableRedeemRequest(uint256, address) view returns (uint256)",
  "function supportsInterface(bytes4) view returns (bool)",
  "function pendingCancelRedeemRequest(uint256, address) view returns (bool)",
  "function claimableCancelRedeemRequest(uint256, address) view returns (uint256)",
  "function previewSyncRedeem(uint256) view returns (uint256)",
  "function redeemRequests(uint256) view returns (address, address, uint8, uint256, uint256, uint256)",
  "function getUserAtomicRequest(address, address, address) view returns (uint64, uint88, uint96, bool)",
]);

interface Case {
  action?: RequestAction;
  from?: typeof vault;
  end?: number;
  assets?: bigint;
  locked?: bigint;
  /** When the shares in a pool can be redeemed: from `HEAD` by default. */
  window?: readonly [from: number, until: number];
  requestId?: string;
  effects?: SimulatedEffects;
}

/** Builds an action on the request of a user with this much cooling, or locked in a pool. */
async function act(of: Case = {}) {
  const { end = HEAD, assets = COOLING, locked = 0n, action = "claim" } = of;
  const window = of.window ?? [HEAD, HEAD + 60];
  const none = VAULT;
  const { ctx } = await createWithdrawalFixture({
    vaults: [storedOf(of.from ?? cooling)],
    functions: [...waitingFunctions, ...asyncFunctions],
    answers: {
      ...{ cooldowns: [BigInt(end), assets], cooldownDuration: 604_800 },
      ...{ manager: none, withdrawalManager: none, lockedShares: locked, maxRedeem: 0n, exitCycleId: 1n },
      getWindowAtId: window.map(BigInt),
      convertToExitAssets: COOLING,
      ...{ pendingRedeemRequest: LOCKED, claimableRedeemRequest: 0n, supportsInterface: true },
      ...{ pendingCancelRedeemRequest: false, claimableCancelRedeemRequest: 0n, previewSyncRedeem: 0n },
      redeemRequests: [USER, USDC, 0, LOCKED, 1n, 1n],
      getUserAtomicRequest: [2n ** 64n - 1n, 1n, LOCKED, false],
    },
    effects: () => of.effects ?? { rises: { [balanceKey(USDC, USER)]: COOLING } },
  });
  const input = RequestActionInput.parse({
    ...{ vault_id: vault.vaultId, user_address: USER, request_id: of.requestId ?? "0" },
  });
  return buildRequestAction(ctx, { input, action });
}
const refusalOf = (of: Case) =>
  act(of).then(
    () => "none",
    ({ code, members }: { code: string; members: object }) => ({ code, ...members }),
  );

describe("buildRequestAction() of a claim", () => {
  test("pays what the vault settled to the user, with the amount that the simulation saw", async () => {
    const built = await act();
    const { to, data } = built.transaction_request;
    expect(to).toBe(VAULT);
    expect(decodeFunctionData({ abi: calls, data: data as `0x${string}` })).toMatchObject({
      ...{ functionName: "unstake", args: [USER] },
    });
    expect(built.approval).toBeNull();
    expect(built.simulation).toMatchObject({ received: COOLING.toString() });
    expect(built.steps).toMatchObject([{ step_id: "claim", state: "required", token: { symbol: "USDC" } }]);
    expect(built.calls).toHaveLength(1);
  });

  test.each<[string, Case, object]>([
    [
      "a wait that is not over",
      { end: HEAD + 60 },
      { code: "cooldown", until: new Date((HEAD + 60) * 1_000).toISOString() },
    ],
    ["a wait without a real end", { end: Number(2n ** 48n - 1n) }, { code: "cooldown", until: null }],
    ["no request at all", { assets: 0n }, { code: "nothing_to_withdraw" }],
    ["another request", { requestId: "7" }, { code: "nothing_to_withdraw" }],
    [
      "a vault that takes no requests",
      { from: { ...vault, adapter: "euler" } },
      { code: "mode_unsupported" },
    ],
    ["a claim that pays nothing", { effects: {} }, { code: "nothing_to_withdraw" }],
    ["a pool that has not paid", { from: pooled, locked: LOCKED }, { code: "request_pending" }],
    [
      "a pool's window that has not begun",
      { from: pooled, locked: LOCKED, window: [HEAD + 60, HEAD + 120] },
      { code: "cooldown", until: new Date((HEAD + 60) * 1_000).toISOString() },
    ],
    [
      "a pool's window that has ended",
      { from: pooled, locked: LOCKED, window: [HEAD - 60, HEAD] },
      { code: "nothing_to_withdraw" },
    ],
  ])("refuses %s", async (_name, of, refusal) => {
    expect(await refusalOf(of)).toMatchObject(refusal);
  });

  test.each<[string, { paused?: boolean; rate?: bigint; maturity?: number }, object]>([
    ["is paused", { paused: true }, { code: "exits_paused" }],
    ["sees a loss that the request rules out", { rate: 98n * 10n ** 16n }, { code: "price_unsafe" }],
    ["also lets it wait", { paused: true, maturity: HEAD + 60 }, { code: "cooldown" }],
  ])("says why a contract that %s does not pay", async (_name, of, refusal) => {
    const { vault: delayed, ...world } = vedaDelayed({ maturity: HEAD - 60, ...of });
    const { ctx } = await createWithdrawalFixture({ ...world, vaults: [storedOf(delayed)] });
    const { vaultId } = delayed;
    const input = RequestActionInput.parse({ vault_id: vaultId, user_address: USER, request_id: "0" });
    await expect(buildRequestAction(ctx, { input, action: "claim" })).rejects.toMatchObject(refusal);
    // The actions give the same code.
    expect((await getActions(ctx, { user: USER, vaultId })).claim).toMatchObject({
      ...{ ...refusal, allowed: false, max: "0", mode: "cooldown" },
    });
  });

  test("says that it looks for redemptions, because a deposit request may have the id", async () => {
    await expect(act({ requestId: "7" })).rejects.toThrow("no redemption request 7 ");
  });

  test.each<[string, bigint, string[]]>([
    ["what the vault states", COOLING, []],
    ["0.5 % less", (COOLING * 995n) / 1_000n, []],
    ["a unit less than that, by rounding", (COOLING * 995n) / 1_000n - 1n, []],
    ["two units less than that", (COOLING * 995n) / 1_000n - 2n, ["pays_less"]],
    ["half of it", COOLING / 2n, ["pays_less"]],
    ["more", COOLING * 2n, []],
  ])("builds a claim that pays %s, with a warning if that is clearly less", async (_name, paid, codes) => {
    const { warnings, simulation } = await act({ effects: { rises: { [balanceKey(USDC, USER)]: paid } } });
    expect(warnings.map(({ code }) => code)).toEqual(codes);
    expect(simulation.received).toBe(paid.toString());
  });

  describe("of a vault that pays native currency", () => {
    const from = { ...cooling, asset: { ...cooling.asset, address: zeroAddress } };
    const paying = (paid: bigint, more: SimulatedEffects = {}) => ({
      from,
      effects: { rises: { [balanceKey(zeroAddress, USER)]: paid }, ...more },
    });

    test.each<[string, bigint, string[]]>([
      ["what the vault states", COOLING, []],
      ["half of it", COOLING / 2n, ["pays_less"]],
    ])("pays %s", async (_name, paid, codes) => {
      const { warnings, simulation } = await act(paying(paid));
      expect(warnings.map(({ code }) => code)).toEqual(codes);
      expect(simulation.received).toBe(paid.toString());
    });

    test("refuses one that pays nothing, or another account", async () => {
      expect(await refusalOf(paying(0n))).toMatchObject({ code: "nothing_to_withdraw" });
      const rises = { [balanceKey(zeroAddress, OTHER)]: COOLING };
      expect(await refusalOf({ from, effects: { rises } })).toMatchObject({ code: "nothing_to_withdraw" });
    });

    test.each<[string, SimulatedEffects]>([
      ["cannot be read", { unread: true }],
      ["is charged for gas", { charges: 1n }],
    ])("warns that nothing is compared where the balance %s", async (_name, more) => {
      const { warnings, simulation } = await act(paying(COOLING / 2n, more));
      expect(warnings).toMatchObject([{ code: "received_unknown" }]);
      expect(simulation.received).toBeNull();
    });
  });

  test("counts what the token's transfers show, not a balance that it makes up", async () => {
    const rises = { [balanceKey(USDC, USER)]: COOLING };
    expect(await refusalOf({ effects: { rises, logs: [] } })).toMatchObject({ code: "nothing_to_withdraw" });
    const half = transferLog({ token: USDC, from: VAULT, to: USER, value: COOLING / 2n });
    const { warnings, simulation } = await act({ effects: { rises, logs: [half] } });
    expect(simulation.received).toBe((COOLING / 2n).toString());
    expect(warnings).toMatchObject([{ code: "pays_less" }]);
  });

  test("refuses a claim that takes shares from the wallet besides", async () => {
    const rises = { [balanceKey(USDC, USER)]: COOLING, [balanceKey(VAULT, USER)]: -LOCKED };
    expect(await refusalOf({ effects: { rises } })).toEqual({ code: "price_unsafe", subject: "vault" });
  });

  test("refuses a claim whose share token hides what it takes", async () => {
    const rises = { [balanceKey(USDC, USER)]: COOLING };
    const hides = { effects: { rises, hides: VAULT } };
    expect(await refusalOf(hides)).toEqual({ code: "simulation_unavailable" });
    const { warnings, simulation } = await act({ effects: { rises, unread: true } });
    expect(simulation.received).toBeNull();
    expect(warnings).toMatchObject([{ code: "received_unknown" }]);
  });

  test("refuses a claim whose token alone hides what arrives", async () => {
    const rises = { [balanceKey(USDC, USER)]: COOLING };
    for (const logs of [[], undefined])
      expect(await refusalOf({ effects: { rises, hides: USDC, ...(logs && { logs }) } })).toEqual({
        code: "simulation_unavailable",
      });
  });

  test.each<[string, RevertName, object]>([
    [
      "a wait that the contract finds not over",
      "InvalidCooldown",
      { code: "cooldown", until: new Date(HEAD * 1_000).toISOString() },
    ],
    ["a request that is gone", "ExcessiveRedeemAmount", { code: "nothing_to_withdraw" }],
    ["a pause", "EnforcedPause", { code: "exits_paused" }],
    ["anything else as such", "Odd", { code: "would_revert" }],
  ])("passes on the vault's own refusal: %s", async (_name, errorName, refusal) => {
    expect(await refusalOf({ effects: reverting(errorName) })).toMatchObject(refusal);
  });
});

describe("buildRequestAction() where a contract holds too little", () => {
  const texts = parseAbi([
    "error Error(string)",
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  ]);
  const short = [
    encodeErrorResult({ abi: texts, errorName: "ERC20InsufficientBalance", args: [VAULT, 0n, COOLING] }),
    encodeErrorResult({ abi: texts, errorName: "Error", args: ["ERC20: transfer amount exceeds balance"] }),
  ];

  test.each(short)("says that the vault cannot pay a claim (%#)", async (revert) => {
    expect(await refusalOf({ effects: { revert } })).toEqual({ code: "no_liquidity", available: null });
  });

  test.each(short)("says nothing of assets where shares are taken back (%#)", async (revert) => {
    const back = { action: "cancel", from: pooled, locked: LOCKED, effects: { revert } } as const;
    expect(await refusalOf(back)).toMatchObject({ code: "would_revert" });
  });
});

describe("buildRequestAction() of a cancellation", () => {
  test("takes back the shares of the request", async () => {
    const effects = { rises: { [balanceKey(VAULT, USER)]: LOCKED } };
    const built = await act({ action: "cancel", from: pooled, locked: LOCKED, effects });
    const data = built.transaction_request.data as `0x${string}`;
    expect(decodeFunctionData({ abi: calls, data })).toMatchObject({
      ...{ functionName: "removeShares", args: [LOCKED, USER] },
    });
    expect(built.steps).toMatchObject([{ step_id: "cancel", purpose: "cancel", state: "required" }]);
    expect(built.simulation.received).toBe(LOCKED.toString());
  });

  test("takes back what a pool's window was missed for", async () => {
    const effects = { rises: { [balanceKey(VAULT, USER)]: LOCKED } };
    const missed = { from: pooled, locked: LOCKED, window: [HEAD - 60, HEAD], effects } as const;
    expect((await act({ action: "cancel", ...missed })).simulation.received).toBe(LOCKED.toString());
  });

  test("refuses one that returns fewer shares than the request has", async () => {
    const effects = { rises: { [balanceKey(VAULT, USER)]: LOCKED / 2n } };
    const refusal = await refusalOf({ action: "cancel", from: pooled, locked: LOCKED, effects });
    expect(refusal).toEqual({ code: "price_unsafe", subject: "vault" });
  });

  test("refuses one that returns no shares", async () => {
    const burnt = { action: "cancel", from: pooled, locked: LOCKED, effects: {} } as const;
    expect(await refusalOf(burnt)).toEqual({ code: "price_unsafe", subject: "vault" });
  });

  test("refuses one that returns the shares later, but takes shares", async () => {
    const from = { ...vault, params: { exit: "erc7540" } };
    expect((await act({ action: "cancel", from, effects: {} })).simulation.received).toBe("0");
    const taking = {
      action: "cancel",
      from,
      effects: { rises: { [balanceKey(VAULT, USER)]: -1n } },
    } as const;
    expect(await refusalOf(taking)).toEqual({ code: "price_unsafe", subject: "vault" });
  });

  test("takes back the offer of shares that are in the wallet, but no shares", async () => {
    const from = { ...vault, adapter: "veda", params: { teller: "d", atomic_queues: OTHER } };
    const requestId = `atomic/${OTHER}/${USDC}`.toLowerCase();
    const offered = { action: "cancel", from, requestId } as const;
    const built = await act({ ...offered, effects: {} });
    expect(built.transaction_request.to).toBe(OTHER);
    expect(built.simulation.received).toBe("0");
    const effects = { rises: { [balanceKey(VAULT, USER)]: -1n } };
    expect(await refusalOf({ ...offered, effects })).toEqual({ code: "price_unsafe", subject: "vault" });
  });

  test("refuses what the vault's family never cancels", async () => {
    const redeem = { redemption_vault: OTHER, redeem_tokens: `${USDC.toLowerCase()}/6/USDC` };
    const from = {
      ...{ ...vault, adapter: "midas" },
      params: { deposit: "instant", recipient: "argument", ...redeem },
    };
    const refusal = await refusalOf({ action: "cancel", from, requestId: "7" });
    expect(refusal).toMatchObject({ code: "mode_unsupported" });
    // A cooldown, which a vault of the same adapter has in place of requests, cannot be taken back.
    expect(await refusalOf({ action: "cancel" })).toMatchObject({ code: "mode_unsupported" });
  });

  test("refuses what cannot be cancelled", async () => {
    const early = { from: pooled, locked: LOCKED, window: [HEAD + 60, HEAD + 120] } as const;
    expect(await refusalOf({ action: "cancel", ...early })).toMatchObject({ code: "withdrawal_state" });
    // No view of Lagoon's shows that the epoch of the request has ended.
    const late = { from: { ...vault, adapter: "lagoon" }, effects: reverting("RequestNotCancelable") };
    expect(await refusalOf({ action: "cancel", ...late })).toEqual({ code: "withdrawal_state" });
  });
});
