import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { Context } from "../../../src/context.ts";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import { failure } from "../../../src/errors.ts";
import { type Provider, type ProviderStatus, unknownStatus } from "../../../src/providers/provider.ts";
import type { TransactionReader } from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { deliveryTransitions } from "../../../src/tracking/deposits/track-deposit-delivery.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { row as built, OTHER, USER } from "../../support/deposits/fixtures.ts";
import { executedLog, receiptOf } from "../../support/deposits/logs.ts";

const SOURCE: Hex = `0x${"1".repeat(64)}`;
/** Anybody's deposit for the user with the order reference of the deposit. */
const REPEATED: Hex = `0x${"2".repeat(64)}`;

const row: DepositRow = {
  ...built,
  ...{ state: "bridging", provider: "across", bridge: "across", fromChainId: 10 },
  ...{ sourceTxHash: SOURCE, sourceProven: true },
};

type Answer = ProviderStatus | Error;

function contextOf(answers: Readonly<Record<string, Answer>>): Context {
  const ctx = testContext();
  const providers = Object.entries(answers).map(([name, answer]) => {
    const status = async (): Promise<ProviderStatus> => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    return { name, status } as unknown as Provider;
  });
  return {
    ...ctx,
    chains: { ...ctx.chains, definitions: new Map([[testChain.chainId, testChain]]) },
    providers: { ...ctx.providers, all: async () => providers },
  };
}

const readTransaction: TransactionReader = async () => ({
  transaction: { hash: REPEATED, from: OTHER, to: OTHER, input: "0x", value: 0n, gas: 500_000n },
  receipt: receiptOf(executedLog()),
  confirmations: testChain.confirmations,
});

/** Returns what the chain shows of the deposit while its transfer is under way and the Router's event has arrived. */
async function shownBy(answers: Readonly<Record<string, Answer>>, own: Partial<DepositRow> = {}) {
  const following = { row: { ...row, ...own }, readTransaction, arrivals: [REPEATED] };
  const transitions = await deliveryTransitions(contextOf(answers), following);
  return transitions.flatMap(({ event }) => (event.kind === "chain" ? [event.shows] : []));
}

const taken = { token: USER, amount: 1n, by: USER, deadline: 1, refundable: false } as const;
const silent = failure("upstream_unavailable", "no answer");

describe("a Router event with the deposit's reference", () => {
  test("counts if the bridge's contracts show no number", async () => {
    expect(await shownBy({ across: unknownStatus })).toEqual(["shares"]);
  });

  test("does not count if they show the transfer's number", async () => {
    const numbered = { ...unknownStatus, proof: { delivery: null, taken } };
    expect(await shownBy({ across: numbered })).toEqual([]);
  });

  test("does not count yet while they are unread", async () => {
    expect(await shownBy({ across: { ...unknownStatus, unread: true } })).toEqual([]);
  });

  test.each([
    ["across", {}],
    ["lifi", { lifi: unknownStatus }],
  ])(
    "does not count yet while the bridge's own provider fails, with a route of %s",
    async (provider, also) => {
      expect(await shownBy({ across: silent, ...also }, { provider })).toEqual([]);
    },
  );

  test("counts while only the provider of a bridge without numbers fails", async () => {
    expect(await shownBy({ lifi: silent }, { provider: "lifi", bridge: "stargate" })).toEqual(["shares"]);
  });
});
