import { encodeEventTopics, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { nextState } from "../../../src/tracking/deposits/deposit-state-machine.ts";
import { OTHER, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { log } from "../../support/deposits/logs.ts";
import {
  APPROVED,
  ASKED,
  approvalOf,
  claimOf,
  decide,
  EMPTY,
  hashOf,
  mellow,
  row,
  type Sent,
  shares,
  words,
} from "../../support/deposits/settlement.ts";

/** Requests that their vault settled for no shares: it took the assets. */
const byUser = { from: USER, to: VAULT } as const;
const claim = (value: bigint, paid = ASKED): Sent => ({
  ...byUser,
  logs: [shares(value, VAULT), claimOf(USER, value, paid)],
});
const unmintedAt = (place: number) => ({
  ...{ shows: "vault_unminted", claimTxHash: hashOf(place) },
  ...{ shares: "0", substatus: "UNKNOWN_ERROR" },
});

test("a deposit whose request was settled for no shares fails", async () => {
  expect(await decide({ ...EMPTY, sent: [claim(0n)] })).toMatchObject(unmintedAt(0));
  const event = { kind: "chain", shows: "vault_unminted", confirmed: true } as const;
  expect(nextState("requested", event)).toBe("failed");
  expect(nextState("claimable", event)).toBe("failed");
  expect(nextState("completed", event)).toBe("completed");
  expect(nextState("requested", { ...event, confirmed: false })).toBe("requested");
});

test("so does one at Mellow or Midas, by the event that names it", async () => {
  const abi = parseAbi(["event DepositRequestClaimed(address indexed account, uint256 shares, uint32 time)"]);
  const topics = encodeEventTopics({ abi, args: { account: USER } });
  const claimed = { ...byUser, logs: [shares(0n), log(VAULT, topics, words(0n, 1n))] };
  const empty = { view: words(0n, 0n), stored: mellow, of: { ...row, requestId: null } };
  expect(await decide({ ...empty, sent: [claimed] })).toMatchObject(unmintedAt(0));
  const logs = [shares(0n), approvalOf(7n)].map((one, logIndex) => ({ ...one, logIndex }));
  expect(await decide({ ...APPROVED, sent: [{ to: VAULT, logs }] })).toMatchObject(unmintedAt(0));
});

test("shares of another claim are counted", async () => {
  const sent = [claim(0n, ASKED / 4n), claim(6n, (ASKED * 3n) / 4n)];
  expect(await decide({ ...EMPTY, sent })).toMatchObject({
    ...{ shows: "vault_claimed", claimTxHash: hashOf(1), shares: "6" },
  });
});

test.each<[string, Sent]>([
  ["a claim of nothing, which anyone can make", claim(0n, 0n)],
  ["a part of it, if nothing shows what became of the rest", claim(0n, ASKED / 4n)],
  ["another account's claim", { ...byUser, logs: [shares(0n), claimOf(OTHER, 0n)] }],
])("%s is no such end", async (_what, sent) => {
  expect(await decide({ ...EMPTY, sent: [sent] })).toBeNull();
});

describe("of two requests under one id", () => {
  const first: DepositRow = { ...row, requestId: "0" };
  const second: DepositRow = { ...first, trackingId: `trk_${"5".repeat(32)}`, depositTxHash: hashOf(0) };
  const ended: DepositRow = { ...first, state: "failed", shares: "0", claimTxHash: hashOf(1) };
  const check = (of: DepositRow, others: readonly DepositRow[], sent: readonly Sent[]) =>
    decide({ ...EMPTY, of, others, sent: [{ logs: [] }, ...sent] });

  test("both had nothing of a claim of nothing", async () => {
    expect(await check(first, [second], [claim(0n, 2n * ASKED)])).toMatchObject(unmintedAt(1));
    expect(await check(second, [ended], [claim(0n, 2n * ASKED)])).toMatchObject(unmintedAt(1));
  });

  test("the later one has its own shares", async () => {
    expect(await check(second, [ended], [claim(0n), claim(5n)])).toMatchObject({
      ...{ shows: "vault_claimed", claimTxHash: hashOf(2), shares: "5" },
    });
  });
});

test("announced shares of nothing count once the vault knows no request", async () => {
  const abi = parseAbi([
    "event DepositClaimable(address indexed controller, uint256 indexed requestId, uint256 assets, uint256 shares)",
  ]);
  const topics = encodeEventTopics({ abi, args: { controller: USER, requestId: 0n } });
  // It moves no tokens of the user.
  const announced = (value: bigint): Sent => ({
    ...{ to: VAULT, logs: [log(VAULT, topics, words(ASKED, value))] },
  });
  const hinted = [0];
  expect(await decide({ ...EMPTY, hinted, sent: [announced(0n)] })).toMatchObject(unmintedAt(0));
  expect(await decide({ ...EMPTY, hinted, sent: [announced(1n)] })).toBeNull();
  const open = { ...EMPTY, hinted, view: words(1n), zero: ["claimableDepositRequest", "maxMint"] };
  expect(await decide({ ...open, sent: [announced(0n)] })).toMatchObject({ shows: "vault_pending" });
});
