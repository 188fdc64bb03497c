import {
  type Address,
  encodeAbiParameters,
  type Log,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { vedaExits } from "../../../../src/vaults/families/veda/veda-exits.ts";
import { vedaFlows } from "../../../../src/vaults/families/veda/veda-flow-events.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { tokenList } from "../../../../src/vaults/vault-params.ts";
import { NOW, USDC, USER, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog, Revert, UNMADE } from "../../../support/vaults/answer.ts";

const ACCOUNTANT = "0x4444444444444444444444444444444444444444";
const own: Vault = {
  ...vault,
  ...{ adapter: "veda", type: "veda", pricer: ACCOUNTANT, shareDecimals: 6 },
  params: { teller: "d", teller_withdraw: "public" },
};
const SHARES = 80_000_001n;

const QUEUE = "0x2222222222222222222222222222222222222222";

/** Conditions of a withdrawal of shares at 1.25 USDC from a vault that holds this much USDC; `buffer` as in the teller. */
const termsOf = (idle: bigint | undefined, buffer?: unknown) =>
  answer(
    vedaExits.terms(own, {
      ...{ mode: "instant", token: own.asset, shares: SHARES, owner: USER, caller: USER, receiver: USER },
      now: NOW,
    }),
    {
      vault: own.shareToken,
      accountant: ACCOUNTANT,
      held: SHARES,
      rate: 1_250_000n,
      data: [true, true, 0],
      ...{ idle, buffer },
    },
  );

describe("Veda's teller", () => {
  test("limits nothing while the vault holds what the shares are worth, or if that is unknown", () => {
    const unlimited = { asset: USDC, grossAssets: 100_000_001n, maxShares: null, availableAssets: null };
    expect(termsOf(100_000_001n)).toMatchObject(unlimited);
    expect(termsOf(undefined)).toMatchObject(unlimited);
  });

  test("pays at most what the vault holds, for shares that are worth no more", () => {
    const terms = termsOf(50_000_000n);
    expect(terms).toMatchObject({ availableAssets: 50_000_000n, maxShares: 39_999_999n, refusal: null });
    expect(termsOf(0n)).toMatchObject({ availableAssets: 0n, maxShares: 0n });
  });

  test("pays what another protocol holds for the vault, of which its balance shows nothing", () => {
    const unlimited = { grossAssets: 100_000_001n, maxShares: null, availableAssets: null };
    expect(termsOf(0n, [zeroAddress, QUEUE])).toMatchObject(unlimited);
    // Whether it does is not known.
    expect(termsOf(0n, UNMADE)).toMatchObject(unlimited);
    for (const none of [[QUEUE, zeroAddress], new Revert("0x")])
      expect(termsOf(0n, none)).toMatchObject({ availableAssets: 0n, maxShares: 0n });
  });
});

describe("what Veda's teller notes of a holder", () => {
  const queued: Vault = { ...own, params: { ...own.params, withdraw_queue: QUEUE } };
  const refusal = (mode: "instant" | "request", hook: string, noted: Record<string, unknown>) => {
    const of = {
      mode,
      token: own.asset,
      shares: SHARES,
      owner: USER,
      caller: USER,
      receiver: USER,
      now: NOW,
    };
    const read = { vault: own.shareToken, accountant: ACCOUNTANT, held: SHARES, rate: 1_250_000n };
    return answer(vedaExits.terms(queued, of), { ...read, data: [true, true, 0], hook, ...noted }).refusal;
  };
  const unlock = BigInt(Math.floor(NOW / 1_000) + 60);

  test.each([
    ["a lock", { unlock }, "share_locked"],
    ["a lock of a later teller", { transfers: [false, false, false, false, unlock] }, "share_locked"],
    ["a denial", { denied: true }, "not_allowed"],
    ["a denial of a later teller", { transfers: [true, false, false, false, 0n] }, "not_allowed"],
  ])("%s holds for requests only where the teller is the hook of transfers", (_what, noted, code) => {
    expect(refusal("request", own.entryPoint, noted)).toBe(code);
    expect(refusal("request", QUEUE, noted)).not.toBe(code);
    // The teller itself pays nobody whom it has locked.
    expect(refusal("instant", QUEUE, noted)).toBe(code);
  });
});
const DELAYED = "0x3333333333333333333333333333333333333333";

type Words = readonly [bigint, bigint, bigint, bigint, bigint, bigint];

describe("Veda's queue", () => {
  const queued: Vault = { ...own, params: { teller: "d", withdraw_queue: QUEUE } };
  const fields = parseAbiParameters("uint256, uint256, uint256, uint256, uint256, uint256");
  /** The event of a request whose fields are these words, whatever their types allow. */
  const requested = (words: Words) => ({
    ...eventLog(
      QUEUE,
      "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
      {
        ...{ requestId: numberToHex(1, { size: 32 }), user: USER, assetOut: USDC },
        ...{ nonce: 0n, amountOfShares: 0n, amountOfAssets: 0n },
        ...{ creationTime: 0, secondsToMaturity: 0, secondsToDeadline: 0 },
      },
    ),
    data: encodeAbiParameters(fields, words),
  });
  const requestIn = (log: ReturnType<typeof requested>) =>
    vedaExits.findRequest?.(queued, { user: USER, logs: [log as unknown as Log] });
  const sound: Words = [1n, 7n, 5n, 1_700_000_000n, 60n, 600n];

  test("identifies a request by its fields", () => {
    const found = requestIn(requested(sound));
    const requestId: string = expect.stringMatching(/^0x[0-9a-f]{150}$/);
    expect(found).toEqual({ requestId, shares: 7n, assets: 5n, mode: "request", token: USDC });
    expect(vedaFlows(queued).decode(requested(sound))).toMatchObject({ requestId: found?.requestId });
  });

  test.each([
    [0, 96n],
    [1, 128n],
    [2, 128n],
    [3, 40n],
    [4, 24n],
    [5, 24n],
  ])("leaves the id unknown if field %i does not fit its %s bits", (index, bits) => {
    const log = requested(sound.with(index, 2n ** bits) as unknown as Words);
    expect(requestIn(log)?.requestId).toBeNull();
    expect(vedaFlows(queued).decode(log)).toBeNull();
  });

  test("values shares at the rate less the discount, which it rounds first", () => {
    const request = { token: own.asset, shares: 300_000_001n, owner: USER, caller: USER, receiver: USER };
    const paid = (discount: number) =>
      answer(vedaExits.terms(queued, { ...request, mode: "request", now: NOW }), {
        ...{ vault: own.shareToken, accountant: ACCOUNTANT, rate: 1_000_393n },
        config: [true, 60, 3_600, discount, 100, 0n],
      }).previewAssets;
    expect(paid(1)).toBe(300_087_601n);
    expect(paid(0)).toBe(300_117_901n);
    expect(paid(10_001)).toBeNull();
  });

  test("takes no id of half a byte less", () => {
    const id = requestIn(requested(sound))?.requestId ?? "";
    const cancelled = (requestId: string) => {
      const request = { requestId, mode: "request", token: USDC } as never;
      return vedaExits.cancel?.(queued, { user: USER, request });
    };
    expect(cancelled(id)).toMatchObject({ target: QUEUE });
    expect(cancelled(id.slice(0, -1))).toBeNull();
  });
});

describe("Veda's contract with a fixed wait", () => {
  const delayed: Vault = { ...own, params: { teller: "d", delayed_withdraw: DELAYED } };
  const pending = (fee: number | null, wait = 60) =>
    answer(vedaExits.pending?.(delayed, { user: USER, requestIds: [], now: NOW }) ?? noQuery(), {
      request: [false, 0, NOW / 1_000 + wait, 10n ** 7n, 1_250_000n],
      ...(fee !== null && { config: [true, 604_800, 0, 0n, fee, 0] }),
      rate: 1_250_000n,
      assetRate: 1_250_000n,
    });
  const noQuery = (): never => {
    throw new Error("no requests");
  };

  test("does not say when a request was made, because its delay may have been another one", () => {
    expect(pending(100)).toMatchObject([{ since: null, earliest: NOW / 1_000 + 60, assets: 12_375_000n }]);
  });

  test("has no estimate with a fee above 100%", () => {
    expect(pending(20_000)).toMatchObject([{ shares: 10n ** 7n, assets: null, value: null }]);
  });

  test("has neither estimate nor expiry while fee and window are unknown", () => {
    const unknown = { assets: null, value: null, expiresAt: null };
    expect(pending(null)).toMatchObject([{ shares: 10n ** 7n, state: "pending", ...unknown }]);
  });

  test("is unknown once it has matured, while the window is unknown", () => {
    expect(pending(100, -60)).toMatchObject([{ state: "claimable" }]);
    expect(pending(100, -700_000)).toMatchObject([{ state: "expired" }]);
    expect(pending(null, -60)).toBeNull();
  });

  describe("once it has matured", () => {
    /** The request, made at a rate of 1.25 with a limit of 0.5% of its own or, at 0, the contract's of 1%. */
    const matured = (of: { limit?: number; allowed?: boolean; answers?: Record<string, unknown> } = {}) =>
      answer(vedaExits.pending?.(delayed, { user: USER, requestIds: [], now: NOW }) ?? noQuery(), {
        request: [false, of.limit ?? 0, NOW / 1_000 - 60, 10n ** 7n, 1_250_000n],
        config: [of.allowed ?? true, 604_800, 0, 0n, 0, 100],
        ...{ paused: false, rate: 1_250_000n, assetRate: 1_250_000n, ...of.answers },
      })?.[0];
    const claimOf = (request: ReturnType<typeof matured>) =>
      request && vedaExits.claim?.(delayed, { user: USER, request });

    test.each<[string, Parameters<typeof matured>[0]]>([
      ["within the contract's limit of loss", { answers: { rate: 1_237_700n } }],
      ["within its own limit of loss, above", { limit: 50, answers: { rate: 1_256_250n } }],
      ["while the rate or the pause is unread", { answers: { rate: undefined, paused: undefined } }],
    ])("can be claimed %s", (_name, of) => {
      const request = matured(of);
      expect(request).toMatchObject({ state: "claimable", claimableShares: 10n ** 7n });
      expect(claimOf(request)).toMatchObject({ target: DELAYED });
    });

    test.each<[string, Parameters<typeof matured>[0], string]>([
      ["the contract is paused", { answers: { paused: true } }, "exits_paused"],
      ["the asset is no longer paid", { allowed: false }, "exits_paused"],
      ["the rate has fallen below the contract's limit", { answers: { rate: 1_237_600n } }, "price_unsafe"],
      [
        "the rate has risen above its own limit",
        { limit: 50, answers: { rate: 1_256_251n } },
        "price_unsafe",
      ],
      ["the accountant is paused", { answers: { rate: new Revert("0x12345678") } }, "exits_paused"],
    ])("waits while %s, and can be cancelled", (_name, of, refusal) => {
      const request = matured(of);
      const nothing = { claimableShares: 0n, claimableAssets: 0n, cancellable: true };
      expect(request).toMatchObject({ state: "pending", ...nothing, refusal });
      expect(claimOf(request)).toBeNull();
    });

    test.each<[string, Record<string, unknown>, bigint | null]>([
      ["at the lower rate that a paused accountant shows", { rateAnyway: 1_000_000n }, 10_000_000n],
      ["at its own rate if a paused accountant shows a higher one", { rateAnyway: 1_300_000n }, 12_500_000n],
      ["unknown if no rate is shown", {}, null],
    ])("is %s", (_name, shown, assets) => {
      const paused = { rate: new Revert("0x12345678"), ...shown };
      expect(matured({ answers: paused })).toMatchObject({ state: "pending", assets });
    });
  });

  describe("that the vault does not let pay any longer", () => {
    const stopped = { address: QUEUE, decimals: 18, symbol: "OLD" } as const;
    const closed: Vault = {
      ...delayed,
      params: {
        ...{ teller: "d", delayed_withdraw: "", delayed_requests: DELAYED },
        stopped_tokens: tokenList([stopped]),
      },
    };
    const ask = { user: USER, requestIds: [], now: NOW };
    const answers = {
      request: [false, 0, NOW / 1_000 - 60, 0n, 1_250_000n],
      [`delayed/${DELAYED}/${QUEUE}/seen/request`]: [false, 0, NOW / 1_000 - 60, 10n ** 7n, 1_250_000n],
      config: [true, 604_800, 0, 0n, 0, 100],
      ...{ paused: false, rate: 1_250_000n, assetRate: 1_250_000n },
    };
    const requests = answer(vedaExits.pending?.(closed, ask) ?? noQuery(), answers);

    test("shows in its logs what became of its requests, for the account and the token alone", () => {
      const log = (signature: string, values: Record<string, unknown>, at: Address = DELAYED) =>
        eventLog(at, signature, { account: USER, asset: USDC, shares: 5n, ...values }) as unknown as Log;
      const requested =
        "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)";
      const completed =
        "event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets)";
      const cancelled =
        "event WithdrawCancelled(address indexed account, address indexed asset, uint96 shares)";
      const found = (...logs: Log[]) => vedaExits.findRequest?.(closed, { user: USER, logs });
      const ended = (requestId: string, ...logs: Log[]) =>
        vedaExits.findSettlement?.(closed, { user: USER, requestId, logs, requestLogs: [] });
      const made = log(requested, { maturity: 9 });
      expect(found(made)).toEqual({ requestId: "0", shares: 5n, mode: "cooldown", token: USDC });
      expect(found(log(requested, { maturity: 9, asset: QUEUE }))).toMatchObject({ requestId: QUEUE });
      expect(found(log(requested, { maturity: 9, account: ACCOUNTANT }))).toBeNull();
      expect(found(log(requested, { maturity: 9 }, QUEUE))).toBeNull();
      expect(ended("0", log(completed, { assets: 7n }))).toEqual({ outcome: "paid", assets: 7n });
      expect(ended("0", log(cancelled, {}))).toEqual({ outcome: "cancelled", assets: 0n });
      expect(ended(QUEUE, log(completed, { assets: 7n }))).toBeNull();
      expect(ended("0", made, log(completed, { assets: 7n, account: ACCOUNTANT }))).toBeNull();
      // The shares of a request, its fee included, leave the contract.
      const moves = (to: Address, value: bigint) =>
        transferLog({ token: closed.shareToken, from: DELAYED, to, value });
      const moved = [moves(ACCOUNTANT, 1n), moves(zeroAddress, 5n)];
      const paid = log(completed, { assets: 7n });
      expect(ended("0", ...moved, paid)).toEqual({ outcome: "paid", assets: 7n, shares: 6n });
      // Another request's shares may be among them.
      const other = log(cancelled, { account: ACCOUNTANT });
      expect(ended("0", ...moved, paid, other)).toEqual({ outcome: "paid", assets: 7n });
      expect(ended("0", moves(zeroAddress, 4n), paid)).toEqual({ outcome: "paid", assets: 7n });
    });

    test("takes no new requests", () => {
      expect(vedaExits.modes(closed)).toEqual([]);
      expect(vedaExits.modes(delayed)).toEqual(["cooldown"]);
    });

    test("holds open requests, of tokens too that it has stopped paying, which wait and can be cancelled", () => {
      const [request, ...others] = requests ?? [];
      expect(others).toEqual([]);
      const held = {
        shares: 10n ** 7n,
        token: QUEUE,
        state: "pending",
        claimableShares: 0n,
        cancellable: true,
      };
      expect(request).toMatchObject(held);
      if (request === undefined) return;
      expect(vedaExits.claim?.(closed, { user: USER, request })).toBeNull();
      expect(vedaExits.cancel?.(closed, { user: USER, request })).toMatchObject({ target: DELAYED });
      // Where an operator ended new requests, the contract still pays the open ones.
      const { delayed_withdraw: _, ...params } = closed.params;
      const ended = answer(vedaExits.pending?.({ ...closed, params }, ask) ?? noQuery(), answers);
      expect(ended).toMatchObject([{ state: "claimable", claimableShares: 10n ** 7n }]);
      expect(vedaExits.tokens(closed, "cooldown")).toContainEqual(stopped);
      expect(vedaExits.tokens(closed, "instant")).not.toContainEqual(stopped);
    });
  });

  test("previews nothing with a fee above 100%", () => {
    const request = { token: own.asset, shares: 10n ** 7n, owner: USER, caller: USER, receiver: USER };
    const terms = (fee: number) =>
      answer(vedaExits.terms(delayed, { ...request, mode: "cooldown", now: NOW }), {
        ...{ vault: own.shareToken, accountant: ACCOUNTANT, rate: 1_250_000n },
        config: [true, 604_800, 0, 0n, fee, 0],
      });
    expect(terms(100).previewAssets).toBe(12_375_000n);
    // The fee is taken from the shares, rounded down.
    request.shares = 10n ** 7n - 1n;
    expect(terms(100).previewAssets).toBe(12_375_000n);
    expect(terms(20_000).previewAssets).toBeNull();
  });
});
