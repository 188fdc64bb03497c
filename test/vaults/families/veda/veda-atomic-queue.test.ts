import { type Address, decodeFunctionData, type Log, parseAbi, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import { vedaExits } from "../../../../src/vaults/families/veda/veda-exits.ts";
import { vedaFlows } from "../../../../src/vaults/families/veda/veda-flow-events.ts";
import { checkVedaParams } from "../../../../src/vaults/families/veda/veda-pricing.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, vault as plain, USDC, USER } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const [QUEUE, OLDER, STRANGE, PAID_TOKEN, OTHER] = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
  "0x4444444444444444444444444444444444444444",
  "0x5555555555555555555555555555555555555555",
] as const;

const vault: Vault = {
  ...plain,
  ...{ adapter: "veda", type: "veda", shareDecimals: 6 },
  params: {
    ...{ teller: "d", atomic_queues: [QUEUE, OLDER].join() },
    stopped_tokens: `${PAID_TOKEN}/18/OLD`,
  },
};
const idOf = (queue: Address, token: Address): string => `atomic/${queue}/${token}`.toLowerCase();

const UPDATED =
  "event AtomicRequestUpdated(address indexed user, address indexed offerToken, address indexed wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)";
const FULFILLED =
  "event AtomicRequestFulfilled(address indexed user, address indexed offerToken, address indexed wantToken, uint256 offerAmountSpent, uint256 wantAmountReceived, uint256 timestamp)";
const unindexed = (signature: string): string => signature.replaceAll(" indexed", "");

const ends = { user: USER, offerToken: vault.shareToken, wantToken: USDC, timestamp: 9n };
const updated = (amount: bigint, at: Record<string, unknown> = {}) =>
  eventLog(QUEUE, UPDATED, { ...ends, amount, deadline: 10n, minPrice: 1_250_000n, ...at });
const fulfilled = (
  at: Record<string, unknown> = {},
  { queue = QUEUE as Address, signature = FULFILLED } = {},
) => eventLog(queue, signature, { ...ends, offerAmountSpent: 900n, wantAmountReceived: 1_125n, ...at });

describe("what solvers of Veda's AtomicQueue pay", () => {
  const source = vedaFlows(vault);
  const paid = { kind: "withdrawal", user: USER, assets: 1_125n, shares: 900n };

  test.each([
    ["indexes them", FULFILLED],
    ["indexes no argument", unindexed(FULFILLED)],
  ])("is the user's withdrawal, if the event %s", (_what, signature) => {
    for (const queue of [QUEUE, OLDER] as const) {
      const log = fulfilled({}, { queue, signature });
      expect(source.topics).toContain(log.topics[0]);
      expect(source.addresses).toContain(queue);
      expect(source.decode(log)).toEqual({ ...paid, requestId: idOf(queue, USDC) });
    }
  });

  test("is converted by the accountant's rates if it is another token that the vault pays", () => {
    const { conversion, ...flow } = source.decode(fulfilled({ wantToken: PAID_TOKEN })) ?? {};
    expect(flow).toEqual({ ...paid, assets: null, requestId: idOf(QUEUE, PAID_TOKEN) });
    if (conversion === undefined) throw new Error("no conversion");
    expect(answer(conversion, { own: 2n, paid: 4n })).toBe(562n);
  });

  test.each([
    ["for another token than the shares", fulfilled({ offerToken: STRANGE })],
    // The queue takes any token, and anyone could make the vault's sums unknown by one without a price.
    ["in a token that the vault never paid", fulfilled({ wantToken: STRANGE })],
    ["by another contract", fulfilled({}, { queue: STRANGE })],
    ["without payment", updated(900n)],
    ["with fewer bytes", { ...fulfilled(), data: "0x01" as const }],
  ])("is no withdrawal %s", (_what, log) => {
    expect(source.decode(log)).toBeNull();
  });

  test("takes out what it pays, beside requests in the other queue", () => {
    const flow = (assets: bigint | null, shares: bigint) =>
      ({ kind: "withdrawal", requestId: idOf(QUEUE, USDC), assets, shares }) as const;
    const taken = (flows: ReturnType<typeof flow>[]) => {
      const query = vedaExits.takenOut?.(vault, { user: USER, flows });
      return [query?.interpret({}), vedaExits.takenShares?.(vault, { user: USER, flows })];
    };
    expect(taken([flow(1_125n, 900n), flow(5n, 4n)])).toEqual([1_130n, 904n]);
    expect(taken([flow(1_125n, 900n), flow(null, 4n)])).toEqual([null, 904n]);
    expect(taken([])).toEqual([0n, 0n]);
  });

  test("is read with the shares that requests take, and not read without the parameter", () => {
    expect(source).toMatchObject({ namesRequests: true, takesRequested: true });
    const without = vedaFlows({ ...vault, params: { teller: "d" } });
    expect(without).not.toHaveProperty("namesRequests");
    expect(without.topics).not.toContain(fulfilled().topics[0]);
    const wrong = { ...vault, params: { teller: "d", atomic_queues: `${QUEUE},0x12` } };
    expect(() => checkVedaParams(vault)).not.toThrow();
    expect(() => checkVedaParams(wrong)).toThrow(/atomic_queues/);
  });
});

