import { type Address, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { createQuery, type Query, read, readThen, valueOrNull } from "../../src/chains/chain-reads.ts";
import { readInTurn } from "../../src/vaults/vault-state.ts";
import { contractsClient, type FakeClient, head } from "../support/chains/multicall.ts";
import { testChain } from "../support/chains/rpc-node.ts";
import { testContext } from "../support/context.ts";
import { OTHER } from "../support/deposits/fixtures.ts";

const abi = parseAbi(["function balanceOf(address) view returns (uint256)"]);

/** Returns a query of so many batches whose result is the sum of what they return. */
function batches(count: number, sum = 0n): Query<bigint> {
  const at = { to: OTHER as Address, abi, name: "balanceOf", args: [OTHER as Address] } as const;
  const own = (value: bigint | null) => sum + (value ?? 0n);
  return count === 1
    ? createQuery({ value: read(at) }, ({ value }) => own(valueOrNull(value)))
    : readThen({ value: read(at) }, ({ value }) => batches(count - 1, own(valueOrNull(value))));
}

/** Runs queries of so many batches. Returns the results and the number of requests when the first was known. */
async function inTurn(first: number, second: number, fails = Number.POSITIVE_INFINITY) {
  const chain = contractsClient(() => ({ ok: true, data: numberToHex(1n, { size: 32 }) }));
  const client: FakeClient = {
    ...chain,
    request: (method, params) =>
      chain.calls.length < fails ? chain.request(method, params) : Promise.reject(new Error("down")),
  };
  const asked = { first: () => batches(first), second: () => batches(second) };
  const read = readInTurn(testContext({ clients: [client] }), { chainId: testChain.chainId, ...asked });
  const { value, block, rest } = await read;
  const early = chain.calls.length;
  return { value, block, early, rest: await rest, requests: chain.calls.length };
}

test("two queries share their requests, and the first does not wait for further batches of the second", async () => {
  const block = { number: head.number, timestamp: head.timestamp };
  expect(await inTurn(1, 1)).toEqual({ value: 1n, rest: 1n, block, early: 1, requests: 1 });
  expect(await inTurn(3, 1)).toMatchObject({ value: 3n, rest: 1n, early: 3, requests: 3 });
  expect(await inTurn(2, 3)).toMatchObject({ value: 2n, rest: 3n, requests: 3 });
  expect((await inTurn(1, 4)).early).toBeLessThan(4);
});

test("an error of a further batch is that of the query which needs it", async () => {
  await expect(inTurn(2, 1, 1)).rejects.toThrow();
  await expect(inTurn(1, 2, 1)).rejects.toThrow();
  expect(await inTurn(1, 1, 1)).toMatchObject({ value: 1n, rest: 1n });
});
