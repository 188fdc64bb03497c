import { type Hex, numberToHex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { aggregateProgram } from "../../src/chains/aggregator/aggregate-reads.ts";
import { createQuery as describeReads, read, valueOrNull } from "../../src/chains/chain-reads.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { failure } from "../../src/errors.ts";
import { readChainPositionsWith } from "../../src/positions/position-shares.ts";
import { type ContractAnswer, contractsClient } from "../support/chains/multicall.ts";
import { USER, VAULT, vault } from "../support/deposits/fixtures.ts";

const HELD_PROGRAM = "0xfffffffffffffffffffffffffffffffffffffffe";
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
const PROGRAM = "0xffffffffffffffffffffffffffffffffffffffff";
const abi = parseAbi(["function owed(address) view returns (uint256)"]);
const owed = { owed: read({ to: VAULT, abi, name: "owed", args: [USER] }) };
const additional = describeReads(owed, (results) => valueOrNull(results.owed));
const lensed = [{ kind: "balance" as const, shareToken: VAULT, vault }];
/** Chain, block and time, then one position: status 3 (worth unknown), a balance of one byte. */
const LENS: Hex = `0x${[31337n, 9n, 8n].map((n) => n.toString(16).padStart(16, "0")).join("")}030105`;

/** A chain that runs the program with this outcome, and owes seven. */
const chain = (program: ContractAnswer) =>
  contractsClient(({ to }) =>
    to.toLowerCase() === PROGRAM ? program : { ok: true, data: numberToHex(7n, { size: 32 }) },
  );
const ask = (client: ReturnType<typeof chain>) =>
  readChainPositionsWith(client, { user: USER, lensed, additional });

test("readChainPositionsWith() reads balances and another query in one request", async () => {
  const client = chain({ ok: true, data: LENS });
  expect(await ask(client)).toMatchObject({
    positions: { held: [{ shares: 5n, assets: null }], blockNumber: 9, blockTimestamp: 8 },
    value: 7n,
  });
  expect(client.calls).toHaveLength(1);
});

test("readChainPositionsWith() returns null when the program returns nothing", async () => {
  expect(await ask(chain({ ok: false, data: "0x" }))).toBeNull();
});

test("readChainPositionsWith() throws for a malformed response of the lens", async () => {
  await expect(ask(chain({ ok: true, data: "0x1234" }))).rejects.toThrow("position answer");
});

const large: Hex = `0x${"00".repeat(49_000)}`;

test("aggregateProgram() gives a program that is too large for creation code to an account", async () => {
  const client = contractsClient(({ to }) =>
    to.toLowerCase() === HELD_PROGRAM ? { ok: true, data: LENS } : { ok: true, data: word(7n) },
  );
  const program = { code: large, read: (answer: Hex) => answer };
  const made = await aggregateProgram(client, { program, reads: owed });
  expect(made).toEqual({ answer: LENS, results: { owed: { ok: true, value: 7n } } });
  expect(client.calls.map(({ params }) => params[2])).toEqual([{ [HELD_PROGRAM]: { code: large } }]);
});

test("aggregateProgram() counts an account without code as a node that ignores the override", async () => {
  const client = contractsClient(() => ({ ok: true, data: "0x" }));
  const program = { code: large, read: () => 1 };
  await expect(aggregateProgram(client, { program, reads: {} })).rejects.toMatchObject({
    kind: "unsupported",
    ofValues: false,
  });
});

test("aggregateProgram() returns null for a program in the batch that returns nothing", async () => {
  const program = { code: "0x00", read: () => 1 } as const;
  expect(await aggregateProgram(chain({ ok: true, data: "0x" }), { program, reads: owed })).toBeNull();
});

test("aggregateProgram() returns null without a request when the reads do not fit", async () => {
  const client = chain({ ok: true, data: LENS });
  const reads = { owed: { ...owed.owed, data: large } };
  const program = { code: large, read: () => 1 };
  expect(await aggregateProgram(client, { program, reads })).toBeNull();
  expect(client.calls).toEqual([]);
});

test("readChainPositionsWith() returns null when nodes refuse, and throws when none responds", async () => {
  const failing = (error: Error) => ({
    ...chain({ ok: true, data: LENS }),
    ask: () => Promise.reject(error),
  });
  expect(await ask(failing(new RpcError("revert", "out of gas")))).toBeNull();
  await expect(ask(failing(failure("upstream_timeout", "no answer")))).rejects.toMatchObject({
    code: "upstream_timeout",
  });
});
