import {
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  keccak256,
  type Log,
  numberToHex,
  parseAbi,
} from "viem";
import { describe, expect, test } from "vitest";
import type { Receipt, Transaction } from "../../../src/chains/chain-transaction.ts";
import type { Context } from "../../../src/context.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import {
  exitSourceTransitions,
  isExitSourceOpen,
} from "../../../src/tracking/withdrawals/track-withdrawal-source.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { executedLog, log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

/** Attacks on withdrawals: by strangers who forge what tracking reads, and by vaults and tokens that lie. */
const HASH: Hex = `0x${"11".repeat(32)}`;
const SHARES = 100_000_000_000_000_000_000n;
const PAID = 100_500_000n;
const call: Hex = `0xba087652${"5a".repeat(96)}`;
/** A withdrawal through the Router, one by the vault's own call, and a request at a vault of ERC-7540. */
const routed: WithdrawalRow = withdrawalRow;
const own: WithdrawalRow = { ...routed, sourceTo: VAULT.toLowerCase(), sourceDataHash: keccak256(call) };
const all: WithdrawalRow = { ...own, fromAmount: "0" };
const asking: WithdrawalRow = { ...own, mode: "request" };
const lagoon: Vault = { ...vault, adapter: "lagoon", caller: "user" };

const events = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)",
]);
const words = (...values: bigint[]): Hex =>
  concatHex(values.map((value) => numberToHex(value, { size: 32 })));

function withdrawLog({
  owner = USER,
  receiver = USER,
  assets = PAID,
  shares = SHARES,
  emitter = VAULT,
} = {}): Log {
  const args = { sender: owner, receiver, owner };
  const topics = encodeEventTopics({ abi: events, eventName: "Withdraw", args });
  return log(emitter, topics, words(assets, shares));
}

function requestLog({ owner = USER, controller = USER, shares = SHARES, emitter = VAULT } = {}): Log {
  const args = { controller, owner, requestId: 1n };
  const topics = encodeEventTopics({ abi: events, eventName: "RedeemRequest", args });
  const types = [{ type: "address" }, { type: "uint256" }] as const;
  return log(emitter, topics, encodeAbiParameters(types, [owner, shares]));
}

const burnt = transferLog({ from: USER, to: VAULT, value: SHARES });
const nothingMoved = transferLog({ from: USER, to: OTHER, value: 0n });
const paid = transferLog({ token: USDC, from: VAULT, value: PAID });
const oneUnit = transferLog({ token: USDC, from: OTHER, value: 1n });
const byUser: Transaction = {
  ...{ hash: HASH, from: USER, to: VAULT, input: call, value: 0n, gas: 500_000n },
};
/** A transaction of anybody, with the built calldata somewhere in its own. */
const batch: Transaction = {
  ...{ ...byUser, from: OTHER, to: OTHER, input: concatHex([numberToHex(100, { size: 32 }), call]) },
};
/** The same by the user's contract account. */
const accountsBatch: Transaction = { ...batch, to: USER };

interface Scene {
  row: WithdrawalRow;
  logs: readonly Log[];
  transaction?: Transaction;
  of?: Vault;
  receipt?: Partial<Receipt>;
  confirmations?: number;
}

