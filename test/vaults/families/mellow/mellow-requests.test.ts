import { type Address, decodeFunctionData, type Log, parseAbi, zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { mellow } from "../../../../src/vaults/families/mellow/mellow-adapter.ts";
import { mellowExits } from "../../../../src/vaults/families/mellow/mellow-exits.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import type { PendingExit, VaultExits } from "../../../../src/vaults/vault-exits.ts";
import { NOW, OTHER, USDC, USER, vault, WETH } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const MAIN: Address = "0x2222222222222222222222222222222222222222";
const SECOND: Address = "0x3333333333333333333333333333333333333333";
const exits = mellowExits as Required<VaultExits>;
const WETH_TOKEN = { address: WETH, symbol: "WETH", decimals: 18 } as const;
const withParams = (params: Record<string, string>): Vault => ({
  ...vault,
  ...{ adapter: "mellow", params: { queue: "sync", other_deposit_queues: "", ...params } },
});
/** A vault of USDC whose only requests are paid in WETH. */
const foreign = withParams({
  ...{ redeem_queues: "", other_redeem_queues: MAIN, request_queues: MAIN, redeem_queue: MAIN },
  all_queues: "known",
  redeem_tokens: `${WETH.toLowerCase()}/18/WETH`,
});
const both = withParams({
  all_queues: "known",
  redeem_queue: MAIN,
  redeem_queues: `${MAIN},${SECOND}`,
  request_queues: `${MAIN},${SECOND}`,
});

// 8 · 10^29 are 1.25 USDC a share, and 2 · 10^21 a WETH of 2,000 shares.
const report = (priceD18: bigint) => ({ priceD18, timestamp: 1, isSuspicious: false });
const prices = {
  [USDC.toLowerCase()]: report(8n * 10n ** 29n),
  [WETH.toLowerCase()]: report(2n * 10n ** 21n),
};
const SHARES = 10n ** 18n;
const request = (timestamp: bigint, assets = 0n) => ({
  timestamp,
  shares: SHARES,
  isClaimable: assets > 0n,
  assets,
});

/** Answers of the queues' views, by queue: the token that it pays, and the requests. */
function queues(of: Readonly<Record<Address, readonly [Address, readonly object[]]>>) {
  const entries = Object.entries(of).flatMap(([queue, [asset, listed]]) =>
    [queue, queue.toLowerCase()].flatMap((name) => [
      [`${name}/asset/asset`, asset] as const,
      [`${name}/listed/listed`, listed] as const,
    ]),
  );
  return Object.fromEntries(entries);
}
const openAt = (of: Vault, table: Record<string, unknown>, requestIds: string[] = []) =>
  answer(exits.pending(of, { user: USER, requestIds, now: NOW }), { ...prices, ...table });

describe("open requests of a Mellow Core vault", () => {
  test("are in the token of their queue, with their value in the vault's asset", () => {
    const open = openAt(foreign, queues({ [MAIN]: [WETH, [request(7n), request(8n, 4n * 10n ** 14n)]] }));
    expect(open).toMatchObject([
      { requestId: "7", token: WETH, assets: 5n * 10n ** 14n, value: 1_250_000n, priced: false },
      { requestId: "8", token: WETH, assets: 4n * 10n ** 14n, value: 1_000_000n, priced: true },
    ]);
    expect(open?.[1]).toMatchObject({ state: "claimable", claimableAssets: 4n * 10n ** 14n });
  });

  test("can be priced once they are as old as the oracle's settings ask", () => {
    const settings = { timeout: 3_600, depositInterval: 60, redeemInterval: 172_800 };
    const at = { ...queues({ [MAIN]: [WETH, [request(7n), request(8n, 4n)]] }), settings };
    expect(openAt(foreign, at)?.map(({ earliest }) => earliest)).toEqual([172_807, null]);
    expect(openAt(foreign, { ...at, settings: undefined })?.map(({ earliest }) => earliest)).toEqual([
      null,
      null,
    ]);
  });

  test("are found in a second queue of the same token, under ids of their own", () => {
    const at = queues({ [MAIN]: [USDC, [request(7n)]], [SECOND]: [USDC, [request(7n, 9n)]] });
    const open = openAt(both, at);
    expect(open?.map(({ requestId }) => requestId)).toEqual(["7", `${SECOND}:7`]);
    expect(open?.map((one) => claimOf(both, one))).toEqual([null, [SECOND, [USER, [7]]]]);
    expect(openAt(both, queues({ [MAIN]: [USDC, []], [SECOND]: [USDC, []] }))).toEqual([]);
  });

  test("pay the native currency from a queue of its alias", () => {
    const alias = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
    const table = { ...queues({ [MAIN]: [alias, [request(7n, 4n)]] }), [alias.toLowerCase()]: report(1n) };
    expect(openAt(foreign, table)).toMatchObject([{ token: zeroAddress, assets: 4n }]);
  });

  test("have no known worth without a usable report", () => {
    const at = queues({ [MAIN]: [WETH, [request(7n), request(8n, 4n)]] });
    const usdc = USDC.toLowerCase();
    for (const own of [undefined, report(0n), { ...report(1n), isSuspicious: true }]) {
      const [first, second] = openAt(foreign, { ...at, [WETH.toLowerCase()]: own }) ?? [];
      expect([first?.assets, first?.value, second?.assets, second?.value]).toEqual([null, null, 4n, null]);
      expect(openAt(foreign, { ...at, [usdc]: own })?.[0]).toMatchObject({
        assets: 5n * 10n ** 14n,
        value: null,
      });
    }
  });

  test.each<[string, Vault, Record<string, unknown>]>([
    ["one of the queues does not answer", both, queues({ [MAIN]: [USDC, [request(7n)]] })],
    ["the queue's token is unknown", foreign, { [`${MAIN}/listed/listed`]: [request(7n)] }],
    ["it is not known which queues the vault has", withParams({}), {}],
    [
      "not all queues are known, and the known one has none",
      withParams({ redeem_queue: MAIN }),
      queues({ [MAIN]: [USDC, []] }),
    ],
  ])("are unknown if %s", (_name, of, table) => {
    expect(openAt(of, table)).toBeNull();
  });

  test("are none where the registry entry says that the vault has no such queue", () => {
    expect(openAt(withParams({ request_queues: "", all_queues: "known" }), {})).toEqual([]);
  });

  test("are shown as far as known where the entry is older than the list of queues", () => {
    const at = queues({ [MAIN]: [USDC, [request(7n)]] });
    expect(openAt(withParams({ redeem_queue: MAIN }), at)).toMatchObject([{ requestId: "7", token: USDC }]);
  });
});

describe("requests with known ids, where the entry is older than the list of queues,", () => {
  const older = withParams({ redeem_queue: MAIN, request_queues: SECOND });
  const none = queues({ [MAIN]: [USDC, []], [SECOND]: [USDC, []] });

  test("have ended if none is at their queues", () => {
    expect(openAt(older, none, ["7"])).toEqual([]);
    expect(openAt(older, none, ["7", `${SECOND}:7`])).toEqual([]);
    const named = openAt(older, queues({ [MAIN]: [USDC, []], [SECOND]: [USDC, [request(7n)]] }), ["7"]);
    expect(named?.map(({ requestId }) => requestId)).toEqual([`${SECOND}:7`]);
  });

  test.each<[string, Vault, Record<string, unknown>, string[]]>([
    ["one of them names another queue", older, none, ["7", `${OTHER.toLowerCase()}:7`]],
    ["one of them is none of this family", older, none, ["7", "x"]],
    ["a queue does not answer", older, queues({ [MAIN]: [USDC, []] }), ["7"]],
    ["the queue that takes requests is unknown", withParams({ request_queues: SECOND }), none, ["7"]],
  ])("are unknown if %s", (_name, of, table, ids) => {
    expect(openAt(of, table, ids)).toBeNull();
  });
});

function claimOf(of: Vault, one: PendingExit) {
  const call = exits.claim(of, { user: USER, request: one });
  const abi = parseAbi(["function claim(address receiver, uint32[] timestamps)"]);
  return call === null
    ? null
    : [call.target.toLowerCase(), decodeFunctionData({ abi, data: call.data }).args];
}

test("a claim calls no queue that the registry entry does not name", () => {
  const open = openAt(both, queues({ [MAIN]: [USDC, []], [SECOND]: [USDC, [request(7n, 9n)]] }));
  const [one] = open ?? [];
  if (one === undefined) throw new Error("no request");
  expect(claimOf(withParams({ redeem_queue: MAIN, request_queues: MAIN }), one)).toBeNull();
  expect(claimOf(withParams({}), { ...one, requestId: "7" })).toBeNull();
});

describe("the events of requests", () => {
  const logOf = (...of: Parameters<typeof eventLog>) => eventLog(...of) as unknown as Log;
  const requested = (queue: Address, timestamp: bigint) =>
    logOf(queue, "event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp)", {
      ...{ account: USER, shares: 5n, timestamp },
    });
  const claimed = (queue: Address, timestamp: number, receiver: Address = USER) =>
    logOf(
      queue,
      "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
      { account: USER, receiver, assets: 9n, timestamp },
    );
  const endOf = (requestId: string, logs: Log[], requestLogs: Log[] = []) =>
    exits.findSettlement(both, { user: USER, requestId, logs, requestLogs });

  test("name the queue, unless it is the one that takes requests here", () => {
    const idIn = (queue: Address) => exits.findRequest(both, { user: USER, logs: [requested(queue, 7n)] });
    expect(idIn(MAIN)).toEqual({ requestId: "7", shares: 5n });
    expect(idIn(SECOND)).toEqual({ requestId: `${SECOND}:7`, shares: 5n });
    expect(idIn(OTHER)).toBeNull();
  });

  test("end a request by a claim at its own queue", () => {
    const paid = { outcome: "paid", assets: 9n, alone: true };
    expect(endOf("7", [claimed(MAIN, 7)])).toEqual(paid);
    expect(endOf(`${SECOND}:7`, [claimed(MAIN, 7), claimed(SECOND, 7)])).toEqual(paid);
    expect(endOf(`${SECOND}:7`, [claimed(MAIN, 7)])).toBeNull();
    expect(endOf("7", [claimed(SECOND, 7)])).toBeNull();
    expect(endOf("7", [claimed(MAIN, 8)])).toBeNull();
    expect(endOf(`${OTHER.toLowerCase()}:7`, [claimed(OTHER, 7)])).toBeNull();
  });

  test("show a claim in favour of another account, which pays the user nothing", () => {
    const nothing = { outcome: "paid", assets: 0n, alone: true, announced: true };
    expect(endOf("7", [claimed(MAIN, 7, OTHER)])).toEqual(nothing);
  });

  test("show the queue of a request that was made when another one took them", () => {
    expect(endOf("7", [claimed(SECOND, 7)], [requested(SECOND, 7n)])).toMatchObject({ outcome: "paid" });
    expect(endOf("7", [claimed(OTHER, 7)], [requested(OTHER, 7n)])).toBeNull();
  });
});

describe("a request that is paid in another token than the vault's asset", () => {
  const asked = { mode: "request", shares: SHARES, owner: USER, caller: USER, receiver: USER } as const;

  test("has that token, and the conditions of its queue in it", () => {
    expect(exits.tokens(foreign, "request")).toEqual([WETH_TOKEN]);
    expect(exits.tokens(both, "request")).toEqual([vault.asset]);
    const terms = answer(exits.terms(foreign, { ...asked, token: WETH_TOKEN, now: NOW }), {
      ...{ asset: WETH, feeManager: OTHER, report: prices[WETH.toLowerCase()], fee: 1_000 },
    });
    const previewAssets = (5n * 10n ** 14n * 999n) / 1_000n;
    expect(terms).toMatchObject({ asset: WETH, previewAssets, grossAssets: 5n * 10n ** 14n, refusal: null });
    expect(exits.encode(foreign, { ...asked, token: WETH_TOKEN, minAssets: 0n })).toMatchObject({
      ...{ target: MAIN, tokenOut: WETH, async: true },
    });
  });

  test("is not paid in a token of another queue", () => {
    const several = withParams({ ...both.params, redeem_tokens: `${USDC}/6/USDC,${WETH}/18/WETH` });
    expect(exits.tokens(several, "request")).toEqual([vault.asset, WETH_TOKEN]);
    const query = exits.terms(several, { ...asked, token: WETH_TOKEN, now: NOW });
    expect(answer(query, {})).toMatchObject({ refusal: "token_unsupported" });
  });

  test("and an instant redemption has a token and a price of its own", () => {
    const instant = withParams({ sync_redeem_queue: MAIN, sync_redeem_token: `${WETH}/18/WETH` });
    expect(exits.tokens(instant, "instant")).toEqual([WETH_TOKEN]);
    expect(exits.tokens(instant, "request")).toEqual([vault.asset]);
    expect(Object.keys(exits.exitPrice(instant, NOW).reads)).toEqual([]);
  });
});

describe("flows of a queue that pays another token", () => {
  const source = mellow.flows(foreign);
  const claim = eventLog(
    MAIN,
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
    { account: USER, receiver: USER, assets: 4n * 10n ** 14n, timestamp: 7 },
  );

  test("are withdrawals of what the reports say that they are worth in the asset", () => {
    expect(source.addresses).toContain(MAIN);
    const flow = source.decode(claim);
    expect(flow).toMatchObject({ kind: "withdrawal", user: USER, assets: null });
    if (flow?.conversion === undefined) throw new Error("no conversion");
    expect(answer(flow.conversion, { ...prices, asset: WETH })).toBe(1_000_000n);
    expect(answer(flow.conversion, prices)).toBeNull();
    expect(
      answer(flow.conversion, { asset: WETH, [USDC.toLowerCase()]: prices[USDC.toLowerCase()] }),
    ).toBeNull();
  });

  test("keep the amounts of queues that pay the asset", () => {
    const own = mellow.flows(withParams({ redeem_queues: MAIN, other_redeem_queues: SECOND }));
    expect(own.decode(claim)).toEqual({
      kind: "withdrawal",
      user: USER,
      assets: 4n * 10n ** 14n,
      shares: 0n,
    });
  });

  test("are not those of burned shares", () => {
    const burned = "event Transfer(address indexed from, address indexed to, uint256 value)";
    const log = eventLog(foreign.shareToken, burned, { from: USER, to: zeroAddress, value: 7n });
    expect(source.topics).not.toContain(log.topics[0]);
    expect(source.decode(log)).toBeNull();
  });
});

test("the registry parameters are validated", () => {
  for (const name of ["other_redeem_queues", "request_queues", "redeem_tokens", "sync_redeem_token"])
    expect(() => mellow.checkParams?.(withParams({ [name]: "x" }))).toThrow(name);
  expect(mellow.checkParams?.(foreign)).toBeUndefined();
});

test("requests are never cancelled", () => {
  expect(mellowExits.cancel).toBeUndefined();
});
