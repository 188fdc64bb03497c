import { encodeAbiParameters, encodeFunctionData, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { erc4626 } from "../../../src/vaults/families/erc4626-family.ts";
import { USER, VAULT, vault } from "../../support/deposits/fixtures.ts";

const withExit = (exit: string | null) => ({ ...vault, params: exit === null ? {} : { exit } });
const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);

/** Returns the exit fee of a vault that values its sample at 1,000,000 and previews a redemption at 0. */
function exitFee(exit: string | null) {
  const query = erc4626.state(withExit(exit), 0);
  const results = Object.entries(query.reads).map(([name, { decode }]) => {
    const value = name === "price" ? 10n ** 6n : name === "redeemed" ? 0n : null;
    return [
      name,
      value === null
        ? ({ ok: false, revert: null } as const)
        : ({ ok: true, value: decode(word(value)) } as const),
    ];
  });
  return query.interpret(Object.fromEntries(results)).exitFee;
}

describe("a generic ERC-4626 vault", () => {
  test("shows what a redemption at once costs", () => {
    expect(exitFee(null)).toBe(1);
  });

  test.each([
    ["cooldown", ["instant", "cooldown"]],
    ["maple", ["request"]],
    ["erc7540", ["request"]],
  ])("with the exit %s shows no fee of an instant withdrawal", (exit, modes) => {
    expect(exitFee(exit)).toBeNull();
    expect(erc4626.exits?.modes(withExit(exit))).toEqual(modes);
  });

  test("with the exit erc7540 requests the redemption from the owner's account", () => {
    const call = erc4626.exits?.encode(withExit("erc7540"), {
      ...{ mode: "request", token: vault.asset, shares: 5n, minAssets: 0n },
      ...{ owner: USER, caller: USER, receiver: USER },
    });
    const abi = parseAbi(["function requestRedeem(uint256, address, address) returns (uint256)"]);
    expect(call).toMatchObject({
      ...{ target: VAULT, async: true, spender: null },
      data: encodeFunctionData({ abi, args: [5n, USER, USER] }),
    });
    expect(erc4626.exits?.viaRouter(withExit("erc7540"), "request")).toBe(false);
  });
});
