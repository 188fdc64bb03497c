import { eq } from "drizzle-orm";
import { type Address, concatHex, type Hex, keccak256, type Log, pad, size, toHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { addReportedHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { selectOtherRedemptions, selectWithdrawal } from "../../../src/db/queries/withdrawal-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { trackWithdrawal } from "../../../src/tracking/withdrawals/track-withdrawal.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { NOW, OTHER, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

/** Withdrawals of one account with one call, which a batch of its wallet makes several times. */
const BATCH: Hex = `0x${"b".repeat(64)}`;
const DESK: Address = "0x2222222222222222222222222222222222222222";
const CALL = concatHex(["0xabcdef12", pad("0x1")]);
const SHARES = 60n;
const { chainId } = testChain;

let causeway: TestDeployment;
beforeAll(async () => {
  causeway = await startTestDeployment();
});
afterAll(() => causeway?.close());
beforeEach(async () => {
  await causeway.db.delete(deposits);
  await causeway.db.delete(vaults);
});

type Kind = "instant" | "request";
const ADAPTERS = {
  instant: { adapter: "erc4626", params: {} },
  request: {
    adapter: "midas",
    params: {
      ...{ deposit: "request", recipient: "caller", redemption_vault: DESK },
      redeem_tokens: `${USDC}/6/USDC`,
    },
  },
} as const;

const idOf = (letter: string): string => `trk_${letter.repeat(32)}`;

async function store(
  kind: Kind,
  letters: readonly string[],
  changes: Readonly<Record<string, Partial<WithdrawalRow>>> = {},
): Promise<void> {
  const { adapter, params } = ADAPTERS[kind];
  const vault = vaultRow({ number: 1, chainId, address: VAULT, adapter });
  await causeway.db.insert(vaults).values({ ...vault, params, assetAddress: USDC.toLowerCase() });
  await causeway.db.insert(deposits).values(
    letters.map((letter) => ({
      ...{ ...withdrawalRow, trackingId: idOf(letter), ref: `0x${letter.repeat(64)}`, mode: kind },
      ...{ sourceTo: VAULT.toLowerCase(), sourceDataHash: keccak256(CALL) },
      ...{ fromAmount: SHARES.toString(), estimatedShares: SHARES.toString() },
      ...changes[letter],
    })),
  );
}

const redeemed = (assets: bigint, shares = SHARES): Log =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: USER, receiver: USER, owner: USER, assets, shares },
  ) as unknown as Log;
const gives = (to: Address, value = SHARES): Log => transferLog({ from: USER, to, value });
const pays = (value: bigint): Log => transferLog({ token: USDC, from: VAULT, value });
const redeem = (assets: bigint, shares = SHARES): Log[] => [
  gives(OTHER, shares),
  pays(assets),
  redeemed(assets, shares),
];
const request = (requestId: bigint): Log[] => [
  gives(DESK),
  eventLog(
    DESK,
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    { requestId, user: USER, tokenOut: USDC, amountMTokenIn: SHARES, feeAmount: 0n },
  ) as unknown as Log,
];

/** A batch that makes the call so many times, with these events. */
function batchOf(calls: number, events: readonly Log[]): TransactionOnChain {
  const packed = Array.from({ length: calls }, () => [toHex(size(CALL), { size: 32 }), CALL]).flat();
  const input = concatHex(["0x34fcd5be", ...packed]);
  const transaction = { hash: BATCH, from: USER, to: USER, input, value: 0n, gas: 1n };
  const called = eventLog(VAULT, "event Called()", {}) as unknown as Log;
  return { transaction, receipt: receiptOf(...events, called), confirmations: testChain.confirmations };
}

function chainOf(batch: TransactionOnChain) {
  const given = causeway.context();
  const definitions = new Map([[chainId, testChain]]);
  const ctx = { ...given, now: () => NOW, chains: { ...given.chains, definitions, client: () => null } };
  return { ctx, readTransaction: async () => batch };
}

const rowOf = async (letter: string): Promise<WithdrawalRow> => {
  const row = await selectWithdrawal(causeway.context().db, idOf(letter));
  if (row === null) throw new Error("no row");
  return row;
};

/** Tracks the withdrawals after a batch was reported for each, three times, and returns what each has. */
async function track(
  letters: readonly string[],
  { batch, together = false }: { batch: TransactionOnChain; together?: boolean },
): Promise<string[]> {
  const { ctx, readTransaction } = chainOf(batch);
  const trackOne = async (letter: string): Promise<void> => {
    const row = await rowOf(letter);
    const hint = { trackingId: row.trackingId, chainId, txHash: BATCH, origin: "report" } as const;
    const hints = [{ ...hint, droppedAt: null, notedAt: new Date(NOW) }];
    await trackWithdrawal(ctx, { row, readTransaction, hints });
  };
  for (let round = 0; round < 3; round += 1) {
    if (together) await Promise.all(letters.map(trackOne));
    else for (const letter of letters) await trackOne(letter);
  }
  const rows = await Promise.all(letters.map(rowOf));
  return rows.map(({ state, assets, requestId }) =>
    [state, assets ?? requestId].filter((one) => one !== null).join(" "),
  );
}

/** A redemption of which a token that charges transfers kept a part. */
const kept = [gives(OTHER), pays(8n), redeemed(9n)];

describe("of withdrawals with one call", () => {
  test.each([false, true])("each has one of as many redemptions, tracked at once: %s", async (together) => {
    await store("instant", ["1", "2"]);
    const batch = batchOf(2, [...redeem(9n), ...redeem(9n)]);
    expect(await track(["1", "2"], { batch, together })).toEqual(["completed 9", "completed 9"]);
  });

  test("each has a redemption of its own, where the vault rounds one of them down", async () => {
    await store("instant", ["1", "2"]);
    const batch = batchOf(2, [...redeem(9n), ...redeem(8n)]);
    expect(await track(["1", "2"], { batch })).toEqual(["completed 9", "completed 8"]);
    // Each is derived again as it is.
    const { ctx, readTransaction } = chainOf(batch);
    for (const letter of ["1", "2"]) {
      const { assets, trackingId } = await rowOf(letter);
      const change = { deliveredAmount: "1" };
      await causeway.db.update(deposits).set(change).where(eq(deposits.trackingId, trackingId));
      const again = await restateFromChains(ctx, { row: await rowOf(letter), known: [], readTransaction });
      expect(again).toMatchObject({ state: "completed", assets, deliveredAmount: assets });
    }
  });

  test("each has a request with an id of its own, which is another one's to the other", async () => {
    await store("request", ["1", "2"]);
    const batch = batchOf(2, [...request(7n), ...request(8n)]);
    expect(await track(["1", "2"], { batch })).toEqual(["requested 7", "requested 8"]);
    const { db } = causeway.context();
    const others = await selectOtherRedemptions(db, await rowOf("1"), { anyId: true });
    expect(others.map(({ requestId }) => requestId)).toEqual(["8"]);
    const elsewhere = { ...(await rowOf("1")), trackingId: idOf("3"), sourceTxHash: `0x${"c".repeat(64)}` };
    const both = await selectOtherRedemptions(db, elsewhere, { anyId: true });
    expect(both.map(({ requestId }) => requestId).sort()).toEqual(["7", "8"]);
  });

  test.each<[Kind, Log[], string[]]>([
    ["instant", [...redeem(9n), ...redeem(9n)], ["completed 9", "completed 9", "built"]],
    ["request", [...request(7n), ...request(8n)], ["requested 7", "requested 8", "built"]],
  ])("a third one has none of two (%s)", async (kind, events, shown) => {
    await store(kind, ["1", "2", "3"]);
    expect(await track(["1", "2", "3"], { batch: batchOf(2, events) })).toEqual(shown);
  });

  test.each<[string, Kind, Log[], string]>([
    ["the only redemption", "instant", redeem(9n), "completed 9"],
    ["the only payment", "instant", [...redeem(9n), gives(OTHER), redeemed(9n)], "completed 9"],
    ["the only shares that left", "instant", [...redeem(9n), pays(9n), redeemed(9n)], "completed 9"],
    ["the only payment, of which the token kept a part", "instant", kept, "completed 8"],
    ["the only request", "request", request(7n), "requested 7"],
  ])("only one has %s, whatever calldata the batch repeats", async (_what, kind, events, shown) => {
    await store(kind, ["1", "2"]);
    expect(await track(["1", "2"], { batch: batchOf(2, events) })).toEqual([shown, "built"]);
  });

  test("each has a request of its own, whichever has one that continues otherwise", async () => {
    const [stranger, user] = ["1", ["2", "3"]];
    const continued = { moveToken: OTHER.toLowerCase(), twoStep: true };
    await store("request", [...user, stranger], { [stranger]: continued });
    for (const letter of [...user, stranger]) {
      const hint = { trackingId: idOf(letter), chainId, txHash: BATCH, now: new Date(NOW) };
      await addReportedHint(causeway.context().db, hint);
    }
    const batch = batchOf(2, [...request(7n), ...request(8n)]);
    expect((await track([stranger, ...user], { batch })).slice(1).sort()).toEqual([
      "requested 7",
      "requested 8",
    ]);
  });

  test("none of all shares has a redemption of fewer, which another call made", async () => {
    await store("instant", ["1"], { 1: { fromAmount: "0" } });
    const batch = batchOf(2, [...redeem(5n, 50n), ...redeem(9n)]);
    expect(await track(["1"], { batch })).toEqual(["built"]);
  });
});
