import { decodeFunctionData, encodeFunctionResult, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import {
  findMovedContracts,
  type PinnedContract,
  pinnedContracts,
} from "../../../scripts/providers/pinned-contracts.ts";
import { lifiContracts } from "../../../src/providers/lifi/lifi-deployments.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";

const abi = parseAbi(["function erc20Proxy() view returns (address)"]);
const EXECUTOR = "0x2dfaDAB8266483beD9Fd9A292Ce56596a2D1378D";
const PROXY = "0x5741A7FfE7c39Ca175546a54985fA79211290b51";
const OTHER = "0x00000000000000000000000000000000000000AA";
const contract: PinnedContract = {
  chainId: testChain.chainId,
  name: "LI.FI Executor",
  address: EXECUTOR,
  says: { erc20Proxy: PROXY },
};

/** A chain whose Executor has code and names a proxy, or reverts for null. */
function chain(world: { code?: string; proxy?: typeof PROXY | typeof OTHER | null }) {
  const { code = "0x6000", proxy = PROXY } = world;
  const reading = contractsClient(({ data }) => {
    if (proxy === null) return { ok: false, data: "0x" };
    const { functionName } = decodeFunctionData({ abi, data });
    return { ok: true, data: encodeFunctionResult({ abi, functionName, result: proxy }) };
  });
  const request = async (method: string, params: readonly unknown[]) =>
    method === "eth_getCode" ? code : reading.request(method, params);
  return completeClient({ ...reading, request });
}

describe("findMovedContracts()", () => {
  test.each([
    ["nothing of a contract as the code expects it", {}, []],
    ["another neighbour", { proxy: OTHER }, [`erc20Proxy() is ${OTHER}`]],
    ["a view that does not answer", { proxy: null }, ["erc20Proxy() unread"]],
    ["a contract without code", { code: "0x" }, ["no code"]],
  ] as const)("finds %s", async (_what, world, differences) => {
    const moved = await findMovedContracts(chain(world), [contract]);
    expect(moved.map(({ difference }) => difference)).toEqual(differences);
  });
});

test("pinnedContracts() lists LI.FI's and Across' contracts of every chain in the code", () => {
  const listed = pinnedContracts();
  for (const [chainId, { diamond }] of lifiContracts)
    expect(listed.some((one) => one.chainId === chainId && one.address === diamond)).toBe(true);
  expect(listed.filter(({ name }) => name === "Across SpokePool")).toHaveLength(8);
  expect(new Set(listed.map((one) => `${one.chainId} ${one.address}`)).size).toBe(listed.length);
});
