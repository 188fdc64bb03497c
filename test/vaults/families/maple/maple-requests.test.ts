import { type Address, decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { erc4626 } from "../../../../src/vaults/families/erc4626-family.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { OTHER, USDC, USER, VAULT } from "../../../support/deposits/fixtures.ts";
import { familyVault } from "../../../support/withdrawals/fixtures.ts";

const MANAGER: Address = "0x1111111111111111111111111111111111111111";
const OLD: Address = "0x3333333333333333333333333333333333333333";
const QUEUE: Address = "0x5555555555555555555555555555555555555555";
const abi = parseAbi([
  "function manager() view returns (address)",
  "function maxRedeem(address) view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function unrealizedLosses() view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function withdrawalManager() view returns (address)",
  "function lockedShares(address) view returns (uint256)",
  "function exitCycleId(address) view returns (uint256)",
  "function getWindowAtId(uint256) view returns (uint256 start, uint256 end)",
  "function getRedeemableAmounts(uint256, address) view returns (uint256 shares, uint256 assets, bool isPartial)",
  "function manualSharesAvailable(address) view returns (uint256)",
  "function requestIds(address) view returns (uint256)",
  "function requests(uint128) view returns (address owner, uint256 shares)",
  "function requestsByOwner(address) view returns (uint256[] ids, uint256[] shares)",
  "function balanceOf(address) view returns (uint256)",
]);

/** View functions of a contract with their results; calls of others fail. */
type Contract = Readonly<Record<string, unknown>>;
const pool: Contract = {
  ...{ manager: MANAGER, maxRedeem: 0n, totalAssets: 1_200n, unrealizedLosses: 100n, totalSupply: 1_000n },
};
/** Times between which the shares of the user's cycle can be redeemed, in unix seconds. */
const [START, END] = [1_000, 2_000];
const cycles: Contract = {
  ...{ lockedShares: 33n, exitCycleId: 7n, getWindowAtId: [BigInt(START), BigInt(END)] },
};
/** A queue of version 1 with one request of the user. */
const single: Contract = { lockedShares: 0n, requestIds: 5n, requests: [USER, 33n] };
/** A queue of version 2 with two requests of the user. */
const multi: Contract = {
  lockedShares: 0n,
  requestIds: 8n,
  requestsByOwner: [
    [5n, 8n],
    [33n, 20n],
  ],
};
/** A queue of version 3, which has no `lockedShares`. */
const third: Contract = { ...multi, lockedShares: undefined, manualSharesAvailable: 10n };
const named = (requests: Address) => ({ pool_manager: MANAGER, withdrawal_manager: requests });

/** Reads the user's requests at a pool whose withdrawal manager is at `current` and behaves like `manager`. */
async function read(of: {
  manager: Contract;
  current?: Address;
  own?: Contract;
  params?: Record<string, string>;
  requestIds?: readonly string[];
  /** Assets that the pool holds; unread if absent. */
  liquid?: bigint;
  /** Time of the block in unix seconds. */
  at?: number;
}) {
  const current = of.current ?? QUEUE;
  const contracts: Readonly<Record<string, Contract>> = {
    [OLD]: cycles,
    [VAULT]: { ...pool, ...of.own },
    [MANAGER]: { withdrawalManager: current },
    [current]: of.manager,
    [USDC]: { balanceOf: of.liquid },
  };
  const client = contractsClient(({ to, data }) => {
    const { functionName } = decodeFunctionData({ abi, data });
    const result = contracts[to]?.[functionName];
    return result === undefined
      ? { ok: false, data: "0x" }
      : { ok: true, data: encodeFunctionResult({ abi, functionName, result } as never) };
  });
  const vault = familyVault("erc4626", { exit: "maple", ...(of.params ?? named(current)) });
  const asked = { user: USER, requestIds: of.requestIds ?? [], now: (of.at ?? 0) * 1_000 };
  const pending = erc4626.exits?.pending?.(vault, asked);
  if (pending === undefined) throw new Error("the family has no requests");
  const { value } = await runQuery(client, pending);
  return { vault, requests: value, asked: client.calls.length };
}

const cancels = parseAbi([
  "function removeShares(uint256 shares, address owner) returns (uint256)",
  "function removeSharesById(uint256 requestId, uint256 shares) returns (uint256, uint256)",
]);

/** Returns the contract, the function and the arguments that cancel a request, or null if nothing does. */
function cancellation({ vault, requests }: Awaited<ReturnType<typeof read>>, index: number) {
  const request = requests?.[index];
  if (request === undefined) throw new Error("no request");
  const call = erc4626.exits?.cancel?.(vault, { user: USER, request }) ?? null;
  if (call === null) return null;
  const { functionName, args } = decodeFunctionData({ abi: cancels, data: call.data });
  return [call.target, functionName, ...args];
}

const waiting = { state: "pending", claimableAssets: 0n, claimableShares: 0n } as const;

describe("requests to a cyclical withdrawal manager", () => {
  test("are one without a number, priced net of unrealised losses and rounded down", async () => {
    const { requests, asked } = await read({ manager: cycles });
    expect(asked).toBe(2);
    // 33 × (1,200 − 100) / 1,000 = 36.3
    expect(requests).toMatchObject([{ requestId: "0", shares: 33n, assets: 36n, ...waiting }]);
  });

  test.each<[string, number, bigint, object]>([
    ["wait before their window, without a cancellation", START - 1, 0n, { ...waiting, cancellable: false }],
    [
      "can be claimed or cancelled from its start",
      START,
      33n,
      { state: "claimable", claimableShares: 33n, claimableAssets: 36n, cancellable: true },
    ],
    [
      "can be cancelled until its end although the claim is not known",
      END - 1,
      0n,
      { ...waiting, cancellable: true },
    ],
    [
      "have expired at its end, and can be cancelled",
      END,
      0n,
      { state: "expired", claimableShares: 0n, claimableAssets: 0n, cancellable: true },
    ],
  ])("%s", async (_name, at, maxRedeem, shown) => {
    const seen = await read({ manager: cycles, own: { maxRedeem }, at });
    expect(seen.requests).toMatchObject([{ shares: 33n, earliest: START, expiresAt: END, ...shown }]);
    expect(cancellation(seen, 0)).toEqual(at < START ? null : [VAULT, "removeShares", 33n, USER]);
  });

  test("pay what the pool's liquidity covers of them, for all shares or, while that is none, not at all", async () => {
    const redeem = parseAbi(["function redeem(uint256 shares, address receiver, address owner)"]);
    const shortOf = async (shares: bigint, assets: bigint) => {
      const manager = { ...cycles, getRedeemableAmounts: [shares, assets, true] };
      const { vault, requests } = await read({ manager, own: { maxRedeem: 33n }, at: START });
      const [request] = requests ?? [];
      if (request === undefined) throw new Error("no request");
      const call = erc4626.exits?.claim?.(vault, { user: USER, request }) ?? null;
      const claimed = call === null ? null : decodeFunctionData({ abi: redeem, data: call.data }).args[0];
      return { ...request, claimed };
    };
    expect(await shortOf(12n, 13n)).toMatchObject({
      ...{ state: "claimable", shares: 33n, assets: 36n, claimableShares: 12n, claimableAssets: 13n },
      // The manager refuses any other number.
      claimed: 33n,
    });
    expect(await shortOf(0n, 0n)).toMatchObject({ ...waiting, refusal: "no_liquidity", claimed: null });
    // A manager cannot redeem more than it holds.
    expect(await shortOf(34n, 99n)).toMatchObject({ claimableShares: 33n, claimableAssets: 36n });
  });

  test("are none without shares, and without totals their value is unknown", async () => {
    const none = await read({ manager: { ...cycles, lockedShares: 0n, exitCycleId: 0n } });
    expect([none.requests, none.asked]).toEqual([[], 1]);
    const { requests } = await read({ manager: cycles, own: { totalSupply: 0n } });
    expect(requests).toMatchObject([{ shares: 33n, assets: null }]);
  });
});

describe("requests to a queue", () => {
  test("of version 1 are the one that waits, under its number", async () => {
    const seen = await read({ manager: single });
    expect(seen.asked).toBe(2);
    expect(seen.requests).toMatchObject([
      { requestId: "5", shares: 33n, assets: 36n, cancellable: true, earliest: null, ...waiting },
    ]);
    expect(cancellation(seen, 0)).toEqual([VAULT, "removeShares", 33n, USER]);
  });

  test("of version 2 are all that wait, each of which the queue takes back by its number", async () => {
    const seen = await read({ manager: multi });
    expect(seen.asked).toBe(1);
    expect(seen.requests).toMatchObject([
      { requestId: "5", shares: 33n, assets: 36n, cancellable: true, ...waiting },
      { requestId: "8", shares: 20n, assets: 22n, cancellable: true, ...waiting },
    ]);
    expect([cancellation(seen, 0), cancellation(seen, 1)]).toEqual([
      [QUEUE, "removeSharesById", 5n, 33n],
      [QUEUE, "removeSharesById", 8n, 20n],
    ]);
  });

  test("are taken back by the queue that keeps them, not by the one in the registry entry", async () => {
    const seen = await read({ manager: multi, params: named(OLD) });
    expect(cancellation(seen, 0)).toEqual([QUEUE, "removeSharesById", 5n, 33n]);
  });

  test("of version 3 are read with the processed shares under their other name", async () => {
    const seen = await read({ manager: third, own: { maxRedeem: 10n } });
    expect(seen.requests).toMatchObject([
      { requestId: "5", shares: 33n, cancellable: true },
      { requestId: "8", shares: 20n, cancellable: true },
      { requestId: "0", shares: 10n, state: "claimable", claimableShares: 10n, cancellable: false },
    ]);
    expect(cancellation(seen, 0)).toEqual([QUEUE, "removeSharesById", 5n, 33n]);
    expect(cancellation(seen, 2)).toBeNull();
  });

  test.each([
    ["version 1", { ...single, requestIds: 0n }],
    ["version 2", { ...multi, requestIds: 0n, requestsByOwner: [[], []] }],
  ])("of %s are none once they are paid or taken back", async (_name, manager) => {
    expect((await read({ manager, requestIds: ["5"] })).requests).toEqual([]);
  });

  test("are what a user in manual mode can redeem, under the only known number that has left the queue", async () => {
    const manager = { ...multi, lockedShares: 10n };
    const own = { maxRedeem: 10n };
    const idOf = async (requestIds: readonly string[]) => {
      const { requests } = await read({ manager, own, requestIds });
      expect(requests).toHaveLength(3);
      expect(requests?.at(-1)).toMatchObject({
        ...{ state: "claimable", shares: 10n, assets: 11n, claimableShares: 10n, claimableAssets: 11n },
        cancellable: false,
      });
      return requests?.at(-1)?.requestId;
    };
    expect(await idOf([])).toBe("0");
    expect(await idOf(["5", "8", "0"])).toBe("0");
    expect(await idOf(["5", "3", "3"])).toBe("3");
    expect(await idOf(["3", "4"])).toBe("0");
  });

  test("of a user in manual mode are claimed as far as the pool's assets go, because it pays all or nothing", async () => {
    const manager = { ...single, requestIds: 0n, lockedShares: 10n };
    const claimable = async (liquid: bigint) =>
      (await read({ manager, own: { maxRedeem: 10n }, liquid })).requests;
    // 10 shares are worth 11 assets, and 5 shares 5.5.
    expect(await claimable(11n)).toMatchObject([{ shares: 10n, claimableShares: 10n, claimableAssets: 11n }]);
    expect(await claimable(6n)).toMatchObject([
      { state: "claimable", shares: 10n, assets: 11n, claimableShares: 5n, claimableAssets: 5n },
    ]);
    expect(await claimable(0n)).toMatchObject([{ ...waiting, shares: 10n, assets: 11n }]);
    const cyclical = { manager: cycles, own: { maxRedeem: 33n }, liquid: 0n, at: START };
    expect((await read(cyclical)).requests).toMatchObject([{ claimableShares: 33n }]);
  });

  test("are not known to be claimable if the pool does not say how much it redeems", async () => {
    const manager = { ...single, requestIds: 0n, lockedShares: 10n };
    const { requests } = await read({ manager, own: { maxRedeem: undefined } });
    expect(requests).toMatchObject([
      { state: "pending", shares: 10n, claimableShares: null, claimableAssets: null },
    ]);
  });
});

describe("requests are unknown, not absent,", () => {
  test.each<[string, Parameters<typeof read>[0]]>([
    ["without the window of the cycle", { manager: { ...cycles, getWindowAtId: undefined } }],
    [
      "without the shares in cycles, whatever else answers",
      { manager: { ...cycles, lockedShares: undefined, manualSharesAvailable: 0n } },
    ],
    ["if the manager is of no known kind", { manager: { lockedShares: 0n } }],
    ["without the processed shares", { manager: { ...multi, lockedShares: undefined } }],
    ["without the request of a number", { manager: { ...single, requests: undefined } }],
    ["if the number is another account's", { manager: { ...single, requests: [OTHER, 33n] } }],
    ["if ids and shares do not match", { manager: { ...multi, requestsByOwner: [[5n, 8n], [33n]] } }],
    ["if the list of version 2 fails", { manager: { ...multi, requestsByOwner: undefined } }],
    ["without the pool manager", { manager: multi, own: { manager: undefined } }],
  ])("%s", async (_name, of) => {
    expect((await read(of)).requests).toBeNull();
  });
});

describe("the withdrawal manager", () => {
  test.each<[string, Record<string, string>, number]>([
    ["unknown to the registry entry", {}, 3],
    ["that of another pool manager there", { pool_manager: OLD, withdrawal_manager: OLD }, 3],
    ["an earlier one there, before the pool's upgrade", named(OLD), 3],
  ])("is found on the chain if it is %s", async (_name, params, rounds) => {
    const { requests, asked } = await read({ manager: multi, params });
    expect(asked).toBe(rounds);
    expect(requests).toMatchObject([{ requestId: "5" }, { requestId: "8" }]);
  });
});
