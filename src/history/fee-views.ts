import { parseAbi } from "viem";
import { type Described, describe, type ReadResult, read } from "../chains/read.ts";
import type { Controls } from "../db/schema/snapshots.ts";
import { once } from "../lib/once.ts";
import type { Vault } from "../vaults/vault.ts";

const feesAbi = once(() =>
  parseAbi([
    "function performanceFee() view returns (uint96)",
    "function managementFee() view returns (uint96)",
    "function feeRates() view returns (uint16 management, uint16 performance)",
    "function getPerformanceFeeData() view returns (address account, uint16 fee)",
    "function getManagementFeeData() view returns (address account, uint16 fee, uint32 updatedAt)",
  ]),
);

/**
 * Describes the fees of families that have views of their own for them, in the family's unit: parts of 10^18 for
 * Morpho's Vault V2, hundredths of a percent for IPOR and Lagoon. A view that does not answer is absent.
 */
export function describeFees(vault: Vault): Described<Controls> {
  const on = { to: vault.address, abi: feesAbi() } as const;
  if (vault.adapter === "morpho_v2")
    return describe(
      {
        performance: read({ ...on, name: "performanceFee" }),
        management: read({ ...on, name: "managementFee" }),
      },
      ({ performance, management }) => ({
        ...named("performance_fee", performance, (fee) => fee),
        ...named("management_fee", management, (fee) => fee),
      }),
    );
  if (vault.adapter === "lagoon")
    return describe({ rates: read({ ...on, name: "feeRates" }) }, ({ rates }) => ({
      ...named("management_fee", rates, ([management]) => management),
      ...named("performance_fee", rates, ([, performance]) => performance),
    }));
  if (vault.adapter === "ipor")
    return describe(
      {
        performance: read({ ...on, name: "getPerformanceFeeData" }),
        management: read({ ...on, name: "getManagementFeeData" }),
      },
      ({ performance, management }) => ({
        ...named("performance_fee", performance, ([, fee]) => fee),
        ...named("management_fee", management, ([, fee]) => fee),
      }),
    );
  return describe({}, () => ({}));
}

function named<T>(
  name: "performance_fee" | "management_fee",
  result: ReadResult<T>,
  feeOf: (value: T) => bigint | number,
): Controls {
  return result.ok ? { [name]: feeOf(result.value).toString() } : {};
}
