import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { CLOCK_SKEW, wasOnBus } from "../../../../src/providers/lifi/bridge-proof/stargate-bus.ts";
import { fakeChain } from "../../../support/across/stage.ts";
import { wireBlock, wireLog } from "../../../support/chains/wire.ts";
import { busDriven, contracts, FROM, GUID, SENT_AT } from "../../../support/lifi/bridge-proof-stage.ts";

/** Four blocks a second, as some chains have; the seat was taken in the first. */
const PACE = 4;
const HEAD = 200_000;

/** Asks about a bus that left in a block and arrived after a time, and says which blocks were looked at. */
async function asked(bus: { left: number; arrived: number; head?: number }) {
  const { left, arrived, head = HEAD } = bus;
  const ranges: [number, number][] = [];
  const client = fakeChain(FROM, {
    eth_getBlockByNumber: ([block]) => {
      const number = block === "latest" ? head : Number(block);
      return wireBlock(number, SENT_AT + Math.floor(number / PACE));
    },
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock } = filter as { fromBlock: Hex; toBlock: Hex };
      const [from, to] = [Number(fromBlock), Number(toBlock)];
      ranges.push([from, to]);
      return left >= from && left <= to ? [wireLog(busDriven(), { block: left, txHash: GUID })] : [];
    },
  });
  const ride = { messaging: contracts.messaging, ticket: 41n, from: 0, guid: GUID };
  const rode = await wasOnBus(client, { ...ride, arrivedAt: SENT_AT + arrived });
  return { rode, ranges };
}

describe("the log search of wasOnBus()", () => {
  test("runs backwards from the estimated block of the arrival", async () => {
    const { rode, ranges } = await asked({ left: 35_000, arrived: 10_000 });
    expect(rode).toBe(true);
    expect(ranges).toEqual([
      [38_241, 40_240],
      [36_241, 38_240],
      [34_241, 36_240],
    ]);
  });

  test("covers 30 minutes with few requests", async () => {
    const { rode, ranges } = await asked({ left: 1, arrived: 10_000 });
    expect(rode).toBe(null);
    expect(ranges).toHaveLength(4);
    expect(ranges.at(-1)).toEqual([32_800, 34_240]);
  });

  test("covers the 30 minutes after the ticket if the delivery's chain has an earlier time", async () => {
    const { rode, ranges } = await asked({ left: 2_000, arrived: -7_200 });
    expect(rode).toBe(true);
    expect(ranges.at(0)?.[1]).toBe(1_800 * PACE);
    // Within the difference that clocks may have, nothing left before the ticket was bought.
    expect((await asked({ left: 2_000, arrived: -CLOCK_SKEW })).ranges).toEqual([[0, 0]]);
  });

  test("starts at the ticket's block and ends at the head", async () => {
    expect((await asked({ left: 3, arrived: 20 })).ranges).toEqual([[0, 320]]);
    expect((await asked({ left: 90, arrived: 20, head: 100 })).ranges).toEqual([[0, 100]]);
  });
});
