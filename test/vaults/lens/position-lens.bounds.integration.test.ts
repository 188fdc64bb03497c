import fc from "fast-check";
import { type Address, encodeDeployData, type Hex, type StateOverride } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import type { PositionRead } from "../../../src/vaults/lens/position-lens.ts";
import { askLens, plain, word } from "../../support/vaults/lens.ts";
import { aWord as anyWord, cutToRoom } from "../../support/vaults/lens-model.ts";

const USER: Address = "0x1111111111111111111111111111111111111111";

const contracts = contractsOf("test/support/solidity/HostileShares.sol");
let chain: ScratchChain;

beforeAll(async () => {
  chain = await startScratchChain();
});
afterAll(() => chain.stop());

const at = (index: number): Address => `0x${(0x7000 + index).toString(16).padStart(40, "0")}`;

/** Contracts of one code, from `at(0)` on, each with a row of storage words. */
const stored = (code: Hex, rows: readonly (readonly bigint[])[]): StateOverride =>
  rows.map((row, index) => ({
    address: at(index),
    code,
    state: row.map((value, slot) => ({ slot: word(BigInt(slot)), value: word(value) })),
  }));

test("a read within the gas limit per read succeeds, above it fails", async () => {
  const { abi, creationCode } = contracts("Slow");
  const bytecode = creationCode;
  const slow = async (cost: bigint) =>
    plain(await deploy(chain, encodeDeployData({ abi, bytecode, args: [cost] })));
  const vaults = [await slow(900_000n), await slow(1_100_000n)];
  const { positions } = await askLens(chain, { user: USER, vaults, readGas: 1_000_000 });
  expect(positions).toEqual([
    { status: "converted", balance: 5n, assets: 15n },
    { status: "balance_unknown" },
  ]);
});

test.each([800_000, 9_000_000])(
  "every read gets the same gas of %i, regardless of its position",
  async (readGas) => {
    const vault = plain(await deploy(chain, contracts("GasTeller").creationCode));
    const seen = new Set<string>();
    for (const spare of [1_200_000n, 400_123n, 350_000n, 300_000n, 260_000n, 220_000n, 180_000n]) {
      const gas = BigInt(readGas) + spare;
      const { positions } = await askLens(chain, {
        user: USER,
        vaults: Array(40).fill(vault),
        readGas,
        gas,
      });
      for (const position of positions) {
        if (position.status === "converted") seen.add(`${position.balance} ${position.assets}`);
        else expect(position).toEqual({ status: "not_reached" });
      }
    }
    expect([...seen]).toHaveLength(1);
  },
);

test("the ratio is exact with 512-bit products and unknown when it exceeds 256 bits", async () => {
  const code = contracts("Ratio").runtimeCode;
  const max = 2n ** 256n - 1n;
  const aWord = fc.oneof(
    fc.bigInt(0n, max),
    fc.bigInt(0n, 2n ** 130n),
    fc.constantFrom(0n, 1n, 2n, 2n ** 128n, 2n ** 255n, max - 1n, max),
  );
  const triples = fc.array(fc.tuple(aWord, aWord, aWord), { minLength: 60, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(triples, async (rows) => {
      const { positions } = await askLens(chain, {
        user: USER,
        vaults: rows.map((_, index) => plain(at(index))),
        stateOverride: stored(code, rows),
      });
      const expected = rows.map(([balance, assets, supply]) => {
        if (balance === 0n) return { status: "none" };
        const value = supply === 0n ? null : (balance * assets) / supply;
        if (value === null || value > max) return { status: "assets_unknown", balance };
        return { status: "ratio", balance, assets: value };
      });
      expect(positions).toEqual(expected);
    }),
    { numRuns: 25 },
  );
});

describe("size limit of an answer", () => {
  /** Asks for `count` vaults that take turns in holding these balances and assets; says what they hold. */
  async function ask(count: number, holdings: readonly (readonly [bigint, bigint])[]) {
    const turns = Array.from({ length: count }, (_, index) => index % holdings.length);
    const { positions } = await askLens(chain, {
      user: USER,
      vaults: turns.map((turn) => plain(at(turn))),
      stateOverride: stored(contracts("Holding").runtimeCode, holdings),
    });
    const held = turns.map((turn): PositionRead => {
      const [balance, assets] = holdings[turn] ?? [0n, 0n];
      return balance === 0n ? { status: "none" } : { status: "converted", balance, assets };
    });
    return { positions, held };
  }

  const ofBytes = (length: number) => 256n ** BigInt(length) - 1n;
  const reached = (positions: readonly PositionRead[]) =>
    positions.filter(({ status }) => status !== "not_reached").length;

  test("holds whole positions only, while two full words still fit", async () => {
    const holdings = fc.array(fc.tuple(anyWord, anyWord), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(holdings, fc.integer({ min: 1, max: 2_288 }), async (rows, count) => {
        const { positions, held } = await ask(count, rows);
        expect(positions).toEqual(cutToRoom(held));
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    [8, 8, 1_289],
    [12, 9, 1_021],
    [23, 23, 500],
    [32, 32, 366],
  ])("holds, with balances of %i bytes and assets of %i, %i positions", async (balance, assets, most) => {
    const holding = [ofBytes(balance), ofBytes(assets)] as const;
    expect(reached((await ask(most, [holding])).positions)).toBe(most);
    expect(reached((await ask(most + 1, [holding])).positions)).toBeLessThanOrEqual(most);
  });

  test("is exactly the maximum size of returned code", async () => {
    const holding = [ofBytes(32), ofBytes(32)] as const;
    // 24 bytes of head, 67 for a position, 1 for any other: 24 + 366 * 67 + 30 = 24,576.
    expect(reached((await ask(366 + 30, [holding])).positions)).toBe(366);
    expect(reached((await ask(366 + 31, [holding])).positions)).toBe(365);
  });
});

test.each([
  [1, 2_000, 100_000n],
  [2_200, 2_000, 1_000_000n],
  [2_200, 20_000, 1_000_000n],
])(
  "a batch of %i vaults that use up the %i gas of every read never fails as a whole",
  async (count, readGas, least) => {
    const stateOverride = [{ address: at(0), code: contracts("Glutton").runtimeCode }];
    const counts = new Set<number>();
    for (let gas = least; gas < least + 250_000n; gas += 1_237n) {
      const vaults = Array(count).fill(plain(at(0)));
      const { positions } = await askLens(chain, { user: USER, vaults, readGas, gas, stateOverride });
      counts.add(positions.filter(({ status }) => status === "ratio").length);
    }
    expect(counts.size).toBeGreaterThan(1);
  },
);
