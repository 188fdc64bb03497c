import { decodeFunctionData, encodeFunctionResult, isAddress, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import {
  findMovedContracts,
  type PinnedContract,
  pinnedContracts,
} from "../../../scripts/providers/pinned-contracts.ts";
import { resolveKyberDeployments } from "../../../src/providers/kyber/kyber-deployments.ts";
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

test("pinnedContracts() lists the routers of KyberSwap and Velora, with the wrapped currency that they name", () => {
  const listed = pinnedContracts();
  const routers = (name: string) => listed.filter((one) => one.name === name);
  const kyber = [...resolveKyberDeployments([]).values()];
  expect(kyber).toHaveLength(13);
  expect(routers("KyberSwap MetaAggregationRouterV2").map(({ chainId }) => chainId)).toEqual(
    kyber.map(({ chainId }) => chainId),
  );
  expect(routers("Velora Augustus V6.2")).toEqual([
    {
      chainId: 100,
      name: "Velora Augustus V6.2",
      address: "0x6A000F20005980200259B80c5102003040001068",
      says: { WETH: "0xe91D153E0b41518A2Ce8Dd3D7944Fa863463a97d" },
    },
  ]);
});

test("pinnedContracts() has valid addresses", () => {
  for (const { address, says } of pinnedContracts())
    for (const one of [address, ...Object.values(says)])
      if (typeof one === "string") expect(isAddress(one)).toBe(true);
});

test("pinnedContracts() lists LI.FI's and Across' contracts of every chain in the code", () => {
  const listed = pinnedContracts();
  for (const [chainId, { diamond }] of lifiContracts)
    expect(listed.some((one) => one.chainId === chainId && one.address === diamond)).toBe(true);
  expect(listed.filter(({ name }) => name === "Across SpokePool")).toHaveLength(8);
  // Whose fee contracts rotate, and what every fee of a route passes through.
  for (const [chainId, { feeForwarders }] of lifiContracts)
    for (const address of feeForwarders)
      expect(listed).toContainEqual({ chainId, name: "LI.FI FeeForwarder", address, says: {} });
  expect(new Set(listed.map((one) => `${one.chainId} ${one.address}`)).size).toBe(listed.length);
});
