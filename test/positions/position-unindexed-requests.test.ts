import { type Address, concat, type Hex, numberToHex, padHex, size, toBytes, toHex } from "viem";
import { describe, expect, test } from "vitest";
import { aggregatorCreationCode } from "../../src/chains/aggregator/aggregator-artifact.ts";
import type { OpenRequest, UserRequestFlow } from "../../src/db/queries/user-flow-queries.ts";
import type { VaultRedemptions } from "../../src/positions/position-redemptions.ts";
import { joinUnindexedRequests } from "../../src/positions/position-unindexed-requests.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import { answerMulticall, type Contracts } from "../support/chains/multicall.ts";
import { clientOn, type RpcAnswer, startHonestNode, testChain } from "../support/chains/rpc-node.ts";
import { NOW, OTHER, TRACKING_ID, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { executedLog } from "../support/deposits/logs.ts";
import { eventLog } from "../support/vaults/answer.ts";

const WAD = 10n ** 18n;
const INDEXED_TO = 100;
const BLOCK = 130;
const REDEMPTIONS: Address = "0x2222222222222222222222222222222222222222";
const FURTHER: Address = "0x3333333333333333333333333333333333333333";
const midas: Vault = {
  ...{ ...vault, adapter: "midas" },
  params: { redemption_vault: REDEMPTIONS, asset_rate: "stable", redeem_tokens: `${USDC}/6/USDC` },
};
const placeAt = (address: Address) => ({
  vaultId: `31337:${address.toLowerCase()}`,
  ...{ address, shareToken: address },
});
const second: Vault = {
  ...{ ...midas, ...placeAt(OTHER) },
  params: { ...midas.params, redemption_vault: FURTHER },
};
/** A vault whose requests are numbered, and found without their numbers too. */
const generic: Vault = { ...vault, params: { exit: "erc7540" } };
const veda: Vault = {
  ...{ ...vault, adapter: "veda" },
  params: { teller: "d", withdraw_queue: REDEMPTIONS, delayed_withdraw: FURTHER },
};

type Event = ReturnType<typeof eventLog>;
const requested = (id: bigint, shares: bigint, more: { user?: Address; by?: Address } = {}): Event =>
  eventLog(
    more.by ?? REDEMPTIONS,
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    {
      ...{ requestId: id, user: more.user ?? USER, tokenOut: USDC },
      ...{ amountMTokenIn: shares, feeAmount: 0n },
    },
  );
const redeemed = (shares: bigint): Event =>
  eventLog(
    REDEMPTIONS,
    "event RedeemInstant(address indexed user, address indexed tokenOut, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
    { user: USER, tokenOut: USDC, amount: shares, feeAmount: 0n, amountTokenOut: shares },
  );
const deposited = (shares: bigint): Event =>
  eventLog(
    VAULT,
    "event DepositInstant(address indexed user, address indexed tokenIn, uint256 amountUsd, uint256 amountToken, uint256 fee, uint256 minted, bytes32 referrerId)",
    {
      ...{ user: USER, tokenIn: USDC, amountUsd: shares, amountToken: shares, fee: 0n, minted: shares },
      referrerId: padHex("0x", { size: 32 }),
    },
  );
const found = (
  ...events: readonly { address: Address; topics: readonly unknown[]; data: Hex }[]
): RpcAnswer => ({
  result: events.map(({ address, topics, data }, index) => ({
    ...{ address, topics, data, blockNumber: numberToHex(INDEXED_TO + 1), logIndex: numberToHex(index) },
    ...{ blockHash: padHex("0xb", { size: 32 }), transactionHash: padHex("0x7", { size: 32 }) },
  })),
});

const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
/** Contracts in which the user has a pending request for 2 mTokens, and a price of one dollar. */
const pending: Contracts = ({ to }) => {
  const request = [BigInt(USER), BigInt(USDC), 0n, 2n * WAD, WAD, WAD];
  const asked = [REDEMPTIONS, FURTHER].includes(to);
  return { ok: true, data: asked ? concat(request.map(word)) : word(WAD) };
};
const paid: Contracts = ({ to }) => {
  const request = [BigInt(USER), BigInt(USDC), 1n, 2n * WAD, WAD, WAD];
  return { ok: true, data: to === REDEMPTIONS ? concat(request.map(word)) : word(WAD) };
};

/** Chain, block and time, then for each vault: status 3 (worth unknown) and a balance after its length in bytes. */
function balances(shares: readonly bigint[]): RpcAnswer {
  const head = [testChain.chainId, INDEXED_TO, 8].map((part) => numberToHex(part, { size: 8 }));
  const held = shares.map((one) => {
    const digits = one === 0n ? "0x" : toHex(toBytes(one));
    return concat(["0x03", numberToHex(size(digits), { size: 1 }), digits]);
  });
  return { result: concat([...head, ...held]) };
}

interface Played {
  /** Shares in the wallet now and at the index's last block, and those of the flows, of each vault. */
  now: bigint;
  before: bigint;
  flown: bigint;
  logs?: RpcAnswer | ((address: string) => RpcAnswer);
  contracts?: Contracts;
  block?: number | null;
  vaults?: readonly Vault[];
  requests?: VaultRedemptions["requests"];
  open?: readonly OpenRequest[];
  requestFlows?: readonly UserRequestFlow[];
  /** True if some requests of the user are not listed. */
  incomplete?: boolean;
  /** True if the history of the vaults has gaps. */
  gaps?: true;
}

/** Joins a user's shares, worth a dollar each, with the requests. */
async function play(of: Played) {
  const vaults = of.vaults ?? [midas];
  const contracts = of.contracts ?? pending;
  const block = { chainId: testChain.chainId, number: BLOCK, timestamp: NOW / 1000 };
  const node = await startHonestNode(({ method, params }) => {
    const [call] = params as [{ data: Hex; address: readonly string[] }];
    if (method === "eth_getLogs") {
      const { logs = found() } = of;
      return typeof logs === "function" ? logs(call.address.join()) : logs;
    }
    if (!call.data.startsWith(aggregatorCreationCode)) return balances(vaults.map(() => of.before));
    const timestamp = Math.floor(block.timestamp);
    return { result: answerMulticall(call.data, { contracts, block: { ...block, timestamp } }) };
  });
  const byVault = <T>(amount: T) =>
    Object.fromEntries(vaults.map(({ address }) => [address.toLowerCase(), amount]));
  const held =
    of.now === 0n ? [] : vaults.map((one) => ({ vault: one, shares: of.now, assets: of.now / 10n ** 12n }));
  const read = { requests: of.requests ?? [], incomplete: of.incomplete ?? false };
  const redemptions = vaults.map((one) => ({ vault: one, ...read, takenOut: 0n, minted: 0n, price: null }));
  const { values, basis } = await joinUnindexedRequests(clientOn([node]).client, {
    ...{ user: USER, held, asked: { redemptions, deposits: [] }, unread: [], vaults },
    flows: {
      ...{ chainId: testChain.chainId, indexedFrom: 1, indexedTo: INDEXED_TO, headTime: new Date(NOW) },
      ...{ sums: byVault(of.gaps ? null : `${of.flown}`), shares: byVault(`${of.flown}`) },
      ...{ shareless: {}, unindexed: [] },
    },
    ...{ open: of.open ?? [], requestFlows: of.requestFlows ?? [], pending: [] },
    blockTimestamp: Math.floor(NOW / 1000),
    blockNumber: of.block === undefined ? BLOCK : of.block,
  });
  const calls = node.calls.filter(({ method }) => method !== "eth_chainId");
  const methods = calls.map(({ method }) => method);
  const shown = values.map(({ vault: { vaultId }, assets, requests: all }) => {
    return { vaultId, assets, requests: all.map(({ requestId }) => requestId) };
  });
  return { shown, basis: basis.get(midas.vaultId), calls, methods };
}

const fallen = { now: 3n * WAD, before: 5n * WAD, flown: 5n * WAD };
const emptied = { now: 0n, before: 2n * WAD, flown: 2n * WAD };
const asked = { ...unknownPendingExit, requestId: "7", token: USDC, shares: 2n * WAD, assets: 2n };
/** A request that took 2 mTokens and is tracked. */
const tracked: Pick<Played, "requests" | "open"> = {
  requests: [asked],
  open: [
    {
      ...{ trackingId: TRACKING_ID, direction: "withdrawal", requestId: "7", shares: null },
      ...{ chainId: midas.chainId, vaultAddress: midas.address.toLowerCase() },
    },
  ],
};
const unknown = [{ assets: null, requests: [] }];

test("a request of shares that have left since is read from the events of the blocks since", async () => {
  const { shown, basis, calls } = await play({ ...fallen, logs: found(requested(7n, 2n * WAD)) });
  expect(shown).toMatchObject([{ assets: 5_000_000n, requests: ["7"] }]);
  expect(basis).toBe("unindexed");
  const blocks = { fromBlock: numberToHex(INDEXED_TO + 1), toBlock: numberToHex(BLOCK) };
  expect(calls).toMatchObject([
    { method: "eth_call", params: [{}, numberToHex(INDEXED_TO)] },
    { method: "eth_getLogs", params: [blocks] },
    { method: "eth_call", params: [{}, numberToHex(BLOCK)] },
  ]);
});

describe("a shown request does not explain that shares have left", () => {
  const missing = [{ assets: null, requests: ["7"] }];

  test("if it took fewer", async () => {
    expect(await play({ ...fallen, before: 6n * WAD, flown: 6n * WAD, ...tracked })).toMatchObject({
      ...{ shown: missing, methods: ["eth_call", "eth_getLogs"] },
    });
  });

  test("if it is indexed, or may be older than what is indexed", async () => {
    const { requestId } = asked;
    const indexed: UserRequestFlow = {
      ...{ chainId: midas.chainId, vaultAddress: midas.address.toLowerCase(), kind: "withdrawal" },
      ...{ requestId, assets: null, shares: 2n * WAD },
    };
    const later = { ...fallen, flown: 7n * WAD, requestFlows: [indexed] };
    expect(await play({ ...later, ...tracked })).toMatchObject({ shown: missing });
    expect(await play({ ...fallen, ...tracked, gaps: true })).toMatchObject({ shown: missing });
  });

  test("if it is no request of the queue", async () => {
    const requests = [{ ...asked, mode: "cooldown" as const }];
    expect(await play({ ...fallen, requests, vaults: [veda] })).toMatchObject({ shown: missing });
  });

  test("if its shares are in the wallet", async () => {
    const requests = [{ ...asked, inWallet: true }];
    expect(await play({ ...fallen, requests })).toMatchObject({ shown: missing });
  });
});

test("a value stays unknown where some requests are not listed", async () => {
  const { shown } = await play({ ...fallen, logs: found(requested(7n, 2n * WAD)), incomplete: true });
  expect(shown).toMatchObject([{ assets: null, requests: ["7"] }]);
});

test("the events of at most four vaults are read", async () => {
  const vaults = [
    midas,
    ...[5, 6, 7, 8].map((n) => ({ ...second, ...placeAt(padHex(`0x${n}`, { size: 20 })) })),
  ];
  const { shown, methods } = await play({ ...fallen, logs: found(redeemed(2n * WAD)), vaults });
  expect(methods.filter((method) => method === "eth_getLogs")).toHaveLength(4);
  expect(shown.at(-1)).toMatchObject({ assets: null });
});

test("a request of all shares is a position of its own", async () => {
  const { shown } = await play({ ...emptied, logs: found(requested(7n, 2n * WAD)) });
  expect(shown).toMatchObject([{ assets: 2_000_000n, requests: ["7"] }]);
});

describe("no events are read", () => {
  const since = { logs: found(requested(7n, 2n * WAD)) };

  test("where the flows explain the shares", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, flown: 3n * WAD });
    expect(shown).toMatchObject([{ assets: 3_000_000n, requests: [] }]);
    expect(methods).toEqual([]);
    expect(await play({ ...emptied, ...since, flown: 0n })).toMatchObject({ shown: [], methods: [] });
    const left = await play({ ...emptied, ...since, flown: 0n, vaults: [veda] });
    expect(left).toMatchObject({ shown: [], methods: [] });
  });

  test("where the shares left before the index's last block", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, before: 3n * WAD });
    expect(shown).toMatchObject([{ assets: 3_000_000n, requests: [] }]);
    expect(methods).toEqual(["eth_call"]);
    const gone = await play({ ...emptied, ...since, before: 0n });
    expect(gone).toMatchObject({ shown: [], methods: ["eth_call"] });
  });

  test("where the index has reached the block", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, block: INDEXED_TO });
    expect(shown).toMatchObject([{ assets: 3_000_000n }]);
    expect(methods).toEqual([]);
  });

  test("where a tracked request took the shares", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, ...tracked });
    expect(shown).toMatchObject([{ assets: 3_000_002n, requests: ["7"] }]);
    expect(methods).toEqual(["eth_call"]);
  });

  test("where the requests of the vault need no ids", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, vaults: [generic] });
    expect(shown).toMatchObject([{ assets: 3_000_000n, requests: [] }]);
    expect(methods).toEqual(["eth_call"]);
  });

  test("where too many blocks are not indexed", async () => {
    const { shown, methods } = await play({ ...fallen, ...since, block: INDEXED_TO + 2_001 });
    expect([shown, methods]).toMatchObject([unknown, ["eth_call"]]);
    expect(await play({ ...fallen, ...since, block: null })).toMatchObject({ shown: unknown });
  });
});

