import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { settlementTransitions } from "../../../src/tracking/deposits/deposit-request-settlement.ts";
import type { StoredVault } from "../../../src/vaults/vault.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient, head } from "../../support/chains/multicall.ts";
import { wireLog } from "../../support/chains/wire.ts";
import { testContext } from "../../support/context.ts";
import { row as built, OTHER, USDC, USER, VAULT, vault } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { fixedDatabase, storedOf } from "../../support/withdrawals/withdrawing.ts";

const abi = parseAbi([
  "function mintRequests(uint256) view returns (address sender, address tokenIn, uint8 status, uint256 depositedUsdAmount, uint256 usdAmountWithoutFees, uint256 tokenOutRate)",
  "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "event DepositRequestCanceled(uint256 indexed requestId, address indexed controller)",
  "event CancelDepositClaim(address indexed receiver, address indexed controller, uint256 indexed requestId, address sender, uint256 assets)",
]);
const hashOf = (value: number): Hex => numberToHex(value, { size: 32 });
const words = (...values: readonly bigint[]): Hex =>
  encodeAbiParameters(
    values.map(() => ({ type: "uint256" })),
    values,
  );
const REQUEST = hashOf(0x1111);
/** A contract of the vault that no registry entry names, such as Lagoon's silo. */
const SILO: Address = "0x00000000000000000000000000000000000051f0";
/** Block after the request's: no reorg replaces it any more. */
const FIRST = head.number - 1_000;
const ASKED = 100_000_000n;
const [TRANSFER] = transferLog().topics;
const row: DepositRow = { ...built, state: "requested", requestId: "7", depositTxHash: REQUEST };

/** A transaction in which the user received something, by default of another account's own. */
interface Sent {
  from?: Address;
  to?: Address;
  logs: readonly Log[];
}

const shares = (value: bigint, from: Address = zeroAddress) => transferLog({ from, value });
const assets = (from: Address, value = ASKED) => transferLog({ token: USDC, from, value });
const approvalOf = (requestId: bigint) =>
  log(VAULT, encodeEventTopics({ abi, eventName: "ApproveRequest", args: { requestId } }), words(1n));
const claimOf = (sender: Address, value: bigint, paid = ASKED) =>
  log(
    VAULT,
    encodeEventTopics({ abi, eventName: "Deposit", args: { sender, owner: USER } }),
    words(paid, value),
  );
const lagoonCancellation = (controller: Address) =>
  log(
    VAULT,
    encodeEventTopics({ abi, eventName: "DepositRequestCanceled", args: { requestId: 7n, controller } }),
    "0x",
  );
const standardCancellation = () =>
  log(
    VAULT,
    encodeEventTopics({
      ...{ abi, eventName: "CancelDepositClaim" },
      args: { receiver: USER, controller: USER, requestId: 7n },
    }),
    words(BigInt(USER), ASKED),
  );

const account = { account: USER };
const mellowAbi = parseAbi([
  "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
  "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
]);
const mellowClaim = log(
  VAULT,
  encodeEventTopics({ abi: mellowAbi, eventName: "DepositRequestClaimed", args: account }),
  words(5n, 1n),
);
const mellowCancellation = log(
  VAULT,
  encodeEventTopics({ abi: mellowAbi, eventName: "DepositRequestCanceled", args: account }),
  words(ASKED, 1n),
);
const laterAbi = parseAbi([
  "event ApproveRequest(uint256 indexed requestId, uint256 newOutRate, bool isSafe, bool isAvgRate)",
]);

const midasParams = { deposit: "request", recipient: "argument", asset_rate: "stable" };
const midas = storedOf({ ...vault, adapter: "midas", type: "midas", caller: "user", params: midasParams });
const lagoon = storedOf({ ...vault, adapter: "lagoon", caller: "user" });
const mellow = storedOf({
  ...vault,
  ...{ adapter: "mellow", type: "lido", caller: "user", params: { queue: "async" } },
});
/** What the views of a vault return for a request: of Midas the status, of Lagoon nothing pending or claimable. */
const statusView = (status: number): Hex =>
  encodeFunctionResult({ abi, functionName: "mintRequests", result: [USER, USDC, status, 0n, 0n, 0n] });
const APPROVED = { stored: midas, view: statusView(1) };
const REJECTED = { stored: midas, view: statusView(2) };
const EMPTY = { stored: lagoon, view: words(0n) };

interface Case {
  stored: StoredVault;
  view: Hex;
  sent: readonly Sent[];
  of?: DepositRow;
  others?: readonly DepositRow[];
}

/** A client whose logs show the transactions, one in each block after the request. */
function clientOf(view: Hex, sent: readonly Sent[]) {
  const reading = contractsClient(() => ({ ok: true, data: view }));
  const wire = sent.flatMap(({ logs }, at) =>
    logs.map(({ address, topics, data }, index) => {
      const event = { address: address.toLowerCase(), topics, data };
      return wireLog(event, { block: FIRST + at, txHash: hashOf(at), index });
    }),
  );
  return completeClient({
    ...reading,
    request: async (method: string, params: readonly unknown[]) =>
      method === "eth_getLogs"
        ? wire.filter(({ topics }) => topics[0] === TRANSFER)
        : reading.request(method, params),
  });
}

