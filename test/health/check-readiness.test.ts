import { expect, test } from "vitest";
import { RpcError } from "../../src/chains/json-rpc.ts";
import { checkReadiness } from "../../src/health/check-readiness.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { fixedDatabase } from "../support/withdrawals/withdrawing.ts";

test("checkReadiness() names a chain whose nodes refuse unavailable, and not the store", async () => {
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const request = () => Promise.reject(new RpcError("unsupported", "eth_blockNumber"));
  const ctx = testContext({ db: fixedDatabase(() => []), clients: [{ ...client, request }] });
  const shown = await checkReadiness(ctx);
  expect(shown.find(({ name }) => name === `chain:${client.definition.chainId}`)).toMatchObject({
    ...{ ok: false, code: "upstream_unavailable" },
  });
});
