import {
  type Address,
  encodeDeployData,
  getAddress,
  type Hex,
  parseAbi,
  size,
  toFunctionSelector,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import {
  aggregate,
  aggregateList,
  nativeBalanceRead,
} from "../../../src/chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import { type Read, read } from "../../../src/chains/chain-reads.ts";
import { clientOn } from "../../support/chains/rpc-node.ts";

const MODES = ["burnGas", "invalid", "returnBomb", "revertBomb", "hideTheBurning"] as const;
const abi = parseAbi([
  "function totalAssets() view returns (uint256)",
  "function costly(uint256 cost) view returns (uint256)",
]);
const contracts = contractsOf("test/support/solidity/HostileViews.sol");
let chain: ScratchChain;
let honest: Address;
let hostile: Address[];

/** A client whose node grants an `eth_call` 30 million gas, and which counts its requests. */
function counting(): { client: ChainClient; calls: string[] } {
  const { client } = clientOn([{ url: String(chain.node.transport["url"]) }]);
  const calls: string[] = [];
  const ask: ChainClient["ask"] = (question) => {
    calls.push(question.method);
    return client.ask(question);
  };
  return { client: { ...client, ask }, calls };
}

const total = (to: Address) => read({ to, abi, name: "totalAssets" });
const costly = (cost: number) => read({ to: honest, abi, name: "costly", args: [BigInt(cost)] });
/** A call whose answer has so many bytes, whether it reverts or not. */
const sized = (name: "long" | "refuse", bytes: number): Read<number> => ({
  to: honest,
  data: `${toFunctionSelector(`${name}(uint256)`)}${bytes.toString(16).padStart(64, "0")}`,
  decode: (data) => size(data),
});
const ok = (value: unknown) => ({ ok: true, value });
const unknown = { ok: false, revert: null };

beforeAll(async () => {
  chain = await startScratchChain();
  honest = await deploy(chain, contracts("Honest").creationCode);
  hostile = [];
  for (const mode of MODES.keys()) {
    const { abi: ownAbi, creationCode } = contracts("Hostile");
    hostile.push(
      await deploy(chain, encodeDeployData({ abi: ownAbi, bytecode: creationCode, args: [mode] })),
    );
  }
});
afterAll(() => chain.stop());

describe("aggregate() with hostile contracts", () => {
  test.each(MODES.map((mode, index) => [mode, index] as const))(
    "that answers by %s takes nothing from the reads around it",
    async (mode, index) => {
      const { client, calls } = counting();
      const bad = total(hostile[index] ?? honest);
      const reads = [bad, total(honest), costly(2_000_000), bad, ...Array(60).fill(total(honest)), bad];
      const { results } = await aggregateList(client, reads);
      const rest = Array(60).fill(ok(2n * 10n ** 24n));
      expect(results).toEqual([unknown, ok(2n * 10n ** 24n), ok(2_000_000n), unknown, ...rest, unknown]);
      // Bombs cost nothing more; what burned its gas is given one more chance.
      expect(calls).toHaveLength(mode.endsWith("Bomb") ? 1 : 2);
    },
  );

  test("returns all other reads beside forty of each kind", async () => {
    const { client, calls } = counting();
    const reads = hostile.flatMap((bad) => [...Array(8).fill(total(bad)), total(honest)]);
    const { results } = await aggregateList(client, reads);
    const of = [...Array(8).fill(unknown), ok(2n * 10n ** 24n)];
    expect(results).toEqual(hostile.flatMap(() => of));
    expect(calls.length).toBeLessThanOrEqual(7);
  });
});

test("aggregate() makes a read that needs more gas alone, with the node's limit", async () => {
  const { client, calls } = counting();
  const { results } = await aggregate(client, {
    a: costly(2_900_000),
    b: costly(9_000_000),
    c: total(honest),
  });
  expect(results).toEqual({ a: ok(2_900_000n), b: ok(9_000_000n), c: ok(2n * 10n ** 24n) });
  expect(calls).toHaveLength(2);
});

test("aggregate() splits answers that exceed one request", async () => {
  const { client, calls } = counting();
  const { results } = await aggregateList(client, Array(12).fill(sized("long", 4_096)));
  expect(results).toEqual(Array(12).fill(ok(4_096)));
  expect(calls).toHaveLength(3);
});

test("aggregate() reports oversized returndata as unknown, never truncated", async () => {
  const { client } = counting();
  const { results } = await aggregateList(client, [
    sized("long", 4_096),
    sized("long", 4_097),
    sized("refuse", 4_096),
    sized("refuse", 4_097),
    sized("long", 0),
    sized("refuse", 0),
  ]);
  const zeros: Hex = `0x${"00".repeat(4_096)}`;
  const refused = { ok: false, revert: zeros };
  expect(results).toEqual([ok(4_096), unknown, refused, unknown, ok(0), { ok: false, revert: "0x" }]);
});

test("aggregate() returns Arbitrum One's own block, not Ethereum's", async () => {
  const arbitrum = await startScratchChain("--chain-id", "42161");
  try {
    await arbitrum.node.setCode({
      address: "0x0000000000000000000000000000000000000064",
      bytecode: contracts("ArbSys").runtimeCode,
    });
    const url = String(arbitrum.node.transport["url"]);
    const { client } = clientOn([{ url }], { chainId: 42161 });
    expect((await aggregate(client, {})).block.number).toBe(300_000_000);
  } finally {
    await arbitrum.stop();
  }
});

test("nativeBalanceRead() reads a balance within a batch, also of an account without code", async () => {
  const account = getAddress(`0x${"7e".repeat(20)}`);
  await chain.node.setBalance({ address: account, value: 123n });
  const { results } = await aggregate(counting().client, {
    held: nativeBalanceRead(account),
    none: nativeBalanceRead(getAddress(`0x${"7d".repeat(20)}`)),
  });
  expect(results).toEqual({ held: { ok: true, value: 123n }, none: { ok: true, value: 0n } });
});

test("aggregate() without reads returns the block", async () => {
  const { number, timestamp } = await chain.node.getBlock();
  const { block } = await aggregate(counting().client, {});
  expect(block).toEqual({ number: Number(number), timestamp: Number(timestamp) });
});
