import { encodeEventTopics, type Hex, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { createQuery as describeReads, read, valueOrNull } from "../../src/chains/chain-reads.ts";
import type { SimulationResult } from "../../src/chains/simulator/simulation.ts";
import { mintEffect, requestEffect } from "../../src/orders/order-expected-effect.ts";
import type { AsyncDeposits } from "../../src/vaults/vault-adapter.ts";
import { directIntent, USDC, USER, VAULT } from "../support/deposits/fixtures.ts";

const abi = parseAbi([
  "function pendingOf(address) view returns (uint256)",
  "function claimableOf(address) view returns (uint256)",
  "event Requested(address indexed user, uint256 assets)",
]);
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
const AMOUNT = directIntent.amount;

/** A vault that lists requests by account, and tells of them in its own event. */
const requests: AsyncDeposits = {
  pending: (vault, { user }) =>
    describeReads(
      {
        pending: read({ to: vault.entryPoint, abi, name: "pendingOf", args: [user] }),
        claimable: read({ to: vault.entryPoint, abi, name: "claimableOf", args: [user] }),
      },
      ({ pending, claimable }) => ({
        pendingAssets: valueOrNull(pending),
        claimableShares: null,
        claimableAssets: valueOrNull(claimable),
      }),
    ),
  claim: () => null,
  findRequest: (_vault, { logs }) => {
    const [log] = logs;
    return log === undefined ? null : { requestId: null, assets: BigInt(log.data) };
  },
  findClaim: () => null,
};
const effect = requestEffect(directIntent, requests);

const [topic] = encodeEventTopics({ abi, eventName: "Requested", args: { user: USER } });
const event = (assets: bigint) => ({
  address: VAULT,
  topics: [topic],
  data: word(assets),
  logIndex: "0x0",
});

/** A simulated request: balance, pending and claimable before and after, the call's events and its answer. */
function simulated(of: {
  before: readonly (bigint | null)[];
  after: readonly (bigint | null)[];
  logs?: readonly unknown[] | null;
  returned?: Hex;
}): SimulationResult {
  const words = (values: readonly (bigint | null)[]) => values.map((v) => (v === null ? null : word(v)));
  const call = { ok: true, gasUsed: 1n, returnData: of.returned ?? "0x", logs: of.logs ?? null };
  const block = { chainId: 31337, blockNumber: 1n, blockTimestamp: 1n };
  return { ...block, calls: [call], failedAt: null, before: words(of.before), after: words(of.after) };
}

test("requestEffect() reads the asset balance first, then the pending request", () => {
  expect(effect.reads.map(({ target }) => target)).toEqual([USDC, VAULT, VAULT]);
});

const honest = { before: [AMOUNT, 0n, 0n], after: [0n, AMOUNT, 0n] } as const;

test.each([
  ["noted by its views", honest],
  ["noted beside earlier ones", { before: [AMOUNT, 5n, 0n], after: [0n, AMOUNT + 5n, 0n] }],
  ["settled at once", { before: [AMOUNT, 0n, 0n], after: [0n, 0n, AMOUNT] }],
  ["noted by its event", { before: [AMOUNT, null, null], after: [0n, null, null], logs: [event(AMOUNT)] }],
  ["noted by the number it returns", { ...honest, after: [0n, null, null], returned: word(7n) }],
  ["without an event that is known", { ...honest, logs: [] }],
])("requestEffect() accepts an async request when %s", (_name, of) => {
  expect(effect.interpret(simulated(of))).toBeNull();
});

test.each([
  ["the money is taken and nothing noted", { ...honest, after: [0n, 0n, 0n] }, "upstream_rejected"],
  ["less is noted than was taken", { ...honest, after: [0n, AMOUNT - 1n, 0n] }, "upstream_rejected"],
  ["the event names less", { ...honest, logs: [event(AMOUNT - 1n)] }, "upstream_rejected"],
  ["less is taken than was asked", { ...honest, after: [1n, AMOUNT, 0n] }, "upstream_rejected"],
  ["nothing is taken", { ...honest, after: [AMOUNT, AMOUNT, 0n] }, "upstream_rejected"],
  ["neither events nor views show it", { ...honest, after: [0n, null, null] }, "simulation_unavailable"],
  [
    "views fail and the event is missing",
    { ...honest, after: [0n, null, 0n], logs: [] },
    "upstream_rejected",
  ],
  [
    "a view that answered before fails",
    { before: [AMOUNT, 0n, 5n], after: [0n, AMOUNT, null] },
    "simulation_unavailable",
  ],
  ["the asset's balance is not read", { ...honest, after: [null, AMOUNT, 0n] }, "simulation_unavailable"],
])("requestEffect() refuses an async request when %s", (_name, of, code) => {
  expect(() => effect.interpret(simulated(of))).toThrow(expect.objectContaining({ code }));
});

test("mintEffect() returns the user's rise in shares", () => {
  const minted = mintEffect(directIntent);
  expect(minted.reads.map(({ target }) => target)).toEqual([directIntent.vault.shareToken]);
  expect(minted.interpret(simulated({ before: [3n], after: [10n] }))).toBe(7n);
  expect(minted.interpret(simulated({ before: [null], after: [10n], returned: word(8n) }))).toBe(8n);
  expect(() => minted.interpret(simulated({ before: [null], after: [10n] }))).toThrow(
    expect.objectContaining({ code: "simulation_unavailable" }),
  );
});
