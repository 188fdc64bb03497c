import { type Log, numberToHex } from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import {
  findMidasSettlement,
  midasPending,
  midasTakenOut,
} from "../../../../src/vaults/families/midas/midas-redemption-requests.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const WAD = 10n ** 18n;
const REDEMPTIONS = "0x2222222222222222222222222222222222222222";
const TOKEN = "0x3333333333333333333333333333333333333333";
const own: Vault = {
  ...vault,
  adapter: "midas",
  params: {
    ...{ redemption_vault: REDEMPTIONS, asset_rate: "stable" },
    redeem_tokens: `${TOKEN}/18/DAI`,
  },
};

/**
 * Returns the user's request for 2 mTokens, paid in a token of 18 decimals, in this status. An mToken costs 1.5 dollars
 * now and cost 1 dollar when it was made.
 */
const pendingAt = (status: number, price: object = { "mToken/rate": (3n * WAD) / 2n }) =>
  answer(midasPending(own, { user: USER, requestIds: ["7"] }), {
    "7": [USER, TOKEN, status, 2n * WAD, WAD, WAD],
    ...Object.fromEntries(Object.entries(price).map(([name, value]) => [`rates/${name}`, value])),
  });

test("an open request is worth its payment at today's price, a rejected one nothing", () => {
  expect(pendingAt(0)).toMatchObject([{ state: "pending", assets: 3n * WAD, value: 3_000_000n }]);
  expect(pendingAt(2)).toMatchObject([{ state: "rejected", assets: 0n, value: 0n }]);
});

test("the worth of an open request is unknown without today's price", () => {
  expect(pendingAt(0, {})).toMatchObject([{ shares: 2n * WAD, assets: null, value: null }]);
  expect(pendingAt(2, {})).toMatchObject([{ state: "rejected", assets: 0n, value: 0n }]);
});

/** Reads the user's request, and what it has paid, from a contract that answers with these words. */
async function readFrom(words: readonly bigint[]) {
  const data = `0x${words.map((word) => numberToHex(word, { size: 32 }).slice(2)).join("")}` as const;
  const price = numberToHex((3n * WAD) / 2n, { size: 32 });
  const client = contractsClient(({ to }) => ({ ok: true, data: to === REDEMPTIONS ? data : price }));
  const flows = [{ kind: "withdrawal", requestId: "7", assets: null, shares: null }] as const;
  const [pending, paid] = [
    midasPending(own, { user: USER, requestIds: ["7"] }),
    midasTakenOut(own, { user: USER, flows }),
  ];
  return [(await runQuery(client, pending)).value, (await runQuery(client, paid)).value];
}

test("a request of another layout, such as one with a fee before the mTokens, is unknown", async () => {
  const [head, rates] = [
    [BigInt(USER), BigInt(TOKEN), 0n],
    [(3n * WAD) / 2n, WAD],
  ];
  const open = [{ requestId: "7", shares: 2n * WAD, assets: 3n * WAD }];
  expect(await readFrom([...head, 2n * WAD, ...rates])).toMatchObject([open, 0n]);
  expect(await readFrom([...head, 50n, 2n * WAD, ...rates, 0n])).toEqual([null, null]);
  expect(await readFrom([...head, 2n * WAD, ...rates, 0n])).toEqual([null, null]);
  expect(await readFrom([...head, 2n * WAD])).toEqual([null, null]);
});

/** An administrator's approval of a request, and its payment to the user, which comes first. */
const approved = (requestId: bigint): Log =>
  eventLog(REDEMPTIONS, "event SafeApproveRequest(uint256 indexed requestId, uint256 newMTokenRate)", {
    requestId,
    newMTokenRate: WAD,
  }) as unknown as Log;
const paid = (value: bigint): Log => transferLog({ token: TOKEN, from: REDEMPTIONS, value });

test.each<[string, Log[], bigint | null]>([
  ["alone", [paid(5n), approved(7n)], 5n],
  ["after another one", [paid(3n), approved(6n), paid(5n), approved(7n)], 5n],
  ["before another one", [paid(5n), approved(7n), paid(3n), approved(8n)], 5n],
  ["before its payment", [approved(7n), paid(5n)], 5n],
  ["with an unknown part", [paid(5n), paid(3n), approved(7n)], null],
])("a request that is approved %s has what was paid for it", (_how, logs, assets) => {
  const found = findMidasSettlement(own, { user: USER, requestId: "7", logs });
  expect(found).toEqual({ outcome: "paid", assets, alone: true });
});
