import { type Address, decodeFunctionData, type Hex, type Log, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { vedaExits } from "../../../../src/vaults/families/veda/veda-exits.ts";
import { vedaFlows } from "../../../../src/vaults/families/veda/veda-flow-events.ts";
import { checkVedaParams } from "../../../../src/vaults/families/veda/veda-pricing.ts";
import { hashRequest, unpackRequest } from "../../../../src/vaults/families/veda/veda-queue-requests.ts";
import { vedaQueueAbi } from "../../../../src/vaults/families/veda/veda-withdraw-queue.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, vault as plain, USDC, USER } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const [FIRST, SECOND, OTHER] = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "0x4444444444444444444444444444444444444444",
] as const;

/** A vault whose first queue was replaced by a second one. */
const vault: Vault = {
  ...plain,
  ...{ adapter: "veda", type: "veda", pricer: OTHER, shareDecimals: 6 },
  params: { teller: "d", withdraw_queue: SECOND, queue_requests: [FIRST, SECOND].join() },
};
const before: Vault = { ...vault, params: { teller: "d", withdraw_queue: FIRST } };

const requestedAt = (queue: Address, nonce: bigint) =>
  eventLog(
    queue,
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
    {
      ...{ requestId: numberToHex(1, { size: 32 }), user: USER, assetOut: USDC, nonce },
      ...{ amountOfShares: 900n, amountOfAssets: 1_000n },
      ...{ creationTime: Math.floor(NOW / 1_000), secondsToMaturity: 60, secondsToDeadline: 600 },
    },
  );
const asLogs = (...logs: unknown[]) => logs as Log[];
const idIn = (of: Vault, log: ReturnType<typeof requestedAt>): string => {
  const id = vedaExits.findRequest?.(of, { user: USER, logs: asLogs(log) })?.requestId ?? null;
  if (id === null) throw new Error("no request");
  expect(vedaFlows(of).decode(log)?.requestId).toBe(id);
  return id;
};
const hashOf = (id: string): Hex => {
  const request = unpackRequest(id, USER);
  if (request === null) throw new Error("no request");
  return hashRequest(request);
};
const endedAt = (queue: Address, name: "Solved" | "Cancelled", requestId: Hex) =>
  eventLog(
    queue,
    `event OnChainWithdraw${name}(bytes32 indexed requestId, address indexed user, uint256 timestamp)`,
    { requestId, user: USER, timestamp: 1n },
  );

describe("Veda's queue that another one replaced", () => {
  const [old, recent] = [idIn(vault, requestedAt(FIRST, 1n)), idIn(vault, requestedAt(SECOND, 1n))];
  /** Whether a queue's list has the request that is asked for. */
  const listed = (queue: Address, is: boolean) => ({ [`queue/open/${queue}/open`]: [is] });
  const pendingAt = (answers: Record<string, unknown>, requestIds = [old, recent]) => {
    const query = vedaExits.pending?.(vault, { user: USER, requestIds, now: NOW });
    if (query === undefined) throw new Error("no requests");
    return answer(query, answers);
  };

  test("keeps the ids of its requests, and leaves those of the next one to tell", () => {
    expect(idIn(before, requestedAt(FIRST, 1n))).toBe(old);
    expect(recent).toBe(`${old}@${SECOND}`);
    expect(() => checkVedaParams(vault)).not.toThrow();
    const wrong = { ...vault, params: { ...vault.params, queue_requests: "0x12" } };
    expect(() => checkVedaParams(wrong)).toThrow(/queue_requests/);
  });

  test("shows what is open in it, and is not asked for what another one holds", () => {
    const open = { ...listed(FIRST, true), ...listed(SECOND, false) };
    expect(pendingAt(open)).toMatchObject([{ requestId: old, shares: 900n, assets: 1_000n }]);
    const both = { ...open, ...listed(SECOND, true) };
    expect(pendingAt(both)?.map(({ requestId }) => requestId)).toEqual([old, recent]);
    // Only the queue of an asked request need be readable.
    expect(pendingAt(listed(SECOND, true), [recent])).toHaveLength(1);
    expect(pendingAt(listed(SECOND, true))).toBeNull();
    expect(pendingAt({ ...open, ...both }, [`${old}@${OTHER}`])).toEqual([]);
  });

  test("is where its requests are cancelled", () => {
    for (const request of pendingAt({ ...listed(FIRST, true), ...listed(SECOND, true) }) ?? []) {
      const call = vedaExits.cancel?.(vault, { user: USER, request });
      expect(call?.target).toBe(request.requestId === old ? FIRST : SECOND);
      const { args } = decodeFunctionData({ abi: vedaQueueAbi(), data: call?.data ?? "0x" });
      expect(args).toMatchObject([{ user: USER, nonce: 1n, amountOfShares: 900n }]);
      const elsewhere = { ...request, requestId: `${old}@${OTHER}` };
      expect(vedaExits.cancel?.(vault, { user: USER, request: elsewhere })).toBeNull();
    }
  });

  test("shows in logs how its requests ended, and each queue only its own", () => {
    const outcomeOf = (requestId: string, ...logs: unknown[]) =>
      vedaExits.findSettlement?.(vault, { user: USER, requestId, logs: asLogs(...logs), requestLogs: [] });
    for (const [queue, id, another] of [
      [FIRST, old, recent],
      [SECOND, recent, old],
    ] as const) {
      const solved = endedAt(queue, "Solved", hashOf(id));
      expect(outcomeOf(id, solved)).toEqual({ outcome: "paid", assets: 1_000n, alone: true });
      expect(outcomeOf(another, solved)).toBeNull();
      const cancelled = endedAt(queue, "Cancelled", hashOf(id));
      expect(outcomeOf(id, cancelled)).toEqual({ outcome: "cancelled", assets: 0n });
      // The queue that keeps the shares names the request that took its place.
      const next = requestedAt(queue, 2n);
      expect(outcomeOf(id, cancelled, next)).toMatchObject({ successor: idIn(vault, next) });
    }
  });

  test("counts in the flows: what it took, and what was cancelled", () => {
    const source = vedaFlows(vault);
    expect(source.addresses).toEqual(expect.arrayContaining([FIRST, SECOND]));
    const flows = [
      ...[requestedAt(FIRST, 1n), requestedAt(SECOND, 1n), requestedAt(SECOND, 2n)],
      endedAt(SECOND, "Cancelled", hashOf(idIn(vault, requestedAt(SECOND, 2n)))),
    ].map((log) => {
      const flow = source.decode(log);
      if (flow?.requestId === undefined) throw new Error("a flow without an id");
      return { kind: flow.kind, requestId: flow.requestId, assets: flow.assets, shares: flow.shares };
    });
    const of = { user: USER, flows };
    expect(vedaExits.takenOut?.(vault, of).interpret({})).toBe(2_000n);
    expect(vedaExits.takenShares?.(vault, of)).toBe(1_800n);
  });
});
