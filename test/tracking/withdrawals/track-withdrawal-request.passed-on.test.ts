import { type Address, concatHex, type Hex, keccak256, type Log, numberToHex, pad } from "viem";
import { describe, expect, test } from "vitest";
import type { BuiltTransfer } from "../../../src/db/queries/withdrawal-queries.ts";
import { findBuiltTransfer } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { tokenList } from "../../../src/vaults/vault-params.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt, type Requests } from "../../support/withdrawals/several-requests.ts";
import { claims } from "../../support/withdrawals/shared-logs.ts";

/** Claims of a smart account whose batch passes the money on at once: to an exchange, a bridge or another vault. */
const sentOn = (value: bigint, to = OTHER): Log => transferLog({ token: USDC, from: USER, to, value });
const arrival = (value: bigint, from = OTHER): Log => transferLog({ token: USDC, from, value });
const SWAPPER: Address = "0x1111111111111111111111111111111111111111";
const paid = (place: number, assets: string | null) => ({
  ...{ shows: "token_paid", change: { claimTxHash: hashAt(place), assets, deliveredAmount: assets } },
});

describe("a claim at a vault whose event names the amount", () => {
  const first = askedAt(0, { shares: "100" });
  const second = askedAt(2, { shares: "50" });
  const check = (scene: Omit<Requests, "adapter">) => checkRequest({ adapter: "lagoon", ...scene });
  const seen = (...more: Log[]) => check({ sent: [[], [...claims(100n), ...more]], row: first });

  test.each([
    ["passes all of it on", [sentOn(200n)], "200"],
    ["passes a part of it on", [sentOn(180n)], "200"],
    ["deposits it into the same vault again", [sentOn(200n, VAULT)], null],
    ["passes more on than it paid", [sentOn(300n)], "200"],
    ["passes all of it on and gets some back", [sentOn(200n), arrival(20n)], "200"],
  ])("ends its request also if its batch %s", async (_what, more, assets) => {
    expect(await seen(...more)).toMatchObject(paid(1, assets));
  });

  test("paid no more than what arrived from others", async () => {
    const [, event] = claims(100n);
    const sent = (...logs: Log[]) => check({ sent: [[], [...logs, event as Log]], row: first });
    expect(await sent(arrival(70n, VAULT), sentOn(70n))).toMatchObject(paid(1, "70"));
    expect(await sent(sentOn(200n, USER))).toMatchObject({ shows: null });
    expect(await sent(arrival(0n, VAULT))).toMatchObject({ shows: null });
  });

  test("leaves the next claim to the next request", async () => {
    const sent = [[], [...claims(100n), sentOn(200n)], [], claims(50n)];
    expect(await check({ sent, row: first })).toMatchObject(paid(1, "200"));
    const ended = { ...first, state: "completed", claimTxHash: hashAt(1), assets: "200" } as const;
    expect(await check({ sent, row: second, others: [ended] })).toMatchObject(paid(3, "100"));
  });
});

describe("a claim at a vault whose event names no amount", () => {
  const approval = eventLog(VAULT, "event ApproveRequest(uint256 indexed requestId, uint256 newMTokenRate)", {
    requestId: 4n,
    newMTokenRate: 1n,
  }) as unknown as Log;
  const params = {
    ...{ deposit: "request", recipient: "caller", redemption_vault: VAULT },
    redeem_tokens: tokenList([vault.asset]),
  };
  const approved = concatHex([
    pad(USER),
    pad(USDC),
    ...[1n, 100n, 1n, 1n].map((word) => numberToHex(word, { size: 32 })),
  ]);
  const row = askedAt(0, { shares: "100", requestId: "4" });
  const check = (...logs: Log[]) =>
    checkRequest({
      ...{ adapter: "midas", params, row, hinted: [1] },
      ...{ sent: [[], [...logs, approval]], views: { "redeemRequests(uint256)": approved } },
    });

  test("paid the only amount that arrived, also if it is passed on", async () => {
    for (const gift of [[], [arrival(0n)]])
      expect(await check(arrival(200n, VAULT), ...gift, sentOn(180n))).toMatchObject(paid(1, "200"));
    expect(await check(arrival(0n, VAULT), arrival(0n), sentOn(180n))).toMatchObject({ shows: null });
  });

  test("paid an unknown amount if several arrived and some was passed on", async () => {
    expect(await check(arrival(200n, VAULT), arrival(3n))).toMatchObject(paid(1, "203"));
    for (const rest of [203n, 180n])
      expect(await check(arrival(200n, VAULT), arrival(3n), sentOn(rest))).toMatchObject(paid(1, null));
  });
});

test("a swap of a second step delivered what arrived, also if its batch passes it on", () => {
  const call: Hex = `0x12345678${"5a".repeat(96)}`;
  const input = concatHex([numberToHex(100, { size: 32 }), call]);
  const built = {
    ...{ target: SWAPPER, dataHash: keccak256(call), amount: "200", least: "90" },
    ...{ provider: "lifi", bridge: null, tool: null },
  } as unknown as BuiltTransfer;
  const of = (token: Address, log: Log): Log => ({ ...log, address: token });
  const delivered = (...more: Log[]) => {
    const logs = [of(USDC, sentOn(200n, SWAPPER)), of(WETH, arrival(100n, SWAPPER)), ...more];
    const called = { ...arrival(1n), address: SWAPPER };
    const transaction = { hash: hashAt(0), from: OTHER, to: USER, input, value: 0n, gas: 1n };
    const row = { ...askedAt(0, { shares: "100" }), moveToken: WETH.toLowerCase() };
    const seen = { transaction, receipt: receiptOf(...logs, called), confirmations: 50 };
    const ctx = testContext({ clients: [contractsClient(() => ({ ok: false, data: "0x" }))] });
    return findBuiltTransfer(ctx, { row, built: [built], hash: hashAt(0), seen })?.transition.change;
  };
  for (const value of [100n, 60n])
    expect(delivered(of(WETH, sentOn(value)))).toMatchObject({ deliveredAmount: "100" });
  expect(delivered()).toMatchObject({ deliveredAmount: "100" });
  const back = [sentOn(60n), arrival(30n)].map((log) => of(WETH, log));
  // What comes after the user has spent something is of another call.
  expect(delivered(...back)).toMatchObject({ deliveredAmount: "100" });
});
