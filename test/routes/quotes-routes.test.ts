import { expect, test } from "vitest";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import type { Context } from "../../src/context.ts";
import { ValidationFailure } from "../../src/http/validate-request.ts";
import { createAcross } from "../../src/providers/across/across-provider.ts";
import { assertListedBridge } from "../../src/routes/quotes-routes.ts";
import { BuildInput, bridgeKeys } from "../../src/schemas/build-input-schema.ts";
import { testContext } from "../support/context.ts";

const body = BuildInput.parse({
  from_chain_id: 1,
  from_token: `0x${"1".repeat(40)}`,
  from_amount: "1",
  vault_id: `8453:0x${"2".repeat(40)}`,
  user_address: `0x${"3".repeat(40)}`,
});

/** A deployment that serves all known chains and has Across alone. */
function deployment(): Context {
  const ctx = testContext();
  const definitions = new Map(knownChains.map((chain) => [chain.chainId, chain]));
  const all = [createAcross({ apiUrl: "http://127.0.0.1:9", deployments: [] })];
  return {
    ...ctx,
    chains: { ...ctx.chains, definitions },
    providers: { ...ctx.providers, all: async () => all },
  };
}

test("assertListedBridge() accepts a listed bridge and none", async () => {
  await expect(assertListedBridge(deployment(), body)).resolves.toBeUndefined();
  const listed = assertListedBridge(deployment(), { ...body, preferred_bridge: "across" });
  await expect(listed).resolves.toBeUndefined();
});

test.each(bridgeKeys.filter((key) => key !== "across"))(
  "%s, which this deployment does not list, is invalid input",
  async (key) => {
    const asked = assertListedBridge(deployment(), { ...body, preferred_bridge: key });
    const error = await asked.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ValidationFailure)) throw new Error(`it was taken: ${String(error)}`);
    expect(error.issues.map(({ loc, msg }) => `${loc.join(".")} ${msg}`)).toEqual([
      "body.preferred_bridge must be a key of GET /v1/bridges: across",
    ]);
  },
);
