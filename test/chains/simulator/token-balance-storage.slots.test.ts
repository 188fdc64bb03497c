import fc from "fast-check";
import { type Address, concatHex, encodeAbiParameters, keccak256, padHex, toHex } from "viem";
import { describe, expect, test } from "vitest";
import {
  allowanceCandidates,
  balanceCandidates,
  matchSlot,
  probeState,
  slotOf,
} from "../../../src/chains/simulator/token-balance-storage.ts";

const OWNER: Address = "0x1111111111111111111111111111111111111111";
const SPENDER: Address = "0x2222222222222222222222222222222222222222";
const anAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const pair = (first: string, second: string) =>
  keccak256(concatHex([padHex(first as Address, { size: 32 }), padHex(second as Address, { size: 32 })]));

describe("slotOf()", () => {
  test("follows the documented layouts", () => {
    // Solidity, "Layout of State Variables in Storage": keccak256(h(key) . p), nested from the outside in.
    const encoded = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [OWNER, 9n]);
    expect(slotOf({ order: "solidity", base: 9n }, [OWNER])).toBe(keccak256(encoded));
    const inner = pair(OWNER, "0x0a");
    expect(slotOf({ order: "solidity", base: 10n }, [OWNER, SPENDER])).toBe(pair(SPENDER, inner));
    expect(slotOf({ order: "vyper", base: 5n }, [OWNER])).toBe(pair("0x05", OWNER));
    expect(slotOf({ order: "vyper", base: 6n }, [OWNER, SPENDER])).toBe(pair(pair("0x06", OWNER), SPENDER));
    const packed = concatHex([OWNER, "0x000000000000000087a211a2"]);
    expect(slotOf({ order: "solady" }, [OWNER])).toBe(keccak256(packed));
    const allowance = concatHex([OWNER, "0x00000000000000007f5e9f20", SPENDER]);
    expect(slotOf({ order: "solady" }, [OWNER, SPENDER])).toBe(keccak256(allowance));
  });
});

describe("balanceCandidates() and allowanceCandidates()", () => {
  const balances = balanceCandidates(OWNER);
  const allowances = allowanceCandidates(OWNER, SPENDER);
  const all = [...balances, ...allowances];

  test("have unique slots and values over both lists", () => {
    expect(new Set(all.map(({ slot }) => slot)).size).toBe(all.length);
    expect(new Set(all.map(({ magic }) => magic)).size).toBe(all.length);
    expect(probeState(all)).toHaveLength(all.length);
  });

  test("have values of 96 bits that no balance has by chance", () => {
    for (const { magic } of all) {
      expect(magic).toBeLessThan(2n ** 95n);
      expect(magic).toBeGreaterThan(2n ** 94n);
    }
  });

  test("identify the layout by the returned value, for any account's slot", () => {
    fc.assert(
      fc.property(anAddress, anAddress, fc.nat(balances.length - 1), (owner, other, index) => {
        const tried = balanceCandidates(owner);
        const found = matchSlot(tried, tried[index]?.magic ?? 0n);
        expect(found).toBe(tried[index]);
        if (found === null) return;
        expect(slotOf(found.layout, [owner])).toBe(found.slot);
        expect(slotOf(found.layout, [other])).toBe(balanceCandidates(other)[index]?.slot);
      }),
      { numRuns: 10 },
    );
  });

  test("match no other answer", () => {
    const magic = balances[0]?.magic ?? 0n;
    for (const answer of [0n, 1n, 10n ** 24n, magic - 1n, magic + 2n ** 100n, 2n ** 256n - 1n]) {
      expect(matchSlot(balances, answer)).toBe(null);
    }
    expect(matchSlot(allowances, magic)).toBe(null);
  });
});
