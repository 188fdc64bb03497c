import { concat, type Hex, type Log, numberToHex, pad } from "viem";
import { expect, test } from "vitest";
import { exitRequestTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-request.ts";
import {
  hashRequest,
  queueRequestId,
  unpackRequest,
} from "../../../src/vaults/families/veda/veda-queue-requests.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient, head } from "../../support/chains/multicall.ts";
import { wireLog } from "../../support/chains/wire.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, vault } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

const SOURCE: Hex = `0x${"11".repeat(32)}`;
const [OLD, NEW] = [
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
] as const;
/** Block after the request's: no reorg replaces it any more. */
const FIRST = head.number - 1_000;

const vaultWith = (params: Vault["params"]): Vault => ({
  ...vault,
  ...{ adapter: "veda", type: "veda", caller: "user", params: { teller: "d", ...params } },
});
const before = vaultWith({ withdraw_queue: NEW });
const listed = vaultWith({ withdraw_queue: NEW, queue_requests: `${OLD},${NEW}` });

/** The id of a request for 5 USDC in the first of the vault's queues. */
function idOf(nonce: bigint): string {
  const fields = { nonce, assetOut: USDC, amountOfShares: 7n, amountOfAssets: 5n } as const;
  const times = { creationTime: 1_700_000_000, secondsToMaturity: 60, secondsToDeadline: 600 };
  return queueRequestId(listed, { queue: OLD, request: { ...fields, ...times } }) ?? "";
}
function solvedAt(queue: typeof OLD | typeof NEW, requestId: string): Log {
  const request = unpackRequest(requestId, USER);
  if (request === null) throw new Error("no request");
  const abi =
    "event OnChainWithdrawSolved(bytes32 indexed requestId, address indexed user, uint256 timestamp)";
  const values = { requestId: hashRequest(request), user: USER, timestamp: 1n };
  return eventLog(queue, abi, values) as unknown as Log;
}
const pays = (value: bigint, from: Hex = OTHER) => transferLog({ token: USDC, from, value });

/** What two checks conclude, of the request and with the registry entry of each, after these transactions. */
async function check(sent: readonly Log[][], checks: readonly { id: string; as: Vault }[]) {
  const wire = sent.flatMap(([first], at) => {
    if (first === undefined) return [];
    const event = { address: first.address.toLowerCase(), topics: first.topics, data: first.data };
    return wireLog(event, { block: FIRST + at, txHash: numberToHex(at, { size: 32 }) });
  });
  // No queue has a request any more.
  const reading = contractsClient(() => ({ ok: true, data: concat([pad("0x20"), pad("0x")]) }));
  const client = completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_getLogs" ? wire : reading.request(method, params),
  });
  let [answers, as] = [0, before];
  const db = fixedDatabase(() => (answers++ === 0 ? [storedOf(as)] : []));
  const ctx = testContext({ db, nowMs: NOW, clients: [client] });
  const ends: (string | null)[] = [];
  for (const one of checks) {
    [answers, as] = [0, one.as];
    const { transitions } = await exitRequestTransitions(ctx, {
      row: {
        ...withdrawalRow,
        ...{ state: "requested", mode: "request", requestId: one.id, shares: "7", sourceProven: true },
        ...{ sourceTo: OLD, sourceTxHash: SOURCE },
      },
      hints: [],
      readTransaction: async (_chainId, hash) => {
        const at = hash === SOURCE ? -1 : Number(hash);
        const receipt = { ...receiptOf(...(sent[at] ?? [])), blockNumber: BigInt(FIRST + at) };
        return { transaction: null, receipt, confirmations: 50 };
      },
    });
    const [{ event } = {}] = transitions;
    ends.push(event !== undefined && "shows" in event ? event.shows : null);
  }
  return ends;
}
/** More transactions than one check reads, so that the next one goes on after them. */
const dust = Array.from({ length: 60 }, () => [pays(1n)]);

test("a payment that an earlier check passed over is found once the registry names its queue", async () => {
  const id = idOf(1n);
  const sent = [[pays(5n, OLD), solvedAt(OLD, id)], ...dust];
  const unlisted = { id, as: before };
  expect(await check(sent, [unlisted, unlisted, { id, as: listed }])).toEqual([null, null, "token_paid"]);
});

test("a payment of the request that took another one's place is found, although it was passed over", async () => {
  const [replaced, next] = [idOf(1n), idOf(2n)];
  const sent = [[pays(5n, OLD), solvedAt(OLD, next)], ...dust];
  const checks = [replaced, replaced, next].map((id) => ({ id, as: listed }));
  expect(await check(sent, checks)).toEqual([null, null, "token_paid"]);
});
