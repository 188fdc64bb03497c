import { afterAll, beforeAll } from "vitest";
import { describeProvider, type ProviderCase } from "../../support/conformance/providers/suite.ts";
import { type BridgedStack, newUser, startBridged } from "../../support/stack/bridged.ts";
import { intoVault, moveOf, openProviders } from "../../support/stack/providers.ts";

const AMOUNT = 100_000_000n;
let stack: BridgedStack;
let cases: Record<"across" | "lifi" | "kyber" | "velora", ProviderCase>;

beforeAll(async () => {
  stack = await startBridged();
  const { one, two, hub } = stack;
  const user = await newUser(stack);
  const { scope, lifi, across, kyber, velora } = openProviders(stack);
  const tokens = { fromToken: one.tokens.USDC, toToken: two.tokens.USDC };
  const plain = moveOf(one, two, { ...tokens, amount: AMOUNT, user });
  const call = intoVault(two, { vault: "Remote USDC", user, minIn: (AMOUNT * 97n) / 100n });
  const swap = moveOf(one, one, { ...tokens, toToken: one.tokens.WETH, amount: AMOUNT, user });
  const remote = { fromToken: two.tokens.USDC, toToken: two.tokens.WETH };
  const swapOnTwo = moveOf(two, two, { ...remote, amount: AMOUNT, user });
  const requests = { scope, plain, called: { ...plain, call } };
  cases = {
    across: { provider: across, emulator: hub.across, ...requests },
    lifi: { provider: lifi, emulator: hub.lifi, ...requests },
    kyber: { provider: kyber, emulator: hub.swaps, scope, plain: swap, called: null },
    velora: { provider: velora, emulator: hub.velora, scope, plain: swapOnTwo, called: null },
  };
});
afterAll(() => stack.close());

describeProvider("across", () => cases.across);
describeProvider("lifi", () => cases.lifi);
describeProvider("kyber", () => cases.kyber);
describeProvider("velora", () => cases.velora);
