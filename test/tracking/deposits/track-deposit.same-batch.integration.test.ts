import { eq } from "drizzle-orm";
import { concatHex, type Hex, keccak256, type Log, pad, size, toHex } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { vaultRow } from "../../../scripts/bench/vault-row.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import { selectOtherRequests } from "../../../src/db/queries/deposit-evidence-queries.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import { deposits } from "../../../src/db/tables/deposit-tables.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { isProvenBy } from "../../../src/status/status-transaction-match.ts";
import { restateFromChains } from "../../../src/tracking/deposits/deposit-evidence.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { provingTransactions } from "../../../src/tracking/deposits/track-deposit-evidence.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { NOW, OTHER, row, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";
import { depositRequestLog, receiptOf, transferLog } from "../../support/deposits/logs.ts";

/** Deposits of one account into one vault that one batch of its wallet makes: one transaction proves all of them. */
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`;
const [BATCH, DELIVERY] = [hashOf("b"), hashOf("d")];
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

/** One deposit of the test: what it pays in which call, whether as a second step, and the deposit that it continues. */
interface Part {
  letter: string;
  amount: bigint;
  call?: string;
  second?: true;
  parent?: Part;
}

const callOf = ({ letter, call = letter }: Part): Hex => concatHex(["0xabcdef12", pad(toHex(call))]);
const idOf = ({ letter }: Part): string => `trk_${letter.repeat(32)}`;

function rowOf(part: Part): DepositRow {
  const { letter, amount, second, parent } = part;
  const built: DepositRow = {
    ...{ ...row, trackingId: idOf(part), ref: hashOf(letter), sourceTo: VAULT.toLowerCase() },
    ...{ sourceDataHash: keccak256(callOf(part)), fromAmount: amount.toString() },
    parentTrackingId: parent === undefined ? null : idOf(parent),
  };
  if (second === undefined) return built;
  return {
    ...{ ...built, provider: "across", bridge: "across", fromChainId: 10, twoStep: true },
    ...{ state: "awaiting_deposit", sourceTxHash: hashOf(letter), sourceProven: true },
    ...{ moveToken: USDC.toLowerCase(), deliveredAmount: amount.toString(), moveMin: `${amount - 1n}` },
    destinationTxHash: DELIVERY,
  };
}

async function store(adapter: "lagoon" | "erc4626", parts: readonly Part[]): Promise<void> {
  const vault = vaultRow({ number: 1, chainId, address: VAULT, adapter });
  await causeway.db.insert(vaults).values({ ...vault, assetAddress: USDC.toLowerCase() });
  await causeway.db.insert(deposits).values(parts.map(rowOf));
}

const pay = (value: bigint): Log => transferLog({ token: USDC, from: USER, to: VAULT, value });
const request = (assets: bigint, requestId = 0n): Log[] => [
  pay(assets),
  depositRequestLog({ requestId, assets }),
];
const mint = (amount: bigint, shares: bigint): Log[] => [pay(amount), transferLog({ value: shares })];

/** Returns a batch of the user's account with these calls, whose receipt has these events. */
function batchOf(calls: readonly Part[], events: readonly Log[]): TransactionOnChain {
  const packed = calls.map(callOf).flatMap((data) => [toHex(size(data), { size: 32 }), data]);
  const input = concatHex(["0x34fcd5be", ...packed]);
  const transaction = { hash: BATCH, from: USER, to: USER, input, value: 0n, gas: 1n };
  return { transaction, receipt: receiptOf(...events), confirmations: testChain.confirmations };
}

/** The chain on which the batch was sent, and one on which nothing of the deposits is found. */
function chainOf(batch: TransactionOnChain) {
  const given = causeway.context();
  const definitions = new Map([chainId, 10].map((id) => [id, { ...testChain, chainId: id }]));
  // No log is searched: what is looked at was reported.
  const ctx = { ...given, now: () => NOW, chains: { ...given.chains, definitions, client: () => null } };
  const readTransaction = async (_chainId: number, hash: Hex): Promise<TransactionOnChain> =>
    hash === BATCH ? batch : { ...batch, receipt: { ...receiptOf(), blockNumber: 90n } };
  return { ctx, readTransaction };
}

/** Tracks the deposits after a batch was reported for each, three times, and returns what each has. */
async function track(
  parts: readonly Part[],
  { batch, together = false }: { batch: TransactionOnChain; together?: boolean },
): Promise<string[]> {
  const { ctx, readTransaction } = chainOf(batch);
  const left = new Map(parts.map((part) => [part, true]));
  const trackOne = async (part: Part): Promise<void> => {
    const found = await selectDeposit(ctx.db, idOf(part));
    if (found === null) throw new Error("no row");
    const hint = {
      trackingId: idOf(part),
      chainId,
      txHash: BATCH,
      origin: "report",
      droppedAt: null,
    } as const;
    const hints = left.get(part) === true ? [{ ...hint, notedAt: new Date(NOW) }] : [];
    const after = await trackDeposit(ctx, { row: found, readTransaction, hints });
    if (after.unreadable === null) left.set(part, after.left.length > 0);
  };
  for (let round = 0; round < 3; round += 1) {
    if (together) await Promise.all(parts.map(trackOne));
    else for (const part of parts) await trackOne(part);
  }
  const rows = await Promise.all(parts.map((part) => selectDeposit(ctx.db, idOf(part))));
  return rows.map((one) => {
    if (one?.state === "requested") return `request ${one.requestId} of ${one.receivedAmount}`;
    return one?.state === "completed" ? `${one.shares} shares` : `${one?.state}`;
  });
}

const stored = async () => (await causeway.db.select().from(deposits)) as DepositRow[];

const [first, second]: readonly [Part, Part] = [
  { letter: "1", amount: 60n },
  { letter: "2", amount: 40n },
];
const steps: readonly [Part, Part] = [
  { ...first, second: true },
  { ...second, second: true },
];
const kinds: readonly [string, readonly [Part, Part]][] = [
  ["deposits", [first, second]],
  ["second steps", steps],
];

describe.each(kinds)("of two requests in one batch, both %s", (_kind, [one, other]) => {
  const batch = batchOf([one, other], [...request(60n), ...request(40n)]);

  test("each deposit has its own, whichever is tracked first", async () => {
    await store("lagoon", [one, other]);
    expect(await track([other, one], { batch })).toEqual(["request 0 of 40", "request 0 of 60"]);
    // A reorg may replace the batch for each, the status of the batch answers for each, and a claim settles both.
    for (const made of await stored()) {
      expect(provingTransactions(made)).toContainEqual({ chainId, txHash: BATCH });
      expect(isProvenBy(made, BATCH)).toBe(true);
      expect(await selectOtherRequests(causeway.context().db, made)).toHaveLength(1);
    }
  });

  test("each deposit has its own if both are tracked at once", async () => {
    await store("lagoon", [one, other]);
    expect(await track([one, other], { batch, together: true })).toEqual([
      "request 0 of 60",
      "request 0 of 40",
    ]);
  });

  test("none is another account's", async () => {
    await store("lagoon", [one, other]);
    const strangers = depositRequestLog({ controller: OTHER, requestId: 0n, assets: 40n });
    const events = [...request(60n), pay(40n), strangers];
    const [own, none] = await track([one, other], { batch: batchOf([one, other], events) });
    expect([own, none]).toEqual(["request 0 of 60", rowOf(other).state]);
  });
});

const equal: readonly [string, readonly [Part, Part], string][] = [
  ["deposits", [first, { ...second, amount: 60n }], "built"],
  ["second steps", [steps[0], { ...steps[1], amount: 60n }], "awaiting_deposit"],
];

describe.each(equal)("of two %s of one amount", (_kind, [one, other], waiting) => {
  test("each has one of as many requests", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], [...request(60n), ...request(60n)]);
    expect(await track([one, other], { batch })).toEqual(["request 0 of 60", "request 0 of 60"]);
  });

  test("each has a request with an id of its own", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], [...request(60n, 7n), ...request(60n, 8n)]);
    expect(await track([one, other], { batch })).toEqual(["request 7 of 60", "request 8 of 60"]);
  });

  test("only one has the only request, whatever calldata the batch repeats", async () => {
    await store("lagoon", [one, other]);
    const batch = batchOf([one, other], request(60n));
    expect(await track([one, other], { batch })).toEqual(["request 0 of 60", waiting]);
    expect(await track([one, other], { batch: batchOf([one, other], [...request(60n), pay(60n)]) })).toEqual([
      "request 0 of 60",
      waiting,
    ]);
  });

  test("each has one of as many equal mints, and none has one of different ones", async () => {
    await store("erc4626", [one, other]);
    const unclear = batchOf([one, other], [...mint(60n, 6n), ...mint(60n, 5n)]);
    expect(await track([one, other], { batch: unclear })).toEqual([waiting, waiting]);
    const batch = batchOf([one, other], [...mint(60n, 6n), ...mint(60n, 6n)]);
    expect(await track([one, other], { batch })).toEqual(["6 shares", "6 shares"]);
  });

  test("only one has the only mint, whatever calldata the batch repeats", async () => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], mint(60n, 6n));
    expect(await track([one, other], { batch })).toEqual(["6 shares", waiting]);
  });
});

describe.each(kinds)("of two mints in one batch, both %s", (_kind, [one, other]) => {
  const orders: [string, Log[]][] = [
    ["after its payment", [...mint(60n, 6n), ...mint(40n, 5n)]],
    ["before its payment", [...mint(60n, 6n).reverse(), ...mint(40n, 5n).reverse()]],
  ];
  test.each(orders)("each deposit has the one %s", async (_place, events) => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], events);
    expect(await track([other, one], { batch })).toEqual(["5 shares", "6 shares"]);
    for (const made of await stored()) expect(isProvenBy(made, BATCH)).toBe(true);
  });

  test("each deposit has its own if both are tracked at once", async () => {
    await store("erc4626", [one, other]);
    const batch = batchOf([one, other], [...mint(60n, 6n), ...mint(40n, 5n)]);
    expect(await track([one, other], { batch, together: true })).toEqual(["6 shares", "5 shares"]);
  });

  test.each<[string, Log[]]>([
    ["payments and mints do not take turns", [pay(60n), ...mint(40n, 6n), transferLog({ value: 5n })]],
    ["shares came from an account", [...mint(60n, 6n), pay(40n), transferLog({ from: OTHER, value: 5n })]],
    ["shares left again", [...mint(60n, 6n), ...mint(40n, 5n), transferLog({ from: USER, to: OTHER })]],
  ])("none is a deposit's if %s", async (_what, events) => {
    await store("erc4626", [one, other]);
    const waiting = rowOf(one).state;
    const batch = batchOf([one, other], events);
    expect(await track([one, other], { batch })).toEqual([waiting, waiting]);
  });
});

describe.each(kinds)("of three in one batch that made two, all %s,", (_kind, [one, other]) => {
  const third: Part = { ...other, letter: "3" };

  test.each<["lagoon" | "erc4626", Log[], string[]]>([
    ["lagoon", [...request(60n), ...request(40n)], ["request 0 of 60", "request 0 of 40"]],
    ["erc4626", [...mint(60n, 6n), ...mint(40n, 5n)], ["6 shares", "5 shares"]],
  ])("one is not proven, whoever comes at once, at a vault of %s", async (adapter, events, made) => {
    await store(adapter, [one, other, third]);
    const batch = batchOf([one, other, third], events);
    await track([one], { batch });
    const later = await track([other, third], { batch, together: true });
    expect(later.sort()).toEqual([made[1], rowOf(third).state].sort());
    expect(await track([one], { batch })).toEqual([made[0]]);
  });
});

test("a deposit that awaits its second step has no request that another payment made", async () => {
  const [one, other] = steps;
  await store("lagoon", [one, other]);
  const elsewhere = transferLog({ token: USDC, from: USER, to: OTHER, value: 60n });
  const batch = batchOf([other], [elsewhere, ...request(40n)]);
  expect(await track([one, other], { batch })).toEqual(["awaiting_deposit", "request 0 of 40"]);
});

test("a deposit that awaits its second step has no mint that another payment made", async () => {
  const [one, other] = steps;
  await store("erc4626", [one, other]);
  const elsewhere = transferLog({ token: USDC, from: USER, to: OTHER, value: 40n });
  const given = transferLog({ value: 1n });
  const batch = batchOf([one], [given, ...mint(60n, 6n), elsewhere]);
  expect(await track([one, other], { batch })).toEqual(["awaiting_deposit", "awaiting_deposit"]);
});

test("a deposit has the mint of a transaction that an equal one gave up for its own", async () => {
  await store("erc4626", [first, { ...first, letter: "2", call: "1" }]);
  const gaveUp = {
    state: "completed",
    shares: "6",
    sourceTxHash: hashOf("e"),
    depositTxHash: BATCH,
  } as const;
  await causeway.db
    .update(deposits)
    .set(gaveUp)
    .where(eq(deposits.trackingId, idOf(first)));
  const batch = batchOf([first], mint(60n, 6n));
  expect(await track([{ ...first, letter: "2", call: "1" }], { batch })).toEqual(["6 shares"]);
});

test("each of two deposits has its own mint if its state is derived again", async () => {
  await store("erc4626", [first, second]);
  const batch = batchOf([first, second], [...mint(60n, 6n), ...mint(40n, 5n)]);
  await track([first, second], { batch });
  const { ctx, readTransaction } = chainOf(batch);
  for (const made of await stored()) {
    const { trackingId, shares, depositProven } = made;
    await causeway.db.update(deposits).set({ shares: "1" }).where(eq(deposits.trackingId, trackingId));
    const wrong = { ...made, shares: "1" };
    const again = await restateFromChains(ctx, { row: wrong, known: [], readTransaction });
    expect(again).toMatchObject({ state: "completed", shares, depositProven, depositTxHash: BATCH });
  }
});

test("each of two deposits takes over its own continuation of a batch", async () => {
  const [one, other] = steps;
  const children: readonly Part[] = [
    { ...first, letter: "3", parent: one },
    { ...second, letter: "4", parent: other },
  ];
  const all = [other, one, ...children];
  await store("erc4626", all);
  const batch = batchOf(children, [...mint(60n, 6n), ...mint(40n, 5n)]);
  expect(await track(all, { batch })).toEqual(["5 shares", "6 shares", "6 shares", "5 shares"]);
  const parents = (await stored()).filter(({ provider }) => provider !== null);
  expect(parents.map(({ depositProven, depositTxHash }) => [depositProven, depositTxHash])).toEqual([
    [false, BATCH],
    [false, BATCH],
  ]);
});

test("each of two deposits adopts a continuation that names no deposit", async () => {
  const [one, other] = steps;
  const children: readonly Part[] = [
    { ...first, letter: "3" },
    { ...second, letter: "4" },
  ];
  await store("erc4626", [one, other, ...children]);
  const batch = batchOf(children, [...mint(60n, 6n), ...mint(40n, 5n)]);
  expect(await track([...children, other, one], { batch })).toEqual([
    "6 shares",
    "5 shares",
    "5 shares",
    "6 shares",
  ]);
  const named = (await stored()).filter(({ provider }) => provider === null);
  expect(named.map(({ parentTrackingId }) => parentTrackingId).sort()).toEqual([idOf(one), idOf(other)]);
});
