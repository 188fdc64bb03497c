import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { decodeKyberSwap, encodeKyberSwap } from "../../src/providers/kyber/kyber-calldata.ts";
import { decodeAugustusSwap, encodeAugustusSwap } from "../../src/providers/velora/velora-calldata.ts";
import { exitWith } from "../support/economics/exit-world.ts";
import { fieldAttacks } from "../support/economics/field-attacks.ts";
import { findExitUnfairness, findUnfairness } from "../support/economics/judge.ts";
import { honest } from "../support/economics/lies.ts";
import { tradeWith } from "../support/economics/world.ts";

const named = fieldAttacks.map((attack) => [`${attack.name}: ${attack.must}`, attack] as const);
const REFUSALS = ["price_unsafe", "upstream_rejected", "upstream_unavailable", "no_route"];
const outcome = { refused: expect.toBeOneOf(REFUSALS), harmless: null };

/** Returns a swap's calldata as its fields alone determine it; other calldata unchanged. */
function fieldsOnly(data: Hex): Hex {
  const [kyber, velora] = [decodeKyberSwap(data), decodeAugustusSwap(data)];
  if (kyber !== null) return encodeKyberSwap(kyber);
  return velora === null ? data : encodeAugustusSwap(velora);
}

describe(`${fieldAttacks.length} attacks by the form of a response on a deposit:`, () => {
  test.each(named)("%s", async (_name, { trade, providers, must, name, ...options }) => {
    const { routed, code } = await tradeWith(trade, providers, options);
    const wrong = routed === null ? null : findUnfairness(trade, honest, routed);
    expect([name, code, wrong]).toEqual([name, outcome[must], null]);
    const data = routed?.route.transaction.data ?? "0x";
    expect(data).toBe(fieldsOnly(data));
  });
});

describe.each(["second_step", "one_order"] as const)("the same on a withdrawal, %s:", (way) => {
  test.each(named)("%s", async (_name, { trade, providers, must, name, ...options }) => {
    const { built, code } = await exitWith(trade, providers, { ...options, way });
    const wrong = built === null ? null : findExitUnfairness(trade, honest, built);
    expect([name, code, wrong]).toEqual([name, outcome[must], null]);
    const data = built?.data ?? "0x";
    expect(data).toBe(fieldsOnly(data));
  });
});
