import { type Address, encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  optimized,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { encodePositionCalls, MAX_INITCODE_BYTES } from "../../../src/vaults/lens/position-lens.ts";
import { askLens, CALL_GAS, plain, readSingly } from "../../support/vaults/lens.ts";

const USER: Address = "0x1111111111111111111111111111111111111111";
const NOBODY: Address = "0x2222222222222222222222222222222222222222";
const VAULTS = 600;
const ARB_SYS: Address = "0x0000000000000000000000000000000000000064";

const contracts = contractsOf("test/support/solidity/LensVaults.sol", optimized);
let chain: ScratchChain;
let vaults: Address[];

/** Deploys real vaults, a hundred in one transaction. */
async function grow(functionName: "grow" | "growHeld", count: number): Promise<Address[]> {
  const { abi, creationCode } = contracts("Fleet");
  const address = await deploy(chain, creationCode);
  for (let grown = 0; grown < count; grown += 100) {
    await send(chain, { to: address, data: encodeFunctionData({ abi, functionName, args: [100n, USER] }) });
  }
  return (await chain.node.readContract({ address, abi, functionName: "all" })) as Address[];
}

beforeAll(async () => {
  chain = await startScratchChain("--gas-limit", "1000000000", "--hardfork", "prague");
  vaults = await grow("grow", VAULTS);
});
afterAll(() => chain.stop());

describe("position lens on ERC-4626 vaults", () => {
  test("one call for 500 vaults returns the same as single calls", async () => {
    const asked = vaults.slice(0, 500);
    const answer = await askLens(chain, { user: USER, vaults: asked.map(plain) });
    const single = await Promise.all(asked.map((vault) => readSingly(chain, USER, vault)));
    expect(answer.positions).toEqual(single);
    expect(answer.positions.filter(({ status }) => status === "converted")).toHaveLength(333);
  });

  test("500 held OpenZeppelin vaults fit into one call", async () => {
    const held = await grow("growHeld", 500);
    const answer = await askLens(chain, { user: USER, vaults: held.map(plain), gas: CALL_GAS });
    const single = await Promise.all(held.map((vault) => readSingly(chain, USER, vault)));
    expect(answer.positions).toEqual(single);
    expect(new Set(answer.positions.map(({ status }) => status))).toEqual(new Set(["converted"]));
  });

  test("the answer contains chain id, block number and timestamp", async () => {
    const block = await chain.node.getBlock();
    const answer = await askLens(chain, { user: USER, vaults: vaults.slice(0, 1).map(plain) });
    expect(answer).toMatchObject({
      chainId: 31337,
      blockNumber: block.number,
      blockTimestamp: block.timestamp,
    });
  });

  test("the node accepts a call of maximum size", async () => {
    const many = Array.from({ length: 2_288 }, (_, index) => plain(vaults[index % VAULTS] ?? NOBODY));
    expect(encodePositionCalls({ user: NOBODY, vaults: many })[0]?.data.length).toBeGreaterThan(
      2 * (MAX_INITCODE_BYTES - 21),
    );
    const answer = await askLens(chain, { user: NOBODY, vaults: many, gas: 30_000_000n });
    expect(answer.positions).toEqual(many.map(() => ({ status: "none" })));
  });

  test("vaults after the gas ran out are not_reached, and a second call reads them", async () => {
    const expected = (await askLens(chain, { user: USER, vaults: vaults.slice(0, 300).map(plain) }))
      .positions;
    const found: typeof expected = [];
    let calls = 0;
    while (found.length < expected.length) {
      const rest = vaults.slice(found.length, 300).map(plain);
      const { positions } = await askLens(chain, { user: USER, vaults: rest, gas: 6_000_000n });
      const reached = positions.filter(({ status }) => status !== "not_reached");
      expect(reached.length).toBeGreaterThan(0);
      found.push(...reached);
      calls += 1;
    }
    expect(found).toEqual(expected);
    expect(calls).toBeGreaterThan(1);
  });

  test.each([100_000n, 500_000n, 3_000_000n])(
    "with only %d gas nothing is reached and nothing guessed",
    async (gas) => {
      const { positions } = await askLens(chain, { user: USER, vaults: vaults.slice(0, 3).map(plain), gas });
      expect(positions).toEqual(Array(3).fill({ status: "not_reached" }));
    },
  );
});

describe("position lens on Arbitrum One", () => {
  const block = async (node: ScratchChain) =>
    (await askLens(node, { user: USER, vaults: [{ kind: "balance", shareToken: NOBODY }] })).blockNumber;

  test("the block number comes from ArbSys, and is null when ArbSys fails", async () => {
    const arbitrum = await startScratchChain("--chain-id", "42161");
    try {
      expect(await block(arbitrum)).toBe(null);
      await arbitrum.node.setCode({ address: ARB_SYS, bytecode: contracts("ArbSys").runtimeCode });
      expect(await block(arbitrum)).toBe(400_000_000n);
    } finally {
      await arbitrum.stop();
    }
  });

  test("other chains do not call ArbSys", async () => {
    await chain.node.setCode({ address: ARB_SYS, bytecode: contracts("ArbSys").runtimeCode });
    expect(await block(chain)).toBe(await chain.node.getBlockNumber());
  });
});