describe("an open request at Veda's AtomicQueue", () => {
  const seconds = Math.ceil(NOW / 1_000);
  const slot = (amount: bigint, deadline = BigInt(seconds + 60)) => ({
    ...{ deadline, atomicPrice: 1_250_001n, offerAmount: amount, inSolve: false },
  });
  const key = (queue: Address, token: Address) => `atomic/${idOf(queue, token)}/request`;
  const none = {
    ...Object.fromEntries(
      [QUEUE, OLDER].flatMap((queue) => [USDC, PAID_TOKEN].map((token) => [key(queue, token), slot(0n)])),
    ),
  };
  const pendingAt = (answers: Record<string, unknown>) => {
    const query = vedaExits.pending?.(vault, { user: USER, requestIds: [], now: NOW });
    if (query === undefined) throw new Error("no requests");
    return answer(query, { config: [true, 0, 0, 0n, 0, 0], ...none, ...answers });
  };

  test("shows what its price fixes, and that the shares are in the wallet", () => {
    const pending = pendingAt({ [key(OLDER, USDC)]: slot(901n) });
    expect(pending).toHaveLength(1);
    expect(pending?.[0]).toMatchObject({
      ...{ requestId: idOf(OLDER, USDC), mode: "request", state: "pending", token: USDC },
      ...{ shares: 901n, assets: 1_126n, priced: true, expiresAt: seconds + 60 },
      ...{ inWallet: true, bookedOut: false, cancellable: true },
    });
  });

  test("expires after its deadline, and is unknown if it cannot be read", () => {
    const at = (deadline: number) => pendingAt({ [key(QUEUE, PAID_TOKEN)]: slot(1n, BigInt(deadline)) });
    expect(at(seconds)).toMatchObject([{ state: "pending", token: PAID_TOKEN }]);
    expect(at(seconds - 1)).toMatchObject([{ state: "expired" }]);
    expect(pendingAt({ [key(QUEUE, USDC)]: undefined })).toBeNull();
    expect(pendingAt({})).toEqual([]);
  });

  test("is cancelled by an offer of nothing", () => {
    const [request] = pendingAt({ [key(OLDER, PAID_TOKEN)]: slot(901n) }) ?? [];
    if (request === undefined) throw new Error("no request");
    const call = vedaExits.cancel?.(vault, { user: USER, request });
    expect(call?.target).toBe(OLDER);
    const abi = parseAbi([
      "function updateAtomicRequest(address offer, address want, (uint64 deadline, uint88 price, uint96 amount, bool solving))",
    ]);
    const nothing = { deadline: 0n, price: 0n, amount: 0n, solving: false };
    expect(decodeFunctionData({ abi, data: call?.data ?? "0x" }).args).toEqual([
      ...[vault.shareToken, PAID_TOKEN, nothing],
    ]);
    for (const requestId of [idOf(STRANGE, USDC), `atomic/${QUEUE}`, `atomic/${QUEUE}/0x12`])
      expect(vedaExits.cancel?.(vault, { user: USER, request: { ...request, requestId } })).toBeNull();
    expect(vedaExits.claim?.(vault, { user: USER, request })).toBeNull();
  });
});

