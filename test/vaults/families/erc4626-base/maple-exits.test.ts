import { type Address, decodeFunctionData, encodeFunctionResult, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { identifyWaiting } from "../../../../src/vaults/families/erc4626-base/erc4626-waiting-exits.ts";
import { mapleAbi, mapleRequest } from "../../../../src/vaults/families/erc4626-base/maple-exits.ts";
import type { DerivationSubject } from "../../../../src/vaults/vault-deriver.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER, VAULT } from "../../../support/deposits/fixtures.ts";
import { familyVault } from "../../../support/withdrawals/fixtures.ts";

const MANAGER: Address = "0x1111111111111111111111111111111111111111";
const REQUESTS: Address = "0x2222222222222222222222222222222222222222";
const OLD: Address = "0x3333333333333333333333333333333333333333";
const managers = { pool_manager: MANAGER, withdrawal_manager: REQUESTS };

/** View functions of a pool and its managers with their results. Null: the call fails. */
const pool = {
  [VAULT]: {
    ...{ manager: MANAGER, maxRedeem: 0n, convertToExitAssets: 1n },
    ...{ totalAssets: 1_200n, unrealizedLosses: 100n, totalSupply: 1_000n },
  },
  [MANAGER]: { withdrawalManager: REQUESTS },
  [REQUESTS]: { lockedShares: 33n },
} as const;

/** Creates a client of a chain with this pool, whose results may differ. */
function poolClient(change: Readonly<Record<string, unknown>> = {}) {
  const contracts: Readonly<Record<string, Record<string, unknown>>> = pool;
  return contractsClient(({ to, data }) => {
    const { functionName, result } = resultOf({ to, data, contracts, change });
    return result === undefined || result === null
      ? { ok: false, data: "0x" }
      : { ok: true, data: encodeFunctionResult({ abi: mapleAbi(), functionName, result } as never) };
  });
}

function resultOf(of: {
  to: Address;
  data: Hex;
  contracts: Readonly<Record<string, Record<string, unknown>>>;
  change: Readonly<Record<string, unknown>>;
}) {
  try {
    const { functionName } = decodeFunctionData({ abi: mapleAbi(), data: of.data });
    const own = of.contracts[of.to];
    const result =
      own !== undefined && functionName in own ? (of.change[functionName] ?? own[functionName]) : null;
    return { functionName, result };
  } catch {
    return { functionName: "", result: null };
  }
}

async function readRequest(of: { params?: Record<string, string>; change?: Record<string, unknown> } = {}) {
  const client = poolClient(of.change);
  const vault = familyVault("erc4626", { exit: "maple", ...(of.params ?? managers) });
  const { value } = await runQuery(client, mapleRequest(vault, { user: USER }));
  return { requests: value, asked: client.calls.length };
}

describe("mapleRequest()", () => {
  test("reads an open request in one RPC request, at the price net of unrealised losses, rounded down", async () => {
    const { requests, asked } = await readRequest();
    expect(asked).toBe(1);
    // 33 × (1,200 − 100) / 1,000 = 36.3
    expect(requests).toMatchObject([
      { requestId: "0", shares: 33n, assets: 36n, state: "pending", claimableAssets: 0n, cancellable: true },
    ]);
  });

  test.each([
    ["unknown", {}],
    ["outdated", { pool_manager: OLD, withdrawal_manager: OLD }],
  ])("finds the managers on the chain when those of the registry entry are %s", async (_name, params) => {
    const { requests, asked } = await readRequest({ params });
    expect(asked).toBe(3);
    expect(requests).toMatchObject([{ shares: 33n, assets: 36n }]);
  });

  test("a request that was processed in part can be claimed to that part", async () => {
    const { requests } = await readRequest({ change: { maxRedeem: 10n } });
    expect(requests).toMatchObject([
      { state: "claimable", shares: 33n, assets: 36n, claimableShares: 10n, claimableAssets: 11n },
    ]);
  });

  test("without a request there is none, and without totals its value is unknown", async () => {
    expect((await readRequest({ change: { lockedShares: 0n } })).requests).toEqual([]);
    const { requests } = await readRequest({ change: { totalSupply: 0n } });
    expect(requests).toMatchObject([{ shares: 33n, assets: null }]);
  });
});

describe("identifyWaiting()", () => {
  test("stores the managers of a Maple pool, and forgets those of another contract", async () => {
    const subject = {
      address: VAULT,
      params: { other: "kept", pool_manager: OLD },
    } as unknown as DerivationSubject;
    const paramsOn = async (client: ReturnType<typeof poolClient>) => {
      const { value } = await runQuery(client, identifyWaiting(subject));
      return value.ok ? value.params : null;
    };
    expect(await paramsOn(poolClient())).toEqual({ other: "kept", exit: "maple", ...managers });
    const other = contractsClient(() => ({ ok: false, data: "0x" }));
    expect(await paramsOn(other)).toEqual({ other: "kept" });
  });
});
