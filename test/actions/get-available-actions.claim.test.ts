import { expect, test } from "vitest";
import { claimAction as claimActionAt } from "../../src/actions/request-actions.ts";
import type { PendingPosition } from "../../src/positions/position-pending-deposits.ts";
import { type PendingExit, unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { USDC, VAULT, vault } from "../support/deposits/fixtures.ts";

const NOW = 1_700_000_000;
const claimAction = (facts: Omit<Parameters<typeof claimActionAt>[1], "timestamp">, at = vault) =>
  claimActionAt(at, { ...facts, timestamp: NOW });
const redemption = (change: Partial<PendingExit>): PendingExit => ({
  ...{ ...unknownPendingExit, token: USDC },
  ...change,
});
const ready = redemption({ state: "claimable", claimableAssets: 5n });
const deposit = (change: Partial<PendingPosition>): PendingPosition => ({
  ...{ vault, pendingAssets: 7n, claimableShares: 0n, claimableAssets: 0n, claim: null },
  ...change,
});
const settled = deposit({
  ...{ pendingAssets: 0n, claimableShares: 9n, claimableAssets: 7n },
  claim: { target: VAULT, data: "0x12" },
});

test("claimAction() sums what redemptions pay, and knows no sum with an unknown part", () => {
  expect(claimAction({ requests: [ready, ready], deposits: [settled] })).toMatchObject({
    ...{ allowed: true, max: "10", mode: "request", reason: "" },
  });
  const unknown = redemption({ state: "claimable", claimableAssets: null });
  expect(claimAction({ requests: [ready, unknown], deposits: [] })).toMatchObject({
    allowed: true,
    max: null,
  });
});

test("claimAction() sums no different tokens, and no shares", () => {
  const other = redemption({ state: "claimable", claimableAssets: 5n, token: VAULT });
  const shares = redemption({ state: "claimable", claimableAssets: 0n, claimableShares: 5n, pays: "shares" });
  for (const requests of [[ready, other], [shares], [ready, shares]])
    expect(claimAction({ requests, deposits: [] })).toMatchObject({ allowed: true, max: null });
});

test("claimAction() names the mode of what is ready", () => {
  const cooled = redemption({ state: "claimable", claimableAssets: 5n, mode: "cooldown" });
  expect(claimAction({ requests: [redemption({}), cooled], deposits: [] })).toMatchObject({
    mode: "cooldown",
  });
});

test("claimAction() shows the claim of a deposit request, and where its transaction is", () => {
  expect(claimAction({ requests: [redemption({})], deposits: [settled] })).toMatchObject({
    ...{ allowed: true, max: "7", mode: "request", code: null },
    reason: "the shares of a deposit request are ready",
  });
});

test("claimAction() shows that the assets of a cancelled deposit request can be claimed back", () => {
  const claim = { target: VAULT, data: "0x12", paysBack: true } as const;
  const returned = deposit({ returnedAssets: 4n, claim });
  expect(claimAction({ requests: [], deposits: [returned] })).toMatchObject({
    ...{ allowed: true, max: "4", mode: "request", code: null },
    reason: "the assets of a cancelled deposit request can be claimed back",
  });
});

test("claimAction() waits for deposits as for redemptions", () => {
  const waiting = { allowed: false, code: "request_pending", mode: "request", until: null };
  expect(claimAction({ requests: [], deposits: [deposit({})] })).toMatchObject(waiting);
  const cooling = redemption({ mode: "cooldown", earliest: NOW + 60 });
  expect(claimAction({ requests: [cooling], deposits: [deposit({})] })).toMatchObject({
    ...{ code: "cooldown", until: "2023-11-14T22:14:20.000Z" },
  });
});

test("claimAction() gives the code of a build: a time only while it lies ahead", () => {
  const queued = redemption({ mode: "request", earliest: NOW + 60 });
  expect(claimAction({ requests: [queued], deposits: [] })).toMatchObject({
    ...{ code: "cooldown", mode: "request", until: "2023-11-14T22:14:20.000Z" },
  });
  const late = redemption({ mode: "request", earliest: NOW });
  expect(claimAction({ requests: [late], deposits: [] })).toMatchObject({
    ...{ code: "request_pending", until: null },
  });
});

test("claimAction() refuses an account without any request", () => {
  expect(claimAction({ requests: [], deposits: [] })).toMatchObject({
    ...{ allowed: false, max: "0", code: "nothing_to_withdraw" },
  });
});

test("claimAction() refuses at a vault that takes no requests, as a build does", () => {
  expect(claimAction({ requests: [], deposits: [] }, { ...vault, adapter: "euler" })).toMatchObject({
    ...{ allowed: false, max: "0", code: "mode_unsupported" },
  });
});

test.each(["expired", "rejected"] as const)(
  "claimAction() waits for no %s request, as a build does",
  (state) => {
    const ended = redemption({ state, earliest: NOW + 60 });
    expect(claimAction({ requests: [ended], deposits: [] })).toMatchObject({
      ...{ allowed: false, code: "nothing_to_withdraw", until: null },
    });
    expect(claimAction({ requests: [ended, redemption({})], deposits: [] })).toMatchObject({
      ...{ code: "request_pending", until: null },
    });
  },
);

test("claimAction() does not say that there is nothing while the redemptions cannot be read", () => {
  expect(claimAction({ requests: null, deposits: [] })).toMatchObject({
    ...{ allowed: false, code: "simulation_unavailable", max: null },
  });
  expect(claimAction({ requests: null, deposits: [settled] })).toMatchObject({ allowed: true, max: "7" });
});