describe("a transaction at Veda's AtomicQueue", () => {
  const logs = (...all: unknown[]) => all as Log[];
  const request = logs(updated(900n));
  const found = (seen: Log[], user: Address = USER) => vedaExits.findRequest?.(vault, { user, logs: seen });
  const ended = (seen: Log[], of: { requestId?: string; requestLogs?: Log[] } = {}) =>
    vedaExits.findSettlement?.(vault, {
      ...{ user: USER, requestId: idOf(QUEUE, USDC), requestLogs: request, ...of },
      logs: seen,
    });

  test("shows the request of a user", () => {
    const seen = { requestId: idOf(QUEUE, USDC), shares: 900n, mode: "request", token: USDC };
    expect(found(request)).toEqual(seen);
    const first = eventLog(QUEUE, unindexed(UPDATED), {
      ...{ ...ends, amount: 900n, deadline: 10n, minPrice: 1n },
    });
    expect(found(logs(first))).toEqual(seen);
    expect(found(request, STRANGE)).toBeNull();
    expect(found(logs(updated(900n, { offerToken: STRANGE })))).toBeNull();
    // What is offered last counts, and nothing offered is a cancellation.
    expect(found(logs(updated(900n), updated(800n)))).toMatchObject({ shares: 800n });
    expect(found(logs(updated(0n)))).toBeNull();
  });

  test("shows the request that Causeway builds, whatever else a smart account batches with it", () => {
    const served = {
      ...vault,
      params: { ...vault.params, withdraw_queue: STRANGE, delayed_withdraw: OTHER },
    };
    const asked = { user: USER, assetOut: USDC, nonce: 1n, amountOfShares: 70n, amountOfAssets: 80n };
    const times = { creationTime: 1_700_000_000, secondsToMaturity: 60, secondsToDeadline: 600 };
    const queued = eventLog(
      STRANGE,
      "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
      { requestId: zeroHash, ...asked, ...times },
    );
    const cooling = eventLog(
      OTHER,
      "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)",
      { account: USER, asset: USDC, shares: 60n, maturity: 1_700_000_060 },
    );
    const seen = (...all: unknown[]) => vedaExits.findRequest?.(served, { user: USER, logs: logs(...all) });
    for (const batched of [
      [queued, updated(900n)],
      [updated(900n), queued],
    ])
      expect(seen(...batched)).toMatchObject({ shares: 70n, mode: "request" });
    expect(seen(updated(900n), cooling)).toMatchObject({ shares: 60n, mode: "cooldown" });
    expect(seen(updated(900n))).toMatchObject({ shares: 900n });
  });

  test("shows how the request ended", () => {
    const paid = { outcome: "paid", assets: 1_125n, shares: 900n, alone: true };
    expect(ended(logs(fulfilled()))).toEqual(paid);
    expect(ended(logs(fulfilled({ user: STRANGE }), fulfilled()))).toEqual(paid);
    expect(ended(logs(fulfilled({ user: STRANGE })))).toBeNull();
    expect(ended(logs(fulfilled()), { requestId: idOf(OLDER, USDC) })).toBeNull();
    expect(ended(logs(fulfilled()), { requestId: "0" })).toBeNull();
    expect(ended(logs(updated(0n)))).toEqual({ outcome: "cancelled", assets: 0n });
  });

  test("pays a request that the user had made in place of this one", () => {
    expect(ended(logs(fulfilled({ offerAmountSpent: 800n })))).toEqual({ outcome: "cancelled", assets: 0n });
    expect(ended(logs(fulfilled()), { requestLogs: [] })).toMatchObject({ outcome: "paid" });
  });
});
