import { numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { readBlockTime } from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { completeClient } from "../../support/chains/complete-client.ts";
import { wireBlock } from "../../support/chains/wire.ts";
import { testContext } from "../../support/context.ts";
import { simulatedChain } from "../../support/deposits/simulated-chain.ts";

const { definition } = simulatedChain({}).client;
const { chainId } = definition;

/** Reads the time of block 7 of a chain whose node knows only block 7. */
function timeOf(blockNumber: bigint, on = chainId): Promise<number> {
  const request = (_method: string, params: readonly unknown[]): Promise<unknown> =>
    Promise.resolve(params[0] === numberToHex(7) ? wireBlock(7, 1_700_000_000) : null);
  const client = completeClient({ definition, request, observe: () => undefined });
  return readBlockTime(testContext({ clients: [client] }), { chainId: on, blockNumber });
}

describe("readBlockTime()", () => {
  test("is the block's timestamp in seconds", async () => {
    expect(await timeOf(7n)).toBe(1_700_000_000);
  });

  test("throws upstream_unavailable for a block that the node does not know", async () => {
    await expect(timeOf(8n)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("throws chain_unsupported for a chain that is not served", async () => {
    await expect(timeOf(7n, 999_999)).rejects.toMatchObject({ code: "chain_unsupported" });
  });
});
