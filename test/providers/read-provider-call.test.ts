import { concatHex, type Hex, isAddressEqual, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { decodeLifiCall } from "../../src/providers/lifi/decode/decode-lifi-call.ts";
import { readTransferCall } from "../../src/providers/read-provider-call.ts";
import { built, terms } from "../support/across/built.ts";
import { HANDLER, USDC_1, USDC_42161, USER, WETH_1, WETH_42161 } from "../support/across/stage.ts";
import { encodeFields, honestFields, swapRequest } from "../support/kyber/stage.ts";
import { type BridgeTree, encodeCall } from "../support/lifi/calls.ts";
import { ATTACKER, tokens, word } from "../support/lifi/parts.ts";
import { scenarioOf, scenarios } from "../support/lifi/scenarios.ts";
import { fieldsData, swapRequest as veloraRequest } from "../support/velora/stage.ts";

const WRAPPED: readonly string[] = [WETH_1, WETH_42161, tokens.weth[8453]];
const plain = scenarios.filter(({ request }) => request.call === null).map((one) => [one.name, one] as const);

describe.each(plain)("readTransferCall() of LI.FI's %s", (_name, { request, tree }) => {
  test("says who pays and receives what, where", () => {
    const read = readTransferCall(encodeCall(tree));
    const bridged = request.fromChainId !== request.toChainId;
    expect(read).toMatchObject({ fromToken: request.fromToken, amount: request.amount });
    expect(isAddressEqual(read?.receiver ?? zeroAddress, request.user)).toBe(true);
    expect(read?.toChainId).toBe(bridged ? request.toChainId : null);
    // Bridges name native money by its wrapped form.
    const wanted = [request.toToken, ...(request.toToken === zeroAddress ? WRAPPED : [])];
    if (read?.toToken) expect(wanted).toContain(read.toToken);
    if (read?.refundTo) expect(isAddressEqual(read.refundTo, request.user)).toBe(true);
  });
});

describe("readTransferCall() of LI.FI", () => {
  test("reads nothing of a transfer with a destination call", () => {
    const called = scenarios.filter(({ request }) => request.call !== null);
    expect(called.length).toBeGreaterThan(0);
    for (const { tree } of called) expect(readTransferCall(encodeCall(tree))).toBe(null);
  });

  test("reads nothing where bridge and facet name different receivers", () => {
    const { tree } =
      structuredClone(
        plain.find(([, one]) => one.tree.kind === "bridge" && one.tree.facetName.includes("cross"))?.[1],
      ) ?? scenarioOf("");
    if (tree.kind !== "bridge") throw new Error("no bridge");
    const facet = { ...tree.facet, receiverAddress: word(ATTACKER) };
    expect(readTransferCall(encodeCall({ ...tree, facet }))).toBe(null);
    expect(readTransferCall(encodeCall({ ...tree, bridge: { ...tree.bridge, receiver: ATTACKER } }))).toBe(
      null,
    );
  });
});

test("readTransferCall() reads nothing of LI.FI's Relay facet, whose calldata does not bind the receiver", () => {
  const { tree } = scenarioOf(
    scenarios.find((one) => one.request.call === null && one.tree.kind === "bridge")?.name ?? "",
  );
  if (tree.kind !== "bridge") throw new Error("no bridge");
  const facet = { orderId: word(USER), depositorAddress: USER };
  const relay: BridgeTree = { ...tree, facetName: "relay", facet };
  const data = encodeCall({ ...relay, swaps: null, bridge: { ...tree.bridge, hasSourceSwaps: false } });
  expect(decodeLifiCall(data)?.kind).toBe("relay");
  expect(readTransferCall(data)).toBe(null);
});

describe("readTransferCall() of Across", () => {
  test("reads a deposit to the user", () => {
    const { transaction } = built({ call: null });
    expect(readTransferCall(transaction.data)).toEqual({
      ...{ fromToken: USDC_1, amount: 100_000_000n, receiver: USER, refundTo: USER },
      ...{ toChainId: 42161, toToken: USDC_42161, minDelivery: terms.outputAmount },
    });
  });

  test("reads whom the multicall handler pays where nothing else is called", () => {
    const { transaction } = built({ call: null, fromToken: WETH_1, toToken: WETH_42161 });
    const read = readTransferCall(transaction.data);
    expect(read).toMatchObject({ receiver: USER, refundTo: USER, toToken: WETH_42161 });
    expect(read?.receiver).not.toBe(HANDLER);
  });

  test("reads nothing of a deposit with a destination call", () => {
    expect(readTransferCall(built().transaction.data)).toBe(null);
  });
});

describe("readTransferCall() of KyberSwap", () => {
  test.each(["swap", "swapSimpleMode"] as const)("reads %s", (kind) => {
    const data = encodeFields(honestFields(swapRequest(), { kind }));
    expect(readTransferCall(data)).toMatchObject({
      ...{ fromToken: USDC_1, amount: 100_000_000n, refundTo: null, toChainId: null, toToken: WETH_1 },
      receiver: USER,
    });
  });

  test("names native money by the zero address", () => {
    const data = encodeFields(honestFields(swapRequest({ toToken: zeroAddress })));
    expect(readTransferCall(data)).toMatchObject({ toToken: zeroAddress });
  });
});

test("readTransferCall() reads a swap of Velora, which delivers one unit less than its minimum", () => {
  const request = veloraRequest({ fromToken: zeroAddress });
  expect(readTransferCall(fieldsData(request, { toAmount: 97n }))).toEqual({
    ...{ fromToken: zeroAddress, amount: request.amount, receiver: USER, refundTo: null },
    ...{ toChainId: null, toToken: request.toToken, minDelivery: 96n },
  });
});

test.each<Hex>(["0x", "0x12345678", concatHex(["0xa9059cbb", word(USER), word(USER)])])(
  "readTransferCall() reads nothing of %s",
  (data) => {
    expect(readTransferCall(data)).toBe(null);
  },
);
