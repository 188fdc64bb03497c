import { type Log, zeroHash } from "viem";
import { describe, expect, test } from "vitest";
import {
  findCctpSend,
  findStargateSend,
} from "../../../../src/providers/lifi/bridge-proof/lifi-source-events.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import {
  type Event,
  FROM,
  GUID,
  messageSent,
  oftSent,
  started,
  TO,
} from "../../../support/lifi/bridge-proof-stage.ts";
import { deployments } from "../../../support/lifi/harness.ts";
import { ATTACKER, requestOf, USER } from "../../../support/lifi/parts.ts";

const [source, destination] = [deployments.get(FROM), deployments.get(TO)];
if (source === undefined || destination === undefined) throw new Error("no deployment");
const { fromToken, toToken } = requestOf({});

/** What the bridges take of a payment of 100 USDC, and of one that is a little smaller. */
const PAID = 100_000_000n;
const NEAR = 99_900_000n;

const findIn =
  <T>(find: (...input: Parameters<typeof findStargateSend>) => T) =>
  (events: readonly Event[], amount: bigint, token = fromToken): T => {
    const logs = events.map((event, logIndex) => ({ ...event, logIndex }) as unknown as Log);
    const terms = { ref: zeroHash, fromToken: token, swaps: true, toToken, least: null, call: false };
    return find(
      { blockNumber: 1n, succeeded: true, gasUsed: 1n, logs },
      { source, destination, sender: { account: USER, amount }, built: terms },
    );
  };

const payment = (value: bigint): Event => {
  const { address, topics, data } = transferLog({ token: fromToken, from: USER, value });
  return { address, topics: [...topics], data };
};

describe.each([
  {
    name: "findStargateSend()",
    send: [oftSent(), started("stargateV2")],
    other: [oftSent({ guid: zeroHash }), started("stargateV2")],
    find: findIn((receipt, pair) => {
      const sent = findStargateSend(receipt, pair);
      return sent?.kind === "stargate" && sent.guid === GUID;
    }),
  },
  {
    name: "findCctpSend()",
    send: [messageSent()],
    other: [messageSent({ fee: 1n })],
    find: findIn((receipt, pair) => {
      const sent = findCctpSend(receipt, pair);
      return sent?.kind === "circle" && sent.message.fixed.length > 0;
    }),
  },
])("$name", ({ send, other, find }) => {
  test("finds the transfer that was paid for, of two of the user after LI.FI's fee", () => {
    const own = [payment(PAID), ...send];
    const foreign = [payment(NEAR), ...other];
    for (const events of [
      [...own, ...foreign],
      [...foreign, ...own],
    ]) {
      expect(find(events, PAID)).toBe(true);
      expect(find(events, PAID - 1n)).toBe(false);
    }
    expect(find([payment(PAID), payment(NEAR), ...send, ...other], PAID)).toBe(false);
  });

  test("finds none that takes more than was paid, unless another token was paid", () => {
    expect(find(send, 40_000_000n)).toBe(false);
    expect(find(send, 40_000_000n, ATTACKER)).toBe(true);
  });
});
