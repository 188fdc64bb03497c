import { type Address, encodeAbiParameters, keccak256, pad, parseAbiParameters } from "viem";
import { describe, expect, test } from "vitest";
import { textOf } from "../../support/signals/governance-findings.ts";

const at = (digits: Address): Address => pad(digits, { size: 20 });
const ADAPTER = at("0xad");
const textOfCap = (data: { idData?: string }) => textOf("morpho_v2", "IncreaseAbsoluteCap", data);

describe("a cap of Morpho Vault V2 names what it limits", () => {
  test("an adapter", () => {
    const idData = encodeAbiParameters(parseAbiParameters("string, address"), ["this", ADAPTER]);
    expect(textOfCap({ idData })).toMatch(/^The absolute cap for adapter 0x/);
  });

  test("a market, by Morpho's id of it", () => {
    const market = [at("0x01"), at("0x02"), at("0x03"), at("0x04"), 86n * 10n ** 16n] as const;
    const [loan, collateral, oracle, irm, lltv] = market;
    const idData = encodeAbiParameters(
      parseAbiParameters(
        "string, address, (address loan, address collateral, address oracle, address irm, uint256 lltv)",
      ),
      ["this/marketParams", ADAPTER, { loan, collateral, oracle, irm, lltv }],
    );
    const id = keccak256(
      encodeAbiParameters(parseAbiParameters("address, address, address, address, uint256"), market),
    );
    expect(textOfCap({ idData })).toContain(`for market ${id} of adapter 0x`);
  });

  test("the allocation id, if the data say nothing", () => {
    expect(textOfCap({})).toMatch(/^The absolute cap for allocation id 0xab/);
  });
});
