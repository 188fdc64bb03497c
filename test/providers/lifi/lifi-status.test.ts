import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { RateLimitMemory } from "../../../src/providers/lifi/api/lifi-rate-limits.ts";
import { createLifi } from "../../../src/providers/lifi/lifi-provider.ts";
import { interpretLifiStatus } from "../../../src/providers/lifi/lifi-status.ts";
import { fakeLifi, scopeOf } from "../../support/lifi/fake-lifi.ts";
import { INTEGRATOR } from "../../support/lifi/parts.ts";

const SOURCE: Hex = `0x${"a1".repeat(32)}`;
const ARRIVED: Hex = `0x${"b2".repeat(32)}`;
const RETURNED: Hex = `0x${"c3".repeat(32)}`;
const transfer = { txHash: SOURCE, fromChainId: 8453, toChainId: 42161, tool: "across" };
const sending = { txHash: SOURCE, chainId: 8453, amount: "100000000" };
const link = `https://scan.li.fi/tx/${SOURCE}`;

/** Phase and substatus for what the upstream says. */
function meaning(status: string, substatus?: string): string {
  const read = interpretLifiStatus(transfer, { status, substatus, sending });
  return `${read.phase} ${read.substatus}`;
}

describe("the phase of interpretLifiStatus()", () => {
  test.each([
    ["NOT_FOUND", undefined, "unknown null"],
    ["INVALID", undefined, "unknown null"],
    ["SOMETHING_NEW", "COMPLETED", "unknown null"],
    ["constructor", undefined, "unknown null"],
    ["PENDING", undefined, "bridging null"],
    ["PENDING", "WAIT_SOURCE_CONFIRMATIONS", "source_pending WAIT_SOURCE_CONFIRMATIONS"],
    ["PENDING", "WAIT_DESTINATION_TRANSACTION", "bridging WAIT_DESTINATION_TRANSACTION"],
    ["PENDING", "BRIDGE_NOT_AVAILABLE", "bridging BRIDGE_NOT_AVAILABLE"],
    ["PENDING", "CHAIN_NOT_AVAILABLE", "bridging CHAIN_NOT_AVAILABLE"],
    ["PENDING", "UNKNOWN_ERROR", "bridging UNKNOWN_ERROR"],
    ["PENDING", "REFUND_IN_PROGRESS", "refunding REFUND_IN_PROGRESS"],
    ["PENDING", "INTENT_EXECUTING", "bridging null"],
    ["PENDING", "NOT_PROCESSABLE_REFUND_NEEDED", "bridging null"],
    ["PENDING", "toString", "bridging null"],
    ["DONE", undefined, "delivered null"],
    ["DONE", "COMPLETED", "delivered COMPLETED"],
    ["DONE", "PARTIAL", "delivered PARTIAL"],
    ["DONE", "REFUNDED", "refunded REFUNDED"],
    ["DONE", "SOMETHING_NEW", "delivered null"],
    ["FAILED", undefined, "failed null"],
    ["FAILED", "OUT_OF_GAS", "failed OUT_OF_GAS"],
    ["FAILED", "SLIPPAGE_EXCEEDED", "failed SLIPPAGE_EXCEEDED"],
    ["FAILED", "INSUFFICIENT_ALLOWANCE", "failed INSUFFICIENT_ALLOWANCE"],
    ["FAILED", "INSUFFICIENT_BALANCE", "failed INSUFFICIENT_BALANCE"],
    ["FAILED", "EXPIRED", "failed EXPIRED"],
    ["FAILED", "UNKNOWN_ERROR", "failed UNKNOWN_ERROR"],
    ["FAILED", "UNKNOWN_FAILED_ERROR", "failed UNKNOWN_ERROR"],
    ["FAILED", "NOT_PROCESSABLE_REFUND_NEEDED", "failed NOT_PROCESSABLE_REFUND_NEEDED"],
    ["FAILED", "REFUNDED", "refunded REFUNDED"],
    ["FAILED", "SOMETHING_NEW", "failed null"],
  ])("of %s %s is %s", (status, substatus, expected) => {
    expect(meaning(status, substatus)).toBe(expected);
  });
});

