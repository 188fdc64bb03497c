import { type Address, encodeAbiParameters, toFunctionSelector } from "viem";
import { describe, expect, test } from "vitest";
import { hashRequest, queueRequestId } from "../../src/vaults/families/veda/veda-queue-requests.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import type { Contracts } from "../support/chains/multicall.ts";
import { NOW, USDC, USER, vault } from "../support/deposits/fixtures.ts";
import {
  type Event,
  emptied,
  FURTHER,
  fallen,
  found,
  INDEXED_TO,
  midas,
  playUnindexed as play,
  REDEMPTIONS,
  requested,
  second,
  unknown,
  WAD,
  word,
} from "../support/positions/played-unindexed.ts";
import { eventLog } from "../support/vaults/answer.ts";

/** A vault whose requests are numbered, and found without their numbers too. */
const unnumbered: Vault = { ...vault, adapter: "lagoon" };
const veda: Vault = {
  ...{ ...vault, adapter: "veda" },
  params: { teller: "d", withdraw_queue: REDEMPTIONS },
};

const QUEUE_EVENTS = {
  asked:
    "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
  cancelled:
    "event OnChainWithdrawCancelled(bytes32 indexed requestId, address indexed user, uint256 timestamp)",
};
/** A request of the user in Veda's queue. */
const queued = (nonce: bigint, amountOfShares: bigint, amountOfAssets: bigint) => ({
  ...{ nonce, user: USER as Address, assetOut: USDC as Address, amountOfShares, amountOfAssets },
  ...{ creationTime: Math.floor(NOW / 1000), secondsToMaturity: 60, secondsToDeadline: 60 },
});
const asks = (request: ReturnType<typeof queued>): Event =>
  eventLog(REDEMPTIONS, QUEUE_EVENTS.asked, { ...request, requestId: hashRequest(request) });
const cancelled = (request: ReturnType<typeof queued>): Event =>
  eventLog(REDEMPTIONS, QUEUE_EVENTS.cancelled, {
    ...{ requestId: hashRequest(request), user: USER, timestamp: 0n },
  });

describe("a request is read from the user's own events", () => {
  const logs = found(requested(7n, 2n * WAD));
  const kept = { now: 5n * WAD, before: 5n * WAD, flown: 5n * WAD };

  const made = { ...kept, now: 6n * WAD };

  test("where a larger deposit since has more than made up for the shares", async () => {
    const { shown, basis, methods } = await play({ ...made, logs });
    expect(shown).toMatchObject([{ assets: 8_000_000n, requests: ["7"] }]);
    // What was deposited since is not known yet. The balance at the index's last block is read meanwhile.
    expect([basis, methods]).toEqual(["unindexed", ["eth_call", "eth_call"]]);
  });

  test("but not where the flows explain the shares, or there are none: that would cost everybody a request", async () => {
    expect(await play({ ...kept, logs })).toMatchObject({ own: [], methods: [] });
    expect(await play({ ...fallen, logs, strange: true })).toMatchObject({ own: [], methods: [] });
    expect(await play({ ...emptied, logs, strange: true })).toMatchObject({ own: [], methods: [] });
  });

  test("and its value is unknown if it cannot be read", async () => {
    const contracts: Contracts = () => ({ ok: false, data: "0x" });
    const asked = { ...made, logs, contracts };
    expect(await play(asked)).toMatchObject({ shown: unknown, basis: "unindexed" });
    expect(await play({ ...asked, now: 0n })).toMatchObject({ shown: unknown });
  });

  test("in one request for all vaults, and none if the index has reached the block", async () => {
    const both = await play({ ...made, logs, vaults: [midas, second] });
    const address = [REDEMPTIONS, FURTHER].map((one) => one.toLowerCase());
    expect(both.own).toMatchObject([{ params: [{ address }] }]);
    expect(await play({ ...made, logs, block: INDEXED_TO })).toMatchObject({ own: [], methods: [] });
    expect(await play({ ...made, logs, vaults: [unnumbered] })).toMatchObject({ own: [] });
  });

  test("if it replaced one in Veda's queue, which keeps the shares", async () => {
    const shares = 2n * WAD;
    const [old, next] = [queued(1n, shares, 2_000_000n), queued(2n, shares, 1_900_000n)];
    const idOf = ({ user: _, ...request }: typeof old) =>
      queueRequestId(veda, { queue: REDEMPTIONS, request }) ?? "";
    const row = { trackingId: null, direction: "withdrawal", requestId: idOf(old), shares } as const;
    const open = [{ ...row, chainId: veda.chainId, vaultAddress: veda.address.toLowerCase() }];
    const listed = encodeAbiParameters([{ type: "bytes32[]" }], [[hashRequest(next)]]);
    const contracts: Contracts = ({ data }) => ({
      ok: true,
      data: data === toFunctionSelector("getRequestIds()") ? listed : word(WAD),
    });
    const replaced = { ...kept, open, vaults: [veda], contracts };
    const { shown, basis } = await play({ ...replaced, logs: found(cancelled(old), asks(next)) });
    expect(shown).toMatchObject([{ assets: 6_900_000n, requests: [idOf(next)] }]);
    expect(basis).toBe("unindexed");
  });
});
