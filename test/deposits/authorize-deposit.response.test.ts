import { expect, test } from "vitest";
import { toSignedDeposit } from "../../src/deposits/authorize-deposit.ts";
import type { AuthorizedOrder } from "../../src/orders/authorization/authorize-order.ts";
import type { StepLeg, StepPlan } from "../../src/orders/order-steps.ts";
import type { BuiltDeposit } from "../../src/schemas/quote-schema.ts";
import { OTHER, USDC, WETH } from "../support/deposits/fixtures.ts";
import { plannedBy } from "../support/orders/signed-chain.ts";

const leg: StepLeg = {
  ...{ slot: "source", purpose: "deposit", chainId: 31337, amount: "25000000", spender: null },
  ...{
    token: { address: USDC, symbol: "USDC", decimals: 6 },
    allowed: true,
    reset: false,
    transaction: null,
  },
  authorization: plannedBy("erc3009"),
};
const second: StepLeg = {
  ...{ slot: "destination", purpose: "deposit", chainId: 31337, amount: "9000", spender: OTHER },
  ...{ token: { address: WETH, symbol: "WETH", decimals: 18 }, allowed: false, reset: false },
  transaction: null,
};
const call = { to: OTHER, data: "0x", value: "0x0", chain_id: "0x7a69" } as const;
/** Returns the simulated shares in the response to the signature of an order that pays out `output`. */
function sharesOf(output: bigint | null, of: { destination: StepLeg | null; built: string | null }) {
  const plan: StepPlan = { source: leg, destination: of.destination, settles: false };
  const signed: AuthorizedOrder = {
    transaction: { to: OTHER, data: "0x", value: "0", chain_id: 31337, gas_limit: "1" },
    call,
    simulation: { block_number: 7, gas_used: "1", output, balance_sufficient: true, gas_sufficient: null },
  };
  const built = { simulation: { shares: of.built } } as unknown as BuiltDeposit;
  return toSignedDeposit(built, { plan, signed }).simulation.shares;
}

test("an order that deposits states the shares of its own simulation", () => {
  expect(sharesOf(20n, { destination: null, built: "19" })).toBe("20");
});

test("an order that ends in a bridge states the shares of the build", () => {
  expect(sharesOf(null, { destination: null, built: "19" })).toBe("19");
});

test("an order that swaps for a second step states no shares: its output is the token to deposit", () => {
  expect(sharesOf(9_000n, { destination: second, built: null })).toBe(null);
});