describe("interpretLifiStatus()", () => {
  test("returns the delivery's hash and amount when it is on the destination chain", () => {
    const receiving = { txHash: ARRIVED, chainId: 42161, amount: "99740000" };
    const answer = { status: "DONE", substatus: "COMPLETED", sending, receiving, lifiExplorerLink: link };
    expect(interpretLifiStatus(transfer, answer)).toEqual({
      phase: "delivered",
      substatus: "COMPLETED",
      destinationTxHash: ARRIVED,
      refundTxHash: null,
      amountReceived: 99_740_000n,
      explorerLink: link,
      proof: null,
      unread: false,
    });
  });

  test("returns the refund's hash when it is on the source chain", () => {
    const receiving = { txHash: RETURNED, chainId: 8453, amount: "99750000" };
    const read = interpretLifiStatus(transfer, { status: "DONE", substatus: "REFUNDED", sending, receiving });
    expect(read).toMatchObject({
      phase: "refunded",
      destinationTxHash: null,
      refundTxHash: RETURNED,
      amountReceived: null,
    });
  });

  test("returns no delivery while the transfer is bridging", () => {
    const receiving = { txHash: ARRIVED, chainId: 42161, amount: "1" };
    const read = interpretLifiStatus(transfer, { status: "PENDING", sending, receiving });
    expect(read).toMatchObject({ destinationTxHash: null, refundTxHash: null, amountReceived: null });
  });

  test.each([
    ["a hash of another shape", { receiving: { txHash: "0x1", chainId: 42161, amount: "x" } }],
    ["a delivery on another chain", { receiving: { txHash: ARRIVED, chainId: 10, amount: "5" } }],
  ])("ignores %s", (_, fields) => {
    const read = interpretLifiStatus(transfer, {
      status: "DONE",
      substatus: "COMPLETED",
      sending,
      ...fields,
    });
    expect(read).toMatchObject({ phase: "delivered", destinationTxHash: null, amountReceived: null });
  });

  test("ignores an explorer link to another site", () => {
    const elsewhere = interpretLifiStatus(transfer, {
      status: "DONE",
      sending,
      lifiExplorerLink: "https://evil.example/tx",
    });
    expect(elsewhere.explorerLink).toBeNull();
  });

  test.each([
    ["another transaction", { sending: { ...sending, txHash: RETURNED } }],
    ["another source chain", { sending: { ...sending, chainId: 1 } }],
  ])("returns unknown for a status of %s", (_, fields) => {
    expect(interpretLifiStatus(transfer, { status: "DONE", substatus: "COMPLETED", ...fields }).phase).toBe(
      "unknown",
    );
  });

  test("accepts a status without source", () => {
    expect(interpretLifiStatus(transfer, { status: "FAILED", substatus: "EXPIRED" }).phase).toBe("failed");
  });
});

describe("status()", () => {
  const providerAt = (apiUrl: string) =>
    createLifi({ apiUrl, apiKey: null, integrator: INTEGRATOR, rateLimits: new RateLimitMemory() });

  test("sends the bridge of a transfer, and none for a swap", async () => {
    await using server = await fakeLifi({ body: { status: "NOT_FOUND" } });
    const provider = providerAt(server.url);
    expect(await provider.status(scopeOf(), transfer)).toMatchObject({ phase: "unknown" });
    await provider.status(scopeOf(), { ...transfer, toChainId: 8453, tool: "fly" });
    const asked = { txHash: SOURCE, fromChain: "8453", toChain: "42161", bridge: "across" };
    expect(server.received[0]?.query).toEqual(asked);
    expect(server.received[1]?.query).toEqual({ txHash: SOURCE, fromChain: "8453", toChain: "8453" });
  });

  test("returns unknown for a 404", async () => {
    await using server = await fakeLifi({ status: 404, body: { code: 1003, message: "secret" } });
    expect(await providerAt(server.url).status(scopeOf(), transfer)).toMatchObject({ phase: "unknown" });
  });

  test.each([
    [400, { code: 1011 }, "upstream_unavailable"],
    [429, { code: 1005 }, "rate_limited"],
    [200, { substatus: "COMPLETED" }, "upstream_rejected"],
  ])("throws for %i %j: %s", async (status, body, code) => {
    await using server = await fakeLifi({ status, body });
    await expect(providerAt(server.url).status(scopeOf(), transfer)).rejects.toMatchObject({ code });
  });
});
