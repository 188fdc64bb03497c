import { concat, numberToHex, padHex } from "viem";
import { describe, expect, test } from "vitest";
import type { UserRequestFlow } from "../../src/db/queries/user-flow-queries.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { unknownPendingExit } from "../../src/vaults/vault-exits.ts";
import type { Contracts } from "../support/chains/multicall.ts";
import type { RpcAnswer } from "../support/chains/rpc-node.ts";
import { OTHER, TRACKING_ID, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { executedLog } from "../support/deposits/logs.ts";
import {
  BLOCK,
  type Event,
  emptied,
  FURTHER,
  fallen,
  found,
  INDEXED_TO,
  midas,
  placeAt,
  playUnindexed as play,
  REDEMPTIONS,
  requested,
  second,
  type Unindexed,
  unknown,
  WAD,
  word,
} from "../support/positions/played-unindexed.ts";
import { eventLog } from "../support/vaults/answer.ts";

/** A vault whose requests are numbered, and found without their numbers too. */
const unnumbered: Vault = { ...vault, adapter: "lagoon" };
const veda: Vault = {
  ...{ ...vault, adapter: "veda" },
  params: { teller: "d", withdraw_queue: REDEMPTIONS, delayed_withdraw: FURTHER },
};

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
const paid: Contracts = ({ to }) => {
  const request = [BigInt(USER), BigInt(USDC), 1n, 2n * WAD, WAD, WAD];
  return { ok: true, data: to === REDEMPTIONS ? concat(request.map(word)) : word(WAD) };
};

const asked = { ...unknownPendingExit, requestId: "7", token: USDC, shares: 2n * WAD, assets: 2n };
/** A request that took 2 mTokens and is tracked. */
const tracked: Pick<Unindexed, "requests" | "open"> = {
  requests: [asked],
  open: [
    {
      ...{ trackingId: TRACKING_ID, direction: "withdrawal", requestId: "7", shares: null },
      ...{ chainId: midas.chainId, vaultAddress: midas.address.toLowerCase() },
    },
  ],
};

test("a request of shares that have left since is read from the events of the blocks since", async () => {
  const { shown, basis, own, calls } = await play({ ...fallen, logs: found(requested(7n, 2n * WAD)) });
  expect(shown).toMatchObject([{ assets: 5_000_000n, requests: ["7"] }]);
  expect(basis).toBe("unindexed");
  const blocks = { fromBlock: numberToHex(INDEXED_TO + 1), toBlock: numberToHex(BLOCK) };
  expect(own).toMatchObject([{ method: "eth_getLogs", params: [blocks] }]);
  expect(calls).toMatchObject([
    { method: "eth_call", params: [{}, numberToHex(INDEXED_TO)] },
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

describe("only the user's own events are read", () => {
  const since = { logs: found(redeemed(2n * WAD)) };

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
    const { shown, methods } = await play({ ...fallen, ...since, vaults: [unnumbered] });
    expect(shown).toMatchObject([{ assets: 3_000_000n, requests: [] }]);
    // The balance and the requests at the index's last block.
    expect(methods).toEqual(["eth_call", "eth_call"]);
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

  test.each<[string, Partial<Unindexed>]>([
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
