import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import {
  cctpContracts,
  stargateContracts,
} from "../../../../src/providers/lifi/bridge-proof/stargate-and-cctp-contracts.ts";
import { lifiContracts } from "../../../../src/providers/lifi/lifi-deployments.ts";

const stargate = Object.entries(stargateContracts);
const circle = Object.entries(cctpContracts);
const pools = stargate.flatMap(([, { pools: own }]) => own);
const withFacet = (...facets: string[]) =>
  lifiContracts
    .filter(([, { bridges }]) => bridges.some((facet) => facets.includes(facet)))
    .map(([chainId]) => chainId);

describe("stargateContracts and cctpContracts", () => {
  test("have checksummed addresses", () => {
    const addresses = [
      ...stargate.flatMap(([, { endpoint, messaging }]) => [endpoint, messaging ?? "none"]),
      ...pools.flatMap(({ pool, token }) => [pool, token]),
      ...circle.flatMap(([, { transmitter, usdc }]) => [transmitter, usdc]),
    ];
    for (const address of addresses) expect(address).toBe(getAddress(address));
  });

  test("cover exactly the chains whose Diamond has the facet", () => {
    expect(stargate.map(([chainId]) => Number(chainId))).toEqual(withFacet("stargate"));
    expect(circle.map(([chainId]) => Number(chainId))).toEqual(withFacet("celer", "polymer"));
  });

  test("have each chain id once and each asset id of a chain once", () => {
    expect(new Set(stargate.map(([, { endpointId }]) => endpointId)).size).toBe(stargate.length);
    expect(new Set(circle.map(([, { domain }]) => domain)).size).toBe(circle.length);
    for (const [, { pools: own }] of stargate) {
      for (const key of ["assetId", "pool", "token"] as const)
        expect(new Set(own.map((one) => one[key])).size).toBe(own.length);
    }
  });
});
