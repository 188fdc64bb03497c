import { decodeFunctionData, type Hex, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { requestParts } from "../../../../src/vaults/families/erc7540/erc7540-request-parts.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { USER, vault } from "../../../support/deposits/fixtures.ts";

const views = parseAbi([
  "function pendingRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
  "function claimableRedeemRequest(uint256 requestId, address controller) view returns (uint256)",
]);

/** Reads the parts of requests from a vault whose views return `pending` for an id, and nothing claimable. */
async function partsOf(pending: (id: bigint) => bigint | null, requestIds: readonly string[]) {
  const answer = (data: Hex) => {
    const { functionName, args } = decodeFunctionData({ abi: views, data });
    const shares = functionName === "pendingRedeemRequest" ? pending(args[0]) : 0n;
    return shares === null
      ? ({ ok: false, data: "0x" } as const)
      : ({ ok: true, data: numberToHex(shares, { size: 32 }) } as const);
  };
  const client = contractsClient(({ data }) => answer(data));
  return (await runQuery(client, requestParts(vault, { user: USER, requestIds }))).value;
}

const waiting = (shares: bigint) => ({ waiting: shares, ready: 0n });

test.each<[string, (id: bigint) => bigint | null, readonly string[], object | null]>([
  ["all requests under the id 0", (id) => (id === 0n ? 9n : 0n), ["0"], [["0", waiting(9n)]]],
  [
    "each request under its number",
    (id) => (id === 5n ? 3n : id === 7n ? 6n : 0n),
    ["5", "7", "7", "cancelled", "-1"],
    [
      ["7", waiting(6n)],
      ["5", waiting(3n)],
    ],
  ],
  [
    "a total and one number of two",
    (id) => (id === 0n ? 9n : 3n),
    ["5"],
    [
      ["5", waiting(3n)],
      ["0", waiting(6n)],
    ],
  ],
  ["the total for every number", () => 9n, ["5", "10"], [["10", waiting(9n)]]],
  ["nothing", () => 0n, ["5"], []],
  ["no answer for one number", (id) => (id === 5n ? null : 1n), ["5", "7"], null],
])("requestParts() counts every share once: %s", async (_, pending, requestIds, expected) => {
  expect(await partsOf(pending, requestIds)).toEqual(expected);
});
