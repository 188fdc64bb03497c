import { encodeErrorResult, parseAbi } from "viem";
import { expect, test } from "vitest";
import {
  withoutRefusedCancellations,
  withUnindexedRequests,
} from "../../src/positions/position-request-events.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { clientOn, type RpcAnswer, startHonestNode } from "../support/chains/rpc-node.ts";
import { NOW, USDC, USER, vault } from "../support/deposits/fixtures.ts";

const midas: Vault = {
  ...{ ...vault, adapter: "midas" },
  params: { redemption_vault: USDC, asset_rate: "stable", redeem_tokens: `${USDC}/6/USDC` },
};
const request = { ...unknownPendingExit, token: USDC };
const block = { number: 130, timestamp: Math.floor(NOW / 1000) };

/** Returns the requests that are known after the events were read, and the methods of the RPC requests. */
async function known(of: {
  shown: Parameters<typeof withUnindexedRequests>[1]["shown"];
  indexedTo?: number | null;
  logs?: RpcAnswer;
}) {
  const node = await startHonestNode(() => of.logs ?? { result: [] });
  const { shown, indexedTo = 100 } = of;
  const asked = { vault: midas, user: USER, shown, open: [], indexedTo, block };
  const requests = await withUnindexedRequests(clientOn([node]).client, asked);
  return { requests, methods: node.calls.map(({ method }) => method).filter((one) => one !== "eth_chainId") };
}

test("requests are unknown if none is shown and the events since the index cannot be read", async () => {
  const logs: RpcAnswer = { fault: "status_500" };
  expect(await known({ shown: [], logs })).toMatchObject({ requests: null });
  expect(await known({ shown: [request], logs })).toMatchObject({ requests: [request] });
});

test("without events, the requests are those that the vault shows", async () => {
  expect(await known({ shown: [] })).toEqual({ requests: [], methods: ["eth_getLogs"] });
  expect(await known({ shown: [request] })).toEqual({ requests: [request], methods: ["eth_getLogs"] });
});

test("no events are read without an index, at its last block, or if the vault's requests are unread", async () => {
  expect(await known({ shown: [], indexedTo: null })).toEqual({ requests: [], methods: [] });
  expect(await known({ shown: [], indexedTo: block.number })).toEqual({ requests: [], methods: [] });
  expect(await known({ shown: null })).toEqual({ requests: null, methods: [] });
});

const lagoon: Vault = { ...vault, adapter: "lagoon" };
const errors = parseAbi([
  "error RequestNotCancelable(uint256 requestId)",
  "error AddressNotAllowed(address account)",
]);
const reverting = (data: string): RpcAnswer => ({ error: { code: 3, message: "execution reverted", data } });
const ended = encodeErrorResult({ abi: errors, errorName: "RequestNotCancelable", args: [2n] });
const barred = encodeErrorResult({ abi: errors, errorName: "AddressNotAllowed", args: [USER] });

/** Returns whether two requests are shown as cancellable, the first of which the views allow to cancel. */
async function cancellable(at: Vault, answer: RpcAnswer) {
  const node = await startHonestNode(() => answer);
  const requests = [{ ...request, cancellable: true }, request];
  const values = [{ vault: at, requests }];
  const [shown] = await withoutRefusedCancellations(clientOn([node]).client, { user: USER, values });
  const calls = node.calls.filter(({ method }) => method === "eth_call");
  return { shown: shown?.requests.map((one) => one.cancellable), calls };
}

test("a request is not cancellable if the vault refuses it, where no view shows that", async () => {
  const { shown, calls } = await cancellable(lagoon, reverting(ended));
  expect(shown).toEqual([false, false]);
  expect(calls).toMatchObject([{ params: [{ from: USER, to: lagoon.entryPoint }, "latest"] }]);
});

test.each<[string, Vault, RpcAnswer]>([
  ["the vault takes it back", lagoon, { result: "0x" }],
  ["the call fails for another reason", lagoon, reverting(barred)],
  ["no node answers", lagoon, { fault: "status_500" }],
  ["the views of the family show it", { ...vault, adapter: "accountable" }, reverting(ended)],
])("a request stays cancellable if %s", async (_why, at, answer) => {
  expect(await cancellable(at, answer)).toMatchObject({ shown: [true, false] });
});
