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

type View = (id: bigint) => bigint | null;

/** Reads the parts of requests from a vault whose views return these shares for an id. */
async function partsOf(
  pending: View,
  { requestIds, claimable = () => 0n }: { requestIds: readonly string[]; claimable?: View },
) {
  const answer = (data: Hex) => {
    const { functionName, args } = decodeFunctionData({ abi: views, data });
    const shares = (functionName === "pendingRedeemRequest" ? pending : claimable)(args[0]);
    return shares === null
      ? ({ ok: false, data: "0x" } as const)
      : ({ ok: true, data: numberToHex(shares, { size: 32 }) } as const);
  };
  const client = contractsClient(({ data }) => answer(data));
  return (await runQuery(client, requestParts(vault, { user: USER, requestIds }))).value;
}

const waiting = (shares: bigint) => ({ waiting: shares, ready: 0n });
/** Returns a view of the requests 5 and 7 that returns the last one for the id 0. */
const lastUnderZero =
  (five: bigint, seven: bigint): View =>
  (id) =>
    id === 5n ? five : id === 7n || id === 0n ? seven : 0n;

test.each<[string, View, readonly string[], object | null]>([
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
  [
    "the last request under the id 0",
    lastUnderZero(3n, 6n),
    ["5", "7"],
    [
      ["7", waiting(6n)],
      ["5", waiting(3n)],
    ],
  ],
  [
    "the last of two equal ones under the id 0",
    lastUnderZero(6n, 6n),
    ["5", "7"],
    [
      ["7", waiting(6n)],
      ["5", waiting(6n)],
    ],
  ],
  [
    "a last request with an unknown number under the id 0",
    (id) => (id === 0n ? 4n : id === 5n || id === 7n ? 3n : 0n),
    ["5", "7"],
    [
      ["7", waiting(3n)],
      ["5", waiting(3n)],
      ["0", waiting(4n)],
    ],
  ],
  [
    "equal answers that may be the total, because no other id answers",
    (id) => (id < 8n ? 9n : null),
    ["5", "7"],
    null,
  ],
  ["nothing", () => 0n, ["5"], []],
  ["no answer for one number", (id) => (id === 5n ? null : 1n), ["5", "7"], null],
])("requestParts() counts every share once: %s", async (_, pending, requestIds, expected) => {
  expect(await partsOf(pending, { requestIds })).toEqual(expected);
});

test("requestParts() keeps an older request that can be claimed beside the last one, which waits", async () => {
  const claimable: View = (id) => (id === 5n ? 3n : 0n);
  const parts = await partsOf(lastUnderZero(0n, 6n), { requestIds: ["5", "7"], claimable });
  expect(parts).toEqual([
    ["7", waiting(6n)],
    ["5", { waiting: 0n, ready: 3n }],
  ]);
});

test("requestParts() counts claimable shares once that the vault returns for every number", async () => {
  const parts = await partsOf(lastUnderZero(3n, 6n), { requestIds: ["5", "7"], claimable: () => 4n });
  expect(parts).toEqual([
    ["7", { waiting: 6n, ready: 4n }],
    ["5", waiting(3n)],
  ]);
});