/** What tracking concludes from a transaction: the sight and the amount that is said to have arrived. */
async function look(scene: Scene) {
  const { row, logs, transaction = batch, of = vault, receipt = {} } = scene;
  const { confirmations = testChain.confirmations } = scene;
  const { asset } = of;
  const stored = {
    ...{ ...of, assetAddress: asset.address, assetSymbol: asset.symbol, assetDecimals: asset.decimals },
    wasActive: true,
  };
  // The vault is read first; no other withdrawal has the transaction.
  const answers: unknown[][] = [[stored]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const ctx: Context = testContext({
    db,
    nowMs: NOW,
    clients: [contractsClient(() => ({ ok: false, data: "0x" }))],
  });
  const transitions = await exitSourceTransitions(ctx, {
    ...{ row, hash: HASH },
    seen: {
      transaction,
      receipt: { ...receiptOf(...logs), ...receipt },
      confirmations,
    },
  });
  return transitions.map(({ event, change }) => ({
    shows: "shows" in event ? event.shows : event.kind,
    assets: change.assets ?? null,
    shares: change.shares ?? null,
    ...(change.requestId !== undefined && { requestId: change.requestId }),
  }));
}
const completed = (assets: bigint) => [
  { shows: "token_paid", assets: String(assets), shares: String(SHARES) },
];

const executed = (change: Parameters<typeof executedLog>[0] = {}) =>
  executedLog({ ...{ tokenIn: VAULT, tokenOut: USDC, amountIn: SHARES, amountOut: PAID }, ...change });

test("what is honest is seen: the Router's order, the own call, a batch, a request", async () => {
  expect(await look({ row: routed, logs: [executed(), paid] })).toEqual(completed(PAID));
  const logs = [burnt, paid, withdrawLog()];
  expect(await look({ row: own, logs, transaction: byUser })).toEqual(completed(PAID));
  expect(await look({ row: own, logs, transaction: accountsBatch })).toEqual(completed(PAID));
  expect(await look({ row: all, logs, transaction: accountsBatch })).toEqual(completed(PAID));
  const asked = { row: asking, logs: [burnt, requestLog()], of: lagoon };
  for (const transaction of [byUser, accountsBatch])
    expect(await look({ ...asked, transaction })).toMatchObject([{ shows: "request_made" }]);
});

test("what a request's transaction pays counts only where the vault queues the rest", async () => {
  const logs = [withdrawLog(), paid, burnt, requestLog()];
  for (const transaction of [byUser, accountsBatch])
    expect(await look({ row: asking, logs, of: lagoon, transaction })).toMatchObject([
      { shows: "request_made", assets: null, shares: String(SHARES) },
    ]);
  const queueing = { row: asking, of: { ...lagoon, adapter: "mellow_lrt" }, transaction: byUser };
  const part = transferLog({ token: USDC, from: VAULT, value: PAID / 2n });
  expect(await look({ ...queueing, logs: [burnt, part, withdrawLog()] })).toMatchObject([
    { shows: "request_made", assets: String(PAID / 2n) },
  ]);
  // A stranger's redemption of nothing for the user, earlier in the same block of calls.
  const nothing = withdrawLog({ assets: 0n, shares: 0n });
  const batch = { ...queueing, transaction: accountsBatch };
  expect(await look({ ...batch, logs: [nothing, burnt, part, withdrawLog()] })).toMatchObject([
    { shows: "request_made", assets: String(PAID / 2n) },
  ]);
});

test("a request's id is noted before its block is confirmed, and nothing else of it", async () => {
  const asked = { row: asking, logs: [burnt, requestLog()], of: lagoon, transaction: byUser };
  const noted = { shows: "request_made", assets: null, requestId: "0" };
  expect(await look({ ...asked, confirmations: 0 })).toEqual([{ ...noted, shares: null }]);
  expect(await look(asked)).toEqual([{ ...noted, shares: String(SHARES) }]);
});

test("what a batch spends again at once was paid all the same", async () => {
  const spent = transferLog({ token: USDC, from: USER, to: OTHER, value: PAID });
  expect(
    await look({ row: own, logs: [burnt, paid, withdrawLog(), spent], transaction: accountsBatch }),
  ).toEqual(completed(PAID));
  expect(await look({ row: routed, logs: [executed(), paid, spent] })).toEqual(completed(PAID));
});

test("a redemption of no shares for the user beside the honest one hides nothing", async () => {
  const logs = [burnt, paid, withdrawLog(), withdrawLog({ assets: 0n, shares: 0n })];
  expect(await look({ row: all, logs, transaction: accountsBatch })).toEqual(completed(PAID));
});

describe("a stranger cannot complete a withdrawal by", () => {
  const half = PAID / 2n;
  const attacks: [string, Scene][] = [
    ["a contract that emits the Router's event", { row: routed, logs: [executed({ emitter: OTHER }), paid] }],
    [
      "an order with its reference that he pays for",
      { row: routed, logs: [executed({ payer: OTHER }), paid] },
    ],
    ["an order with its reference for himself", { row: routed, logs: [executed({ receiver: OTHER }), paid] }],
    [
      "an order with its reference and other shares",
      { row: routed, logs: [executed({ tokenIn: WETH }), paid] },
    ],
    ["an order that pays another token", { row: routed, logs: [executed({ tokenOut: WETH }), paid] }],
    ["an order that pays less than the minimum", { row: routed, logs: [executed({ amountOut: 1n }), paid] }],
    ["an order that reverted", { row: routed, logs: [executed(), paid], receipt: { succeeded: false } }],
    ["its calldata, a transfer of no shares, and one unit", { row: all, logs: [nothingMoved, oneUnit] }],
    [
      "its calldata, a redemption of no shares, and one unit",
      { row: all, logs: [nothingMoved, oneUnit, withdrawLog({ assets: 0n, shares: 0n })] },
    ],
    [
      "its calldata and the whole payment, without a redemption",
      { row: all, logs: [nothingMoved, transferLog({ token: USDC, from: OTHER, value: PAID })] },
    ],
    [
      "a redemption of his own shares for the user",
      { row: all, logs: [nothingMoved, paid, withdrawLog({ owner: OTHER })] },
    ],
    [
      "a contract that emits the vault's event",
      { row: all, logs: [nothingMoved, oneUnit, withdrawLog({ emitter: OTHER })] },
    ],
    [
      "a contract that emits the token's transfers",
      { row: own, logs: [burnt, transferLog({ token: OTHER, value: PAID }), withdrawLog()] },
    ],
    ["another number of shares", { row: own, logs: [burnt, paid, withdrawLog({ shares: SHARES - 1n })] }],
    [
      "a payment in another token",
      { row: own, logs: [burnt, transferLog({ token: WETH, value: PAID }), withdrawLog()] },
    ],
    ["more than the vault's event names", { row: own, logs: [burnt, paid, withdrawLog({ assets: half })] }],
    [
      "two redemptions that nothing tells apart",
      { row: own, logs: [burnt, paid, withdrawLog(), paid, withdrawLog()] },
    ],
    [
      "its calldata without any payment of the user",
      { row: own, logs: [paid, withdrawLog({ owner: OTHER, receiver: OTHER })] },
    ],
    [
      "a request of his own shares for the user",
      {
        row: { ...asking, fromAmount: "0" },
        of: lagoon,
        logs: [
          nothingMoved,
          transferLog({ from: OTHER, to: VAULT, value: 5n }),
          requestLog({ owner: OTHER, shares: 5n }),
        ],
      },
    ],
    [
      "a request of no shares for the user",
      { row: { ...asking, fromAmount: "0" }, of: lagoon, logs: [nothingMoved, requestLog({ shares: 0n })] },
    ],
    [
      "a request of other shares for the user",
      { row: asking, of: lagoon, logs: [burnt, requestLog({ shares: SHARES - 1n })] },
    ],
    [
      "a contract that emits the vault's request",
      {
        row: { ...asking, fromAmount: "0" },
        of: lagoon,
        logs: [nothingMoved, requestLog({ emitter: OTHER })],
      },
    ],
    [
      "a request whose controller is the stranger",
      {
        row: { ...asking, fromAmount: "0" },
        of: lagoon,
        logs: [nothingMoved, requestLog({ controller: OTHER })],
      },
    ],
  ];

  test.each(attacks)("%s", async (_name, scene) => {
    expect(await look(scene)).toEqual([]);
  });
});

describe("a lying vault or token completes nothing with a wrong amount:", () => {
  const third = transferLog({ token: USDC, from: VAULT, value: PAID / 3n });
  test.each<[string, Scene, bigint | null]>([
    [
      "balances rise by twice the transfers",
      { row: routed, logs: [executed({ amountOut: 2n * PAID }), paid] },
      PAID,
    ],
    [
      "the vault takes its payment back",
      {
        row: own,
        transaction: byUser,
        logs: [burnt, paid, withdrawLog(), transferLog({ token: USDC, from: USER, to: VAULT, value: PAID })],
      },
      null,
    ],
    [
      "the vault pays less than its event names",
      { row: own, transaction: byUser, logs: [burnt, third, withdrawLog()] },
      PAID / 3n,
    ],
    [
      "the vault pays less than its event names, in a batch",
      { row: own, transaction: accountsBatch, logs: [burnt, third, withdrawLog()] },
      PAID / 3n,
    ],
    [
      "the vault pays in two parts, in a batch",
      { row: own, transaction: accountsBatch, logs: [burnt, third, third, withdrawLog()] },
      null,
    ],
  ])("%s", async (_name, scene, arrived) => {
    expect(await look(scene)).toEqual(arrived === null ? [] : completed(arrived));
  });
});

test.each<[string, Log | null, string, string | null]>([
  ["balances rise without a transfer", null, "nothing_paid", null],
  ["balances rise by more than the minimum, transfers do not", oneUnit, "partly_paid", "1"],
  [
    "the Router's payment goes to another account",
    transferLog({ token: USDC, to: OTHER, value: PAID }),
    "nothing_paid",
    null,
  ],
  [
    "the transfers come from a copy of the token",
    transferLog({ token: OTHER, value: PAID }),
    "nothing_paid",
    null,
  ],
])("an order of the Router ends without the payment if %s", async (_name, moved, shows, assets) => {
  const logs = [executed(), ...(moved === null ? [] : [moved])];
  expect(await look({ row: routed, logs })).toEqual([{ shows, assets, shares: String(SHARES) }]);
});

describe("a vault that takes the shares and pays another receiver", () => {
  const logs = [burnt, transferLog({ token: USDC, to: OTHER, value: PAID }), withdrawLog()];

  test("has paid nothing, and the withdrawal is not complete", async () => {
    const unpaid = [{ shows: "nothing_paid", assets: null, shares: SHARES.toString() }];
    expect(await look({ row: own, transaction: byUser, logs })).toEqual(unpaid);
    expect(await look({ row: all, transaction: byUser, logs })).toEqual(unpaid);
  });

  test("keeps its transaction; only one that reverted may be replaced by another", () => {
    const failed = { ...own, state: "failed", sourceProven: true } as const;
    expect(isExitSourceOpen({ ...failed, shares: SHARES.toString() })).toBe(false);
    expect(isExitSourceOpen({ ...failed, shares: null })).toBe(true);
  });

  test("proves nothing in a batch, without the vault's event, or of a request", async () => {
    expect(await look({ row: own, transaction: accountsBatch, logs })).toEqual([]);
    expect(await look({ row: own, transaction: byUser, logs: logs.slice(0, -1) })).toEqual([]);
    expect(await look({ row: asking, transaction: byUser, logs })).toEqual([]);
  });
});
