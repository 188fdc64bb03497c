import { getAddress } from "viem";
import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { AppError } from "../../src/errors.ts";
import { createProviders } from "../../src/providers/create-providers.ts";
import { requestOf } from "../support/across/stage.ts";
import { bindings } from "../support/context.ts";

const A = `0x${"aa".repeat(20)}`;
const B = `0x${"bb".repeat(20)}`;
const acrossRow = {
  spoke_pool: A,
  multicall_handler: B,
  wrapped_native: null,
  tokens: [{ asset: "usdc", address: B, decimals: 6 }],
};
const lifiRow = {
  diamond: A,
  executor: B,
  erc20_proxy: A,
  receiver_across: B,
  receiver_stargate: null,
  fee_forwarders: [A],
  max_native_fee: "1000",
  bridges: ["across"],
  wrapped_native: null,
  assets: [],
};

/** The providers of a deployment with this variable. */
function providersOf(variable?: unknown) {
  const PROVIDERS = variable === undefined ? "" : JSON.stringify(variable);
  return createProviders(parseConfig({ ...bindings, PROVIDERS }).providers);
}

/** The chains that a provider's bridge joins. */
const chainsOf = (variable: unknown, bridge: string) =>
  providersOf(variable)[0]
    ?.capabilities()
    .bridges.find(({ key }) => key === bridge)?.chains;

describe("createProviders() without the PROVIDERS setting", () => {
  test("returns no provider: a deployment must name the upstreams that it uses", () => {
    expect(providersOf()).toEqual([]);
    expect(providersOf({})).toEqual([]);
  });
});

describe("createProviders() with the PROVIDERS setting", () => {
  test("returns the named providers with the chains that ship in code", () => {
    const named = providersOf({ lifi: { integrator: "causeway" }, across: {}, kyber: {}, velora: {} });
    expect(named.map(({ name }) => name)).toEqual(["across", "lifi", "kyber", "velora"]);
    expect(chainsOf({ across: {} }, "across")).toEqual([1, 10, 137, 8453, 42161]);
    expect(chainsOf({ lifi: { integrator: "causeway" } }, "stargate")).toContain(8453);
  });

  test("adds deployments of chains that the code does not know", () => {
    const across = { across: { deployments: { 31337: acrossRow } } };
    expect(chainsOf(across, "across")).toContain(31337);
    const lifi = { lifi: { integrator: "causeway", deployments: { 31337: lifiRow } } };
    expect(chainsOf(lifi, "across")).toContain(31337);
    expect(chainsOf(lifi, "stargate")).not.toContain(31337);
    const [kyber] = providersOf({ kyber: { deployments: { 31337: { slug: "local", router: A } } } });
    const swap = requestOf({ fromChainId: 31337, toChainId: 31337 });
    expect(kyber?.spenders(swap)).toEqual([getAddress(A)]);
    const [velora] = providersOf({ velora: { deployments: { 31337: { router: A } } } });
    expect(velora?.spenders(swap)).toEqual([getAddress(A)]);
  });

  test.each([
    ["across", 8453, { across: { deployments: { 8453: acrossRow } } }],
    [
      "across, on a chain where the code knows no contracts",
      56,
      { across: { deployments: { 56: acrossRow } } },
    ],
    ["kyber", 8453, { kyber: { deployments: { 8453: { slug: "base", router: A } } } }],
    ["velora", 100, { velora: { deployments: { 100: { router: A } } } }],
    ["lifi", 8453, { lifi: { integrator: "causeway", deployments: { 8453: lifiRow } } }],
  ])(
    "throws when a setting replaces contracts of %s that ship in code (chain %i)",
    (_name, chainId, variable) => {
      const made = () => providersOf(variable);
      expect(made).toThrow(AppError);
      expect(made).toThrow(new RegExp(`chain ${chainId} ships? in code`));
    },
  );
});
