import { type Hex, hexToBigInt, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { wasOnBus } from "../../../../src/providers/lifi/bridge-proof/stargate-bus.ts";
import { fakeChain } from "../../../support/across/stage.ts";
import { busDriven, contracts, FROM, GUID, SENT_AT } from "../../../support/lifi/bridge-proof-stage.ts";

/** Four blocks a second, as some chains have; the seat was taken in the first. */
const PACE = 4n;
const HEAD = 200_000n;

/** Asks about a bus that left in a block and arrived after a time, and says which blocks were looked at. */
async function asked(bus: { left: bigint; arrived: bigint; head?: bigint }) {
  const { left, arrived, head = HEAD } = bus;
  const ranges: [bigint, bigint][] = [];
  const client = fakeChain(FROM, {
    eth_blockNumber: () => numberToHex(head),
    eth_getBlockByNumber: ([block]) => ({
      timestamp: numberToHex(BigInt(SENT_AT) + hexToBigInt(block as Hex) / PACE),
    }),
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      const [from, to] = [hexToBigInt(fromBlock), hexToBigInt(toBlock)];
      ranges.push([from, to]);
      return left >= from && left <= to ? [busDriven()] : [];
    },
  });
  const ride = { messaging: contracts.messaging, ticket: 41n, from: 0n, guid: GUID };
  const rode = await wasOnBus(client, { ...ride, arrivedAt: BigInt(SENT_AT) + arrived });
  return { rode, ranges };
}

describe("where a bus is looked for", () => {
  test("before it arrived, by the chain's pace, from there backwards", async () => {
    const { rode, ranges } = await asked({ left: 35_000n, arrived: 10_000n });
    expect(rode).toBe(true);
    expect(ranges).toEqual([
      [38_241n, 40_240n],
      [36_241n, 38_240n],
      [34_241n, 36_240n],
    ]);
  });

  test("for half an hour and no longer, in few requests", async () => {
    const { rode, ranges } = await asked({ left: 1n, arrived: 10_000n });
    expect(rode).toBe(null);
    expect(ranges).toHaveLength(4);
    expect(ranges.at(-1)).toEqual([32_800n, 34_240n]);
  });

  test("not before the seat was taken, nor beyond the head", async () => {
    expect((await asked({ left: 3n, arrived: 20n })).ranges).toEqual([[0n, 320n]]);
    expect((await asked({ left: 90n, arrived: 20n, head: 100n })).ranges).toEqual([[0n, 100n]]);
  });
});
