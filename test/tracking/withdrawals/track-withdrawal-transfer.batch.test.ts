import { type Address, concatHex, type Hex, keccak256, type Log, pad, size, toHex, zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import type { BuiltTransfer } from "../../../src/db/queries/withdrawal-queries.ts";
import { readSentAmount } from "../../../src/tracking/withdrawals/sent-transfer.ts";
import { findBuiltTransfer } from "../../../src/tracking/withdrawals/track-withdrawal-transfer.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER, VAULT, WETH } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { clientOf, home } from "../../support/withdrawals/fixtures.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase } from "../../support/withdrawals/withdrawing.ts";

/** What a second step that swaps on the vault's chain has brought, where a batch has other payments to the user too. */
const HASH: Hex = `0x${"22".repeat(32)}`;
const CALL = concatHex(["0xabcdef12", pad("0x1")]);
const row: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "awaiting_transfer", twoStep: true, assets: "60", moveToken: WETH.toLowerCase() },
};
const built: BuiltTransfer = {
  ...{ trackingId: row.trackingId, dataHash: keccak256(CALL), target: OTHER.toLowerCase() },
  ...{ provider: "kyber", bridge: null, tool: null, amount: "60", least: "5", builtAt: row.createdAt },
};

const pays = (value: bigint, token: Address = USDC): Log =>
  transferLog({ token, from: USER, to: OTHER, value });
const gets = (value: bigint, from: Address = OTHER): Log => transferLog({ token: WETH, from, value });
const burns = transferLog({ token: VAULT, from: USER, to: zeroAddress, value: 9n });

/** Returns what the second step is taken to have delivered, in a batch of the account with these events. */
function deliveredIn(logs: readonly Log[], change: { to?: Address; input?: Hex } = {}) {
  const batch = concatHex(["0x34fcd5be", toHex(size(CALL), { size: 32 }), CALL]);
  const { to = USER, input = batch } = change;
  const numbered = [...logs, log(OTHER, [HASH], "0x")].map((one, logIndex) => ({ ...one, logIndex }));
  const found = findBuiltTransfer(testContext({ clients: [clientOf(home)] }), {
    ...{ row, built: [built], hash: HASH },
    seen: {
      transaction: { hash: HASH, from: USER, to, input, value: 0n, gas: 1n },
      receipt: receiptOf(...numbered),
      confirmations: 1_000,
    },
  });
  return found?.transition.change.deliveredAmount;
}

test.each<[string, Log[], string | null]>([
  ["its own payment", [pays(60n), gets(7n)], "7"],
  ["its own, before that of another swap", [pays(60n), gets(7n), pays(40n), gets(5n)], "7"],
  ["its own, after that of another swap", [pays(40n), gets(5n), pays(60n), gets(7n)], "7"],
  ["its own, before that of a redemption", [pays(60n), gets(7n), burns, gets(8n, VAULT)], "7"],
  ["no known amount, if a further one may be of another call", [pays(60n), gets(7n), gets(8n, VAULT)], null],
  ["no known amount of two equal payments", [pays(60n), gets(7n), pays(60n), gets(8n)], null],
  ["no known amount below the least", [pays(60n), gets(4n)], null],
])("a swap within a batch has delivered %s", (_what, logs, amount) => {
  expect(deliveredIn(logs)).toBe(amount);
});

test("a swap that the user calls alone has delivered all that arrived", () => {
  expect(deliveredIn([pays(60n), gets(7n), gets(8n)], { to: OTHER, input: CALL })).toBe("15");
});

test("a second step has taken what it was built for, which a rebasing token rounds down from the payment", async () => {
  const sent: WithdrawalRow = { ...row, state: "bridging", depositTxHash: HASH, depositProven: true };
  const transaction = { hash: HASH, from: USER, to: OTHER, input: CALL, value: 0n, gas: 1n };
  const takenOf = (assets: string, transfers: readonly BuiltTransfer[]) =>
    readSentAmount(testContext({ db: fixedDatabase(() => transfers) }), {
      row: { ...sent, assets },
      readTransaction: async () => ({ transaction, receipt: receiptOf(pays(60n)), confirmations: 1_000 }),
    });
  expect(await takenOf("61", [built])).toBe(60n);
  expect(await takenOf("60", [built])).toBe(60n);
  // Steps that were built long ago are not kept.
  expect(await takenOf("61", [])).toBe(61n);
  expect(await takenOf("61", [{ ...built, dataHash: HASH }])).toBe(61n);
});
