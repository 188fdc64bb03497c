import { concat, type Hex, keccak256, type Log, pad } from "viem";
import { expect, test } from "vitest";
import { vedaExits } from "../../../src/vaults/families/veda/veda-exits.ts";
import { USDC, USER, vault } from "../../support/deposits/fixtures.ts";
import { transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { askedAt, checkRequest, hashAt } from "../../support/withdrawals/several-requests.ts";

/** A request in Veda's queue that its owner replaced there: the queue cancels it and takes another for its shares. */
const QUEUE = "0x2222222222222222222222222222222222222222";
const params = { teller: "d", withdraw_queue: QUEUE };
const requested = (nonce: bigint, amountOfAssets: bigint) =>
  eventLog(
    QUEUE,
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
    {
      ...{ requestId: hashAt(0), user: USER, assetOut: USDC, nonce, amountOfShares: 100n, amountOfAssets },
      ...{ creationTime: 1_700_000_000, secondsToMaturity: 60, secondsToDeadline: 600 },
    },
  ) as unknown as Log;
/** The id of a request: its fields without the user. */
const idOf = (log: Log) => {
  const found = vedaExits.findRequest?.({ ...vault, params }, { user: USER, logs: [log] });
  if (typeof found?.requestId !== "string") throw new Error("no request");
  return found.requestId;
};
/** The queue's hash of a request: each of its fields in a word of its own. */
const hashOf = (log: Log): Hex => {
  const [nonce, shares, assets, ...times] = (log.data.slice(2).match(/.{64}/g) ?? []) as string[];
  const words = [nonce, pad(USER).slice(2), pad(USDC).slice(2), shares, assets, ...times];
  return keccak256(`0x${words.join("").toLowerCase()}`);
};
const cancelled = (log: Log) =>
  eventLog(
    QUEUE,
    "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
    { requestId: hashOf(log), user: USER, timestamp: 1_700_000_100n },
  ) as unknown as Log;

const [first, second] = [requested(1n, 120n), requested(2n, 118n)];
const row = askedAt(0, { shares: "100", requestId: idOf(first) });
/** The queue no longer has the request: its list of ids is empty here. */
const views = { "getRequestIds()": concat([pad("0x20"), pad("0x")]) };
const check = (logs: Log[]) =>
  checkRequest({ adapter: "veda", params, sent: [[first], logs], row, hinted: [1], views });

test("stays open under the id of its successor, and reads the hints again for its end", async () => {
  expect(await check([cancelled(first), second])).toMatchObject({
    ...{ shows: "request_pending", change: { requestId: idOf(second) }, undecided: [hashAt(1)] },
  });
});

test("ends if its shares were returned before the next request, or without one", async () => {
  const back = transferLog({ token: vault.shareToken, from: QUEUE, value: 100n });
  const again = transferLog({ token: vault.shareToken, from: USER, value: 100n });
  for (const logs of [
    [back, cancelled(first), again, second],
    [back, cancelled(first)],
  ])
    expect(await check(logs)).toMatchObject({ shows: "request_cancelled" });
});