describe("the value of the rest is all there is", () => {
  test("where the events show that the others were redeemed", async () => {
    const { shown, methods } = await play({ ...fallen, logs: found(redeemed(2n * WAD)) });
    expect(shown).toMatchObject([{ assets: 3_000_000n, requests: [] }]);
    expect(methods).toEqual(["eth_call", "eth_getLogs"]);
    expect(await play({ ...emptied, logs: found(redeemed(2n * WAD)) })).toMatchObject({ shown: [] });
  });

  test("where the user gave the others to the Router", async () => {
    const order = { tokenIn: midas.shareToken, tokenOut: USDC, amountIn: 2n * WAD, amountOut: 2n };
    const logs = found(executedLog(order));
    expect(await play({ ...fallen, logs })).toMatchObject({ shown: [{ assets: 3_000_000n }] });
    const others = found(executedLog({ ...order, payer: OTHER }));
    expect(await play({ ...fallen, logs: others })).toMatchObject({ shown: unknown });
    const back = { tokenIn: USDC, tokenOut: midas.shareToken, amountIn: 1n, amountOut: 1n };
    const both = found(executedLog(order), executedLog(back));
    expect(await play({ ...fallen, logs: both })).toMatchObject({ shown: unknown });
  });
});

describe("a value is unknown, also that of a position of which nothing else is left,", () => {
  const request = requested(7n, 2n * WAD);
  const many = Array.from({ length: 51 }, (_, id) => requested(BigInt(id), 2n * WAD));

  test.each<[string, Partial<Played>]>([
    ["if no events are found", {}],
    ["if the events are those of another account", { logs: found(requested(7n, 2n * WAD, { user: OTHER })) }],
    ["if the events explain too little", { logs: found(redeemed(2n * WAD - 1n)) }],
    ["if deposits hide a part of the fall", { logs: found(redeemed(2n * WAD), deposited(1n)) }],
    ["if no node answers", { logs: { fault: "status_500" } }],
    ["if a node rejects the request", { logs: { error: { code: -32601, message: "no such method" } } }],
    ["if the events are malformed", { logs: { result: [{ address: REDEMPTIONS }] } }],
    ["if they are too long", { logs: { fault: "oversize" } }],
    ["if the vault does not show the request", { logs: found(request), contracts: paid }],
    ["if the request cannot be read", { logs: found(request), contracts: () => ({ ok: false, data: "0x" }) }],
    ["if there are too many requests", { logs: found(...many) }],
  ])("%s", async (_why, more) => {
    expect((await play({ ...fallen, ...more })).shown).toMatchObject(unknown);
    expect((await play({ ...emptied, ...more })).shown).toMatchObject(unknown);
  });
});

test("a vault whose events cannot be read hides no request of another", async () => {
  const logs = (address: string): RpcAnswer =>
    address.includes(REDEMPTIONS) ? { fault: "oversize" } : found(requested(7n, 2n * WAD, { by: FURTHER }));
  const { shown } = await play({ ...fallen, logs, vaults: [midas, second] });
  expect(shown).toMatchObject([
    { vaultId: midas.vaultId, assets: null, requests: [] },
    { vaultId: second.vaultId, assets: 5_000_000n, requests: ["7"] },
  ]);
});
