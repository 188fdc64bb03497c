import { type Address, numberToHex } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  contractsOf,
  type ScratchChain,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import { createQuery, read, valueOrNull } from "../../src/chains/chain-reads.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import {
  type LensedVault,
  readChainPositions,
  readChainPositionsWith,
} from "../../src/positions/position-shares.ts";
import { clientOn } from "../support/chains/rpc-node.ts";
import { vault } from "../support/deposits/fixtures.ts";
import { vaultAbi, word } from "../support/vaults/lens.ts";

const USER: Address = "0x1111111111111111111111111111111111111111";
/** Number of vaults on a chain; creation code can hold 2,288. */
const MANY = 3_000;
/** Gas that public nodes grant one `eth_call`, by the defaults of geth and reth. */
const PUBLIC_GAS = 50_000_000;
let chain: ScratchChain;
let lensed: LensedVault[];

/** Address of a vault with a balance of its rank, worth three times as much, or of an empty one. */
const at = (rank: number): Address => `0x${(0xc0de0000 + rank).toString(16).padStart(40, "0")}`;
const RANKS = [0, 1, 2, 3] as const;

beforeAll(async () => {
  chain = await startScratchChain("--gas-limit", String(PUBLIC_GAS));
  const code = contractsOf("test/support/solidity/HostileShares.sol")("Holding").runtimeCode;
  for (const rank of RANKS) {
    await chain.node.setCode({ address: at(rank), bytecode: code });
    for (const [slot, value] of [rank, 3 * rank].entries())
      await chain.node.setStorageAt({ address: at(rank), index: slot, value: word(BigInt(value)) });
  }
  // Every hundredth vault holds shares.
  lensed = Array.from({ length: MANY }, (_, index) => {
    const address = at(index % 100 === 0 ? 1 + ((index / 100) % 3) : 0);
    return { kind: "convert", shareToken: address, pricer: address, vault };
  });
});
afterAll(() => chain?.stop());

const expected = Array.from({ length: MANY / 100 }, (_, index) => {
  const rank = BigInt(1 + (index % 3));
  return { vault, shares: rank, assets: 3n * rank };
});

/** A client that counts its requests by their number of parameters, and may reject those with three. */
function counting({ overrides = true } = {}): { client: ChainClient; asked: number[] } {
  const { client } = clientOn([{ url: String(chain.node.transport["url"]) }]);
  const asked: number[] = [];
  const ask: ChainClient["ask"] = async (question) => {
    asked.push(question.params.length);
    if (question.params.length > 2 && !overrides)
      throw new RpcError("unsupported", "too many arguments, want at most 2");
    return client.ask(question);
  };
  return { client: { ...client, ask }, asked };
}

test("3,000 vaults of one chain take one request, with what is read beside them", async () => {
  const { client, asked } = counting();
  const { held, unread } = await readChainPositions(client, { user: USER, lensed });
  expect({ held, unread, asked }).toEqual({ held: expected, unread: [], asked: [3] });

  const owed = { owed: read({ to: at(2), abi: vaultAbi, name: "balanceOf", args: [USER] }) };
  const beside = createQuery(owed, (results) => valueOrNull(results.owed));
  const together = await readChainPositionsWith(client, { user: USER, lensed, additional: beside });
  expect(together).toMatchObject({ positions: { held: expected }, value: 2n });
  expect(asked).toEqual([3, 3]);
});

test("nodes that reject state overrides are asked as often as creation code requires", async () => {
  const { client, asked } = counting({ overrides: false });
  const { held } = await readChainPositions(client, { user: USER, lensed });
  expect(held).toEqual(expected);
  expect(asked).toEqual([3, 2, 2]);
});

test("vaults for which the gas of a request did not suffice are read by the next one", async () => {
  const { client, asked } = counting();
  const limit = (gas: number) =>
    chain.node.request({ method: "evm_setBlockGasLimit", params: [numberToHex(gas)] });
  await limit(5_500_000);
  try {
    const { held, unread } = await readChainPositions(client, { user: USER, lensed });
    expect(held.length).toBe(expected.length);
    expect(held.reduce((sum, { shares }) => sum + shares, 0n)).toBe(60n);
    expect(unread).toEqual([]);
    expect(asked.length).toBeGreaterThan(1);
  } finally {
    await limit(PUBLIC_GAS);
  }
});
