import { concatHex, encodeEventTopics, type Hex, type Log, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import type { DepositHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { MAX_UNPROVING } from "../../../src/tracking/track-token-transfers.ts";
import { exitRequestTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-request.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient, head } from "../../support/chains/multicall.ts";
import { wireLog } from "../../support/chains/wire.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

const SOURCE: Hex = `0x${"11".repeat(32)}`;
const SHARES = 100_000_000_000_000_000_000n;
const PAID = 100_500_000n;
/** Block after the request's: no reorg replaces it any more. */
const FIRST = head.number - 1_000;
const requested: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "requested", mode: "request", requestId: "0", shares: String(SHARES), sourceProven: true },
  ...{ sourceTo: VAULT.toLowerCase(), sourceTxHash: SOURCE },
};
const abi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);
const hashOf = (value: number): Hex => numberToHex(value, { size: 32 });
const pays = (from = VAULT, value = PAID) => transferLog({ token: USDC, from, value });
const dust = [pays(OTHER, 1n)];

/** A claim of some of the shares, which pays the same part of the assets. */
function claim(part: bigint): Log[] {
  const args = { sender: USER, receiver: USER, owner: USER };
  const topics = encodeEventTopics({ abi, eventName: "Withdraw", args });
  const [assets, shares] = [PAID / part, SHARES / part];
  const data = concatHex([assets, shares].map((value) => numberToHex(value, { size: 32 })));
  return [pays(VAULT, assets), log(VAULT, topics, data)];
}

/**
 * What three checks conclude where the vault reports no request any more, with the transactions that each reads. Those
 * at the places `reported` are hints of each check.
 */
async function check(sent: readonly (readonly Log[])[], reported: readonly number[] = []) {
  const hints = reported.map((at): DepositHint => {
    const { trackingId, vaultChainId: chainId, createdAt: notedAt } = requested;
    return { trackingId, chainId, txHash: hashOf(at), origin: "report", notedAt, droppedAt: null };
  });
  const stored = storedOf({ ...vault, adapter: "lagoon", caller: "user" });
  const reading = contractsClient(() => ({ ok: true, data: numberToHex(0n, { size: 32 }) }));
  const wire = sent.flatMap(([first], at) => {
    if (first === undefined) return [];
    const event = { address: first.address.toLowerCase(), topics: first.topics, data: first.data };
    return wireLog(event, { block: FIRST + at, txHash: hashOf(at) });
  });
  const client = completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_getLogs" ? wire : reading.request(method, params),
  });
  let [answers, reads] = [0, 0];
  const db = fixedDatabase(() => (answers++ === 0 ? [stored] : []));
  const ctx = testContext({ db, nowMs: NOW, clients: [client] });
  const seen: { reads: number; end: unknown }[] = [];
  for (let time = 0; time < 3; time += 1) {
    [answers, reads] = [0, 0];
    const { transitions } = await exitRequestTransitions(ctx, {
      ...{ row: requested, hints },
      readTransaction: async (_chainId, hash) => {
        reads += 1;
        const at = hash === SOURCE ? -1 : Number(hash);
        const receipt = { ...receiptOf(...(sent[at] ?? [])), blockNumber: BigInt(FIRST + at) };
        return { transaction: null, receipt, confirmations: 50 };
      },
    });
    const [{ event, change } = {}] = transitions;
    const shows = event !== undefined && "shows" in event ? event.shows : null;
    seen.push({ reads, end: shows === null ? null : { shows, assets: change?.assets } });
  }
  return seen;
}

const paid = { shows: "token_paid", assets: String(PAID) };

test("a payment is found among many others, of which a check reads a limited number", async () => {
  const sent = [...Array.from({ length: 60 }, () => dust), claim(1n)];
  expect(await check(sent)).toEqual([
    { reads: 41, end: null },
    { reads: 22, end: paid },
    { reads: 22, end: paid },
  ]);
});

test("a part of a payment is not all of it while others may be among the transactions left", async () => {
  const sent = [claim(2n), ...Array.from({ length: 60 }, () => dust), claim(2n)];
  expect((await check(sent)).slice(0, 2)).toEqual([
    { reads: 42, end: null },
    { reads: 23, end: paid },
  ]);
});

test("payments of a request in any number of parts are read together", async () => {
  const sent = [...Array.from({ length: 50 }, () => claim(50n)), dust];
  expect((await check(sent))[0]).toEqual({ reads: 52, end: paid });
});

test("a payment is not passed over where many others after it are reported", async () => {
  const others = Array.from({ length: MAX_UNPROVING + 1 }, (_, index) => index + 1);
  const sent = [claim(1n), ...others.map(() => dust)];
  expect((await check(sent, others))[0]).toEqual({ reads: others.length + 2, end: paid });
});

test("a payment is found among more others than a check reads, however many of them are reported", async () => {
  const sent = [
    ...Array.from({ length: 60 }, () => dust),
    claim(1n),
    ...Array.from({ length: 60 }, () => dust),
  ];
  const reported = Array.from({ length: MAX_UNPROVING + 1 }, (_, index) => sent.length - 1 - index);
  const ends = (await check(sent, reported)).map(({ end }) => end);
  expect(ends).toEqual([null, paid, paid]);
});
