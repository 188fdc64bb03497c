import { describe, expect, test } from "vitest";
import { createAcross } from "../../../src/providers/across/across-provider.ts";
import { serveApi } from "../../support/across/emulator.ts";
import { feesBody, HANDLER, requestOf, SPOKE_1, scopeOf, USDC_1 } from "../../support/across/stage.ts";

const api = serveApi();

const seconds = (): number => Math.floor(Date.now() / 1000);

describe("a chain added by settings", () => {
  const local = {
    chainId: 31337,
    spokePool: SPOKE_1,
    multicallHandler: HANDLER,
    wrappedNative: null,
    tokens: [{ asset: "USDC", address: USDC_1, decimals: 18 }],
  };
  const request = requestOf({ toChainId: 31337, toToken: USDC_1, call: null, amount: 1_000_000n });
  const fees = {
    ...feesBody(requestOf({ amount: 1_000_000n }), 0),
    destinationSpokePoolAddress: SPOKE_1,
    outputToken: { address: USDC_1, decimals: 18, chainId: 31337 },
  };
  const times = () => ({ timestamp: seconds(), fillDeadline: seconds() + 7_200 });
  const widened = () => createAcross({ apiUrl: api.url, deployments: [local] });

  test("is quoted in its token's own decimals", async () => {
    const outputAmount = "999000000000000000";
    api.answer(() => ({ kind: "json", body: { ...fees, ...times(), outputAmount } }));
    const [option] = await widened().quote(scopeOf(), request);
    expect(option?.toAmount).toBe(999_000_000_000_000_000n);
    expect(api.requests[0]?.query["allowUnmatchedDecimals"]).toBe("true");
  });

  test("shows an output in the other token's decimals as the loss that it is", async () => {
    api.answer(() => ({ kind: "json", body: { ...fees, ...times(), outputAmount: "999000" } }));
    const [option] = await widened().quote(scopeOf(), request);
    expect(option).toMatchObject({ toAmount: 999_000n, declaredFee: 999_999_999n });
  });
});
