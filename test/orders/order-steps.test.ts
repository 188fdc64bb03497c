import { describe, expect, test } from "vitest";
import { type LegFacts, type StepLeg, toLegSteps } from "../../src/orders/order-steps.ts";

const leg: StepLeg = {
  slot: "source",
  purpose: "deposit",
  chainId: 1,
  token: { address: "0xdAC17F958D2ee523a2206206994597C13D831ec7", symbol: "USDT", decimals: 6 },
  amount: "2500000",
  spender: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
  allowed: false,
  reset: false,
  transaction: {
    to: "0x5FbDB2315678afecb367f032d93F642f64180aa3",
    data: "0x12",
    value: "0",
    chain_id: 1,
    gas_limit: "1",
  },
};
const facts: LegFacts = { state: "required", txHash: null, allowance: null, approvalsWait: false };
const states = (of: Partial<StepLeg>, now: Partial<LegFacts>) =>
  toLegSteps({ ...leg, ...of }, { ...facts, ...now }).map(({ purpose, state }) => `${purpose} ${state}`);

describe("toLegSteps()", () => {
  test.each<[string, Partial<StepLeg>, Partial<LegFacts>, string[]]>([
    ["no allowance", {}, { allowance: 0n }, ["approve required", "deposit required"]],
    ["too little", {}, { allowance: 1n }, ["approve_reset required", "approve required", "deposit required"]],
    ["enough, given since", {}, { allowance: 2_500_000n }, ["approve done", "deposit required"]],
    [
      "enough from the start",
      { allowed: true },
      { allowance: 2_500_000n },
      ["approve skipped", "deposit required"],
    ],
    ["used up since", { allowed: true }, { allowance: 0n }, ["approve required", "deposit required"]],
    [
      "reset, not yet approved",
      { reset: true },
      { allowance: 0n },
      ["approve_reset done", "approve required", "deposit required"],
    ],
    [
      "unread, as built",
      { reset: true },
      {},
      ["approve_reset required", "approve required", "deposit required"],
    ],
    [
      "sent",
      { reset: true },
      { state: "waiting" },
      ["approve_reset done", "approve done", "deposit waiting"],
    ],
    [
      "waiting for a bridge",
      {},
      { state: "waiting", approvalsWait: true },
      ["approve waiting", "deposit waiting"],
    ],
    ["over", {}, { state: "skipped" }, ["approve skipped", "deposit skipped"]],
    ["native money", { spender: null }, {}, ["deposit required"]],
  ])("with an allowance that is %s", (_what, of, now, expected) => {
    expect(states(of, now)).toEqual(expected);
  });

  test("gives each step what a wallet needs", () => {
    const [reset, approve, deposit] = toLegSteps(leg, { ...facts, allowance: 1n });
    expect([reset?.amount, approve?.amount, deposit?.amount]).toEqual(["0", "2500000", "2500000"]);
    expect([reset?.title, approve?.title, deposit?.title]).toEqual([
      "Reset the allowance of USDT",
      "Approve 2.5 USDT",
      "Deposit 2.5 USDT",
    ]);
    expect([approve?.spender, deposit?.spender]).toEqual([leg.spender, null]);
    expect(deposit?.transaction_request).toEqual(leg.transaction);
  });

  test.each<[string, Partial<StepLeg>, Partial<LegFacts>]>([
    ["an order that is over", { reset: true }, { state: "skipped" }],
    ["an allowance that suffices", { allowed: true, reset: true }, { allowance: 2_500_000n }],
    ["an allowance that sufficed when the order was sent", { allowed: true }, { state: "done" }],
  ])("offers no transaction in a skipped step, as after %s", (_what, of, now) => {
    const skipped = toLegSteps({ ...leg, ...of }, { ...facts, ...now }).filter(
      ({ state }) => state === "skipped",
    );
    expect(skipped.length).toBeGreaterThan(0);
    for (const { step_id, transaction_request } of skipped) expect(transaction_request, step_id).toBeNull();
  });
});

describe("titles of steps that pay with shares", () => {
  const shares: StepLeg = {
    ...{ slot: "source", purpose: "redeem", chainId: 1, shares_of: "Plain USDC" },
    token: { address: "0x6B175474E89094C44Da98b954EedeAC495271d0F", symbol: "", decimals: 18 },
    ...{ amount: "237820123456789012345", spender: "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5" },
    ...{ allowed: false, reset: true, transaction: null },
  };
  const now = { state: "required", txHash: null, allowance: 1n, approvalsWait: false } as const;
  const titles = (leg: Partial<StepLeg>) => toLegSteps({ ...shares, ...leg }, now).map(({ title }) => title);

  test("name the vault, and an amount that can be read", () => {
    expect(titles({})).toEqual([
      "Reset the allowance of the shares of Plain USDC",
      "Approve 237.820123 shares of Plain USDC",
      "Redeem 237.820123 shares of Plain USDC",
    ]);
  });

  test.each([
    ["request", "Request the redemption of 237.820123 shares of Plain USDC"],
    ["cooldown", "Start the cooldown of 237.820123 shares of Plain USDC"],
    ["deposit", "Move 237.820123 shares of Plain USDC"],
    ["transfer", "Redeem and bridge 237.820123 shares of Plain USDC"],
  ] as const)("say what a %s does", (purpose, title) => {
    expect(titles({ purpose }).at(-1)).toBe(title);
  });

  test.each([
    ["1", "Redeem 0.000000000000000001"],
    ["1230000000000", "Redeem 0.0000012"],
    ["1000000000000000000", "Redeem 1"],
    ["1999999999999999999", "Redeem 1.999999"],
  ])("round %s down without making it nothing", (amount, title) => {
    expect(titles({ amount }).at(-1)).toBe(`${title} shares of Plain USDC`);
  });
});
