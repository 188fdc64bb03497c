import {
  type Address,
  decodeFunctionData,
  encodeFunctionResult,
  numberToHex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { unlessUnmade } from "../../../../src/chains/chain-reads.ts";
import { identifyWaiting } from "../../../../src/vaults/families/erc4626-base/erc4626-waiting-exits.ts";
import { identifyMaple, mapleTerms } from "../../../../src/vaults/families/maple/maple-exits.ts";
import type { DerivationSubject } from "../../../../src/vaults/vault-deriver.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { answer, UNMADE } from "../../../support/vaults/answer.ts";

const MANAGER: Address = "0x1111111111111111111111111111111111111111";
const REQUESTS: Address = "0x2222222222222222222222222222222222222222";
const OLD: Address = "0x3333333333333333333333333333333333333333";
const abi = parseAbi([
  "function convertToExitAssets(uint256) view returns (uint256)",
  "function manager() view returns (address)",
  "function withdrawalManager() view returns (address)",
  "function requestIds(address) view returns (uint128)",
]);

/** Returns the registry parameters that are derived where these functions of these contracts answer, or the reason. */
async function paramsOn(contracts: Readonly<Record<Address, Readonly<Record<string, unknown>>>>) {
  const subject = {
    address: VAULT,
    params: { other: "kept", pool_manager: OLD, withdrawal_type: "queue" },
  } as unknown as DerivationSubject;
  const client = contractsClient(({ to, data }) => {
    try {
      const { functionName } = decodeFunctionData({ abi, data });
      const result = contracts[to]?.[functionName];
      if (result !== undefined)
        return { ok: true, data: encodeFunctionResult({ abi, functionName, result } as never) };
    } catch {
      // None of these functions.
    }
    return { ok: false, data: "0x" };
  });
  const { value } = await runQuery(client, identifyWaiting(subject));
  return value.ok ? value.params : value.reason;
}

describe("identifyWaiting()", () => {
  const pool = { convertToExitAssets: 1n, manager: MANAGER };
  const managers = { pool_manager: MANAGER, withdrawal_manager: REQUESTS };

  test("stores the managers of a Maple pool, and forgets those of another contract", async () => {
    const cyclical = { [VAULT]: pool, [MANAGER]: { withdrawalManager: REQUESTS } };
    expect(await paramsOn(cyclical)).toEqual({ other: "kept", exit: "maple", ...managers });
    expect(await paramsOn({})).toEqual({ other: "kept" });
  });

  test("refuses a Maple pool whose withdrawal manager nothing names, whose payments nothing would credit", async () => {
    expect(await paramsOn({ [VAULT]: pool })).toMatch(/names no withdrawal manager/);
    const zero = { [VAULT]: pool, [MANAGER]: { withdrawalManager: zeroAddress } };
    expect(await paramsOn(zero)).toMatch(/names no withdrawal manager/);
  });

  test("refuses nothing of which the nodes made no read", () => {
    const identified = unlessUnmade(identifyMaple({}, MANAGER));
    expect(answer(identified, { withdrawalManager: UNMADE, found: UNMADE })).toBe("unread");
  });

  test("stores that the withdrawal manager is a queue, which pays by itself", async () => {
    const queue = {
      [VAULT]: pool,
      [MANAGER]: { withdrawalManager: REQUESTS },
      [REQUESTS]: { requestIds: 0n },
    };
    expect(await paramsOn(queue)).toEqual({
      ...{ other: "kept", exit: "maple", ...managers, withdrawal_type: "queue" },
    });
  });
});

describe("mapleTerms()", () => {
  /** The refusal of a request of an account with this `maxRedeem`; null: the view fails. */
  async function refusalWith(ready: bigint | null, params: Readonly<Record<string, string>> = {}) {
    const client = contractsClient(({ data }) =>
      ready !== null && data.startsWith(toFunctionSelector("maxRedeem(address)"))
        ? { ok: true, data: numberToHex(ready, { size: 32 }) }
        : { ok: false, data: "0x" },
    );
    const pool = { ...vault, adapter: "erc4626", params: { exit: "maple", ...params } };
    const asked = { mode: "request", token: vault.asset, shares: 5n, now: 0 } as const;
    const own = { owner: USER, caller: USER, receiver: USER };
    return (await runQuery(client, mapleTerms(pool, { ...asked, ...own }))).value.refusal;
  }

  test("refuse a request that would lock shares again which can be claimed from the cyclical manager", async () => {
    expect(await refusalWith(33n)).toBe("request_pending");
    expect(await refusalWith(0n)).toBeNull();
    expect(await refusalWith(null)).toBeNull();
  });

  test("tell the window of a request to the cyclical manager: that of the second cycle after this one", async () => {
    const cycles = parseAbi([
      "function getCurrentCycleId() view returns (uint256)",
      "function getWindowAtId(uint256) view returns (uint256 start, uint256 end)",
    ]);
    const timesOf = async (params: Readonly<Record<string, string>>) => {
      const client = contractsClient(({ to, data }) => {
        if (to !== REQUESTS || !cycles.some((one) => data.startsWith(toFunctionSelector(one))))
          return { ok: false, data: "0x" };
        const { functionName, args } = decodeFunctionData({ abi: cycles, data });
        const id = args?.[0] ?? 0n;
        const result = functionName === "getCurrentCycleId" ? 7n : [id * 100n, id * 100n + 10n];
        return { ok: true, data: encodeFunctionResult({ abi: cycles, functionName, result } as never) };
      });
      const pool = { ...vault, adapter: "erc4626", params: { exit: "maple", ...params } };
      const who = { owner: USER, caller: USER, receiver: USER };
      const asked = { mode: "request", token: vault.asset, shares: 5n, now: 0, ...who } as const;
      const { earliest, expiresAt } = (await runQuery(client, mapleTerms(pool, asked))).value;
      return [earliest, expiresAt];
    };
    const withdrawal_manager = REQUESTS;
    expect(await timesOf({ withdrawal_manager })).toEqual([900, 910]);
    expect(await timesOf({ withdrawal_manager, withdrawal_type: "queue" })).toEqual([null, null]);
    expect(await timesOf({ withdrawal_manager: OLD })).toEqual([null, null]);
  });

  test("let a queue take a request while processed shares wait, which it keeps apart", async () => {
    expect(await refusalWith(33n, { withdrawal_type: "queue" })).toBeNull();
  });
});