/** What one check after the other decides, with the number of transactions that each reads. */
async function* checks({ stored, view, sent, of = row, others = [] }: Case) {
  let answers = 0;
  let reads = 0;
  const db = fixedDatabase(() => (answers++ === 0 ? [stored] : others));
  const ctx = testContext({ clients: [clientOf(view, sent)], db });
  const readTransaction = async (_chainId: number, hash: Hex) => {
    reads += 1;
    const at = hash === REQUEST ? -1 : Number(hash);
    const { from = OTHER, to = OTHER, logs = [] } = sent[at] ?? {};
    return {
      transaction: { hash, from, to, input: "0x", value: 0n, gas: 1n } as const,
      receipt: { ...receiptOf(...logs), blockNumber: BigInt(FIRST + at) },
      confirmations: 50,
    };
  };
  for (;;) {
    [answers, reads] = [0, 0];
    const [end] = await settlementTransitions(ctx, { row: of, readTransaction });
    yield { end: end === undefined ? null : { ...end.event, ...end.change }, reads };
  }
}

/** What a check of the request decides: what the chain shows, and the transition's changes. */
async function decide(given: Case): Promise<object | null> {
  const { value } = await checks(given).next();
  return value?.end ?? null;
}

describe("settlementTransitions() of a rejected request", () => {
  test.each<[string, Sent]>([
    ["of an exchange that a solver sent", { logs: [shares(10n ** 20n, OTHER)] }],
    ["of one wei from a stranger", { logs: [shares(1n, OTHER)] }],
    ["of an instant deposit", { from: USER, to: VAULT, logs: [shares(10n ** 20n)] }],
  ])("does not take the shares %s", async (_what, sent) => {
    expect(await decide({ ...REJECTED, sent: [sent] })).toMatchObject({ shows: "vault_rejected" });
  });

  test("leaves the shares of another request to that one", async () => {
    const sent = [{ to: VAULT, logs: [shares(5n), approvalOf(8n)] }];
    const other: DepositRow = { ...row, trackingId: `trk_${"2".repeat(32)}`, requestId: "8" };
    const failed: DepositRow = { ...row, state: "failed" };
    expect(await decide({ ...REJECTED, sent, of: failed, others: [other] })).toMatchObject({
      shows: "vault_rejected",
    });
    // Nor does an approved one take them.
    expect(await decide({ ...APPROVED, sent, others: [other] })).toBeNull();
    expect(await decide({ ...APPROVED, sent, of: other, others: [failed] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5", claimTxHash: hashOf(0) },
    });
  });

  test("is refunded by anyone who pays its whole amount", async () => {
    expect(await decide({ ...REJECTED, sent: [{ logs: [assets(OTHER)] }] })).toMatchObject({
      ...{ shows: "refund", refundTxHash: hashOf(0), receivedAmount: String(ASKED) },
    });
    const ownCall = { from: USER, logs: [assets(OTHER)] };
    expect(await decide({ ...REJECTED, sent: [ownCall] })).toMatchObject({ shows: "vault_rejected" });
  });
});

describe("settlementTransitions() of a request that is gone", () => {
  const approval = { to: VAULT, logs: [shares(5n), approvalOf(7n)] };
  const claim = { from: USER, to: VAULT, logs: [shares(5n, VAULT), claimOf(USER, 5n)] };

  test.each([
    ["Midas", { ...APPROVED, settled: approval }],
    ["Lagoon", { ...EMPTY, settled: claim }],
  ])("%s: takes the shares of its own event only", async (_name, { settled, ...world }) => {
    const dust = { logs: [shares(1n, OTHER)] };
    const instant = { from: USER, to: VAULT, logs: [shares(9n)] };
    expect(await decide({ ...world, sent: [dust, instant, settled] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5", claimTxHash: hashOf(2) },
    });
    expect(await decide({ ...world, sent: [dust, instant] })).toBeNull();
  });

  test("has the shares of all claims that together are for its assets", async () => {
    const part = (paid: bigint, value: bigint): Sent => {
      const logs = [shares(value, VAULT), claimOf(USER, value, paid)];
      return { from: USER, to: VAULT, logs };
    };
    const dust = { logs: [shares(1n, OTHER)] };
    const parts = [part(ASKED / 4n, 2n), dust, part((ASKED * 3n) / 4n, 6n)];
    expect(await decide({ ...EMPTY, sent: [...parts, claim] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "8", claimTxHash: hashOf(2) },
    });
    // What a rounding leaves is no further part.
    expect(await decide({ ...EMPTY, sent: [part(ASKED - 1n, 5n), dust] })).toMatchObject({ shares: "5" });
    // Another request may have been claimed with it.
    expect(await decide({ ...EMPTY, sent: [part(ASKED / 4n, 2n), claim] })).toMatchObject({ shares: null });
  });

  test("does not take the shares of a claim that a stranger gave away", async () => {
    const given = { to: VAULT, logs: [shares(1n, VAULT), claimOf(OTHER, 1n)] };
    expect(await decide({ ...EMPTY, sent: [given] })).toBeNull();
    expect(await decide({ ...EMPTY, sent: [given, claim] })).toMatchObject({ claimTxHash: hashOf(1) });
  });

  test.each([
    ["Midas", { ...APPROVED, settled: approval }],
    ["Lagoon", { ...EMPTY, settled: claim }],
  ])("%s: is not refunded by a payment of the same amount", async (_name, { settled, ...world }) => {
    const payment = { logs: [assets(OTHER)] };
    expect(await decide({ ...world, sent: [payment, settled] })).toMatchObject({ shows: "vault_claimed" });
    expect(await decide({ ...world, sent: [payment] })).toBeNull();
  });

  test("is refunded when its vault pays, unless shares arrived", async () => {
    const paid = { logs: [assets(VAULT)] };
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    expect(await decide({ ...EMPTY, sent: [paid] })).toMatchObject(refunded);
    expect(await decide({ ...EMPTY, sent: [paid, claim] })).toMatchObject({ shows: "vault_claimed" });
  });

  test.each<[string, StoredVault, DepositRow, Sent]>([
    ["Lagoon", lagoon, row, { from: USER, logs: [assets(SILO), lagoonCancellation(USER)] }],
    ["ERC-7887", lagoon, row, { from: USER, logs: [assets(SILO), standardCancellation()] }],
    [
      "Mellow",
      mellow,
      { ...row, requestId: null },
      { from: USER, logs: [assets(VAULT), mellowCancellation] },
    ],
  ])("%s: a cancellation refunds it, whatever a later request brings", async (_what, stored, of, sent) => {
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    const world = { view: words(0n, 0n), stored, of };
    const next = { from: USER, to: VAULT, logs: [shares(5n, VAULT), claimOf(USER, 5n), mellowClaim] };
    expect(await decide({ ...world, sent: [sent] })).toMatchObject(refunded);
    expect(await decide({ ...world, sent: [sent, next] })).toMatchObject(refunded);
    expect(await decide({ ...world, sent: [next] })).toMatchObject({ shows: "vault_claimed" });
  });

  test("is not refunded by the cancellation of another one", async () => {
    const cancelled = { from: USER, logs: [assets(SILO), lagoonCancellation(USER)] };
    expect(await decide({ ...EMPTY, of: { ...row, requestId: "6" }, sent: [cancelled] })).toBeNull();
  });

  test("is approved by the event with two flags, too", async () => {
    const flags = log(
      VAULT,
      encodeEventTopics({ abi: laterAbi, eventName: "ApproveRequest", args: { requestId: 7n } }),
      words(1n, 1n, 0n),
    );
    expect(await decide({ ...APPROVED, sent: [{ to: VAULT, logs: [shares(5n), flags] }] })).toMatchObject({
      ...{ shows: "vault_claimed", shares: "5" },
    });
  });

  test("is not refunded with another account's request, or by a part", async () => {
    const theirs = { logs: [assets(SILO), lagoonCancellation(OTHER)] };
    const part = { logs: [assets(VAULT, ASKED - 1n)] };
    expect(await decide({ ...EMPTY, sent: [theirs, part] })).toBeNull();
  });

  test("reads a limited number of transactions at a time, however many a stranger sends", async () => {
    const dust = Array.from({ length: 100 }, () => ({ logs: [shares(1n, OTHER)] }));
    const seen = [];
    for await (const one of checks({ ...APPROVED, sent: [...dust, approval] })) {
      seen.push(one);
      if (one.end !== null || seen.length === 4) break;
    }
    expect(seen.map(({ reads }) => reads)).toEqual([41, 41, 22]);
    expect(seen.at(-1)?.end).toMatchObject({ shows: "vault_claimed", claimTxHash: hashOf(100) });
  });

  test("takes no payment for a refund while shares may be among the transactions that are left", async () => {
    const dust = Array.from({ length: 50 }, () => ({ logs: [shares(1n, OTHER)] }));
    const paid = { logs: [assets(VAULT)] };
    const ends = async (sent: readonly Sent[]) => {
      const seen = checks({ ...EMPTY, sent });
      return [(await seen.next()).value?.end, (await seen.next()).value?.end];
    };
    const claimed = { shows: "vault_claimed", claimTxHash: hashOf(51) };
    expect(await ends([paid, ...dust, claim])).toEqual([null, expect.objectContaining(claimed)]);
    const refunded = { shows: "refund", refundTxHash: hashOf(0) };
    expect(await ends([paid, ...dust])).toEqual([null, expect.objectContaining(refunded)]);
  });

  test("fails a rejected request only once all transactions are judged", async () => {
    const dust = Array.from({ length: 50 }, () => ({ logs: [shares(1n, OTHER)] }));
    const refunds = checks({ ...REJECTED, sent: [...dust, { logs: [assets(OTHER)] }] });
    expect((await refunds.next()).value?.end).toBeNull();
    expect((await refunds.next()).value?.end).toMatchObject({ shows: "refund" });
  });
});
