import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { gasLimit } from "../../src/orders/order-wallet-calls.ts";

describe("gasLimit()", () => {
  const used = fc.bigInt(21_000n, 30_000_000n);

  test("covers refunds, the withheld 64th and small changes of state", () => {
    fc.assert(
      fc.property(used, (gas) => {
        expect((gasLimit(gas) - 20_000n) * 100n >= gas * 127n).toBe(true);
      }),
    );
  });

  test("stays below wallets' warning level and rises with the gas used", () => {
    fc.assert(
      fc.property(used, (gas) => {
        expect(gasLimit(gas) <= 2n * gas + 100_000n).toBe(true);
        expect(gasLimit(gas + 1n) >= gasLimit(gas)).toBe(true);
      }),
    );
  });
});
