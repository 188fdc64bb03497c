import { parseAbi, toFunctionSelector } from "viem";
import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { balanceKey, type SimulatedEffects } from "../support/deposits/simulated-chain.ts";
import {
  createWithdrawalFixture,
  pooled,
  storedOf,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

const HEAD = 1_700_000_000;
const functions = [
  ...waitingFunctions,
  ...parseAbi([
    "function pendingRedeemRequest(uint256, address) view returns (uint256)",
    "function claimableRedeemRequest(uint256, address) view returns (uint256)",
    "function previewSyncRedeem(uint256) view returns (uint256)",
    "function maxWithdraw(address) view returns (uint256)",
  ]),
];
const lagoon: Vault = { ...vault, adapter: "lagoon", caller: "user" };
const CANCEL = toFunctionSelector("cancelRequestRedeem(address)");

/** The claim and the cancellation at a vault with 300 waiting shares and 500 claimable ones, whose calls end so. */
async function actionsOf(of: {
  at?: Vault;
  answers?: Record<string, unknown>;
  effects: (call: { data: string }) => SimulatedEffects;
}) {
  const at = of.at ?? lagoon;
  const answers = {
    ...{ balanceOf: 0n, pendingRedeemRequest: 300n, claimableRedeemRequest: 500n, maxWithdraw: 600n },
    ...{ previewSyncRedeem: 0n, manager: VAULT, withdrawalManager: VAULT },
  };
  const { ctx, chain } = await createWithdrawalFixture({
    // No deposit is tried besides.
    ...{ functions, vaults: [storedOf(at, { status: "paused" })], answers: { ...answers, ...of.answers } },
    effects: of.effects,
  });
  const { claim, cancel, requests } = await getActions(ctx, { user: USER, vaultId: at.vaultId });
  const cancellable = requests.map((request) => request.cancellable);
  return { claim, cancel, cancellable, simulations: chain.sent.length };
}

const reverting = (text: string): SimulatedEffects => ({ revert: toFunctionSelector(text) });
const shares = (rise: bigint): SimulatedEffects => ({ rises: { [balanceKey(VAULT, USER)]: rise } });
const paid: SimulatedEffects = { rises: { [balanceKey(USDC, USER)]: 600n } };

test("a claim and a cancellation that work are offered, each after one simulation", async () => {
  const effects = ({ data }: { data: string }) => (data.startsWith(CANCEL) ? shares(300n) : paid);
  const { claim, cancel, cancellable, simulations } = await actionsOf({ effects });
  expect(claim).toMatchObject({ allowed: true, max: "600", mode: "request", code: null });
  // What is claimable already is not taken back.
  expect(cancel).toMatchObject({ allowed: true, max: "300", mode: "request", code: null });
  expect(cancellable).toEqual([true]);
  expect(simulations).toBe(2);
});

test("a claim that a pause, a minimum or a lack of assets stops is refused with the code of a build", async () => {
  const claimOf = async (text: string, at: Vault = lagoon) =>
    (await actionsOf({ at, answers: { maxWithdraw: 0n }, effects: () => reverting(text) })).claim;
  const refused = { allowed: false, max: "0", mode: "request", until: null };
  expect(await claimOf("EnforcedPause()")).toMatchObject({ ...refused, code: "exits_paused" });
  expect(await claimOf("NotEnoughLiquidity()")).toMatchObject({ ...refused, code: "no_liquidity" });
  const accountable = { ...lagoon, adapter: "accountable" };
  expect(await claimOf("InsufficientAmount()", accountable)).toMatchObject({
    ...{ ...refused, code: "below_minimum" },
  });
});

test("a cancellation after the vault closed the request's epoch is refused with the code of a build", async () => {
  const effects = ({ data }: { data: string }) =>
    data.startsWith(CANCEL) ? reverting("RequestNotCancelable()") : paid;
  const { claim, cancel, cancellable } = await actionsOf({ effects });
  expect(claim).toMatchObject({ allowed: true, max: "600" });
  expect(cancellable).toEqual([false]);
  expect(cancel).toMatchObject({ allowed: false, code: "withdrawal_state", max: "0", mode: "request" });
});

test("a cancellation that also takes back what is claimable shows all of it", async () => {
  const answers = {
    ...{ lockedShares: 800n, maxRedeem: 500n, exitCycleId: 1n, convertToExitAssets: 600n },
    getWindowAtId: [BigInt(HEAD), BigInt(HEAD + 60)],
  };
  const { cancel } = await actionsOf({ at: pooled, answers, effects: () => shares(800n) });
  expect(cancel).toMatchObject({ allowed: true, max: "800" });
});

test("a cancellation before the pool's window names the window's start", async () => {
  const answers = {
    ...{ lockedShares: 800n, maxRedeem: 0n, exitCycleId: 1n, convertToExitAssets: 600n },
    getWindowAtId: [BigInt(HEAD + 60), BigInt(HEAD + 120)],
  };
  const { cancel } = await actionsOf({ at: pooled, answers, effects: () => shares(800n) });
  expect(cancel).toMatchObject({
    ...{ allowed: false, code: "withdrawal_state", until: "2023-11-14T22:14:20.000Z" },
  });
});

test("a simulation that fails leaves what the views say", async () => {
  const effects = () => ({ ...paid, hides: VAULT });
  expect((await actionsOf({ effects })).claim).toMatchObject({ allowed: true, max: "600" });
});
