import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { CHAIN_ID, vaultOf } from "../../scripts/bench/vault-row.ts";
import type { ChainLog } from "../../src/chains/chain-logs.ts";
import { joinFlowSources, sourceFingerprint } from "../../src/flows/flow-sources.ts";
import { depositRouterAbi, depositRouterCreate2 } from "../../src/router/deposit-router-artifact.ts";
import { eventLog } from "../support/vaults/answer.ts";

const veda = vaultOf({ number: 1, adapter: "veda" });
const plain = vaultOf({ number: 2 });
const [CLONE, RECEIVER, OTHER]: Address[] = [
  "0x00000000000000000000000000000000000c1001",
  "0x00000000000000000000000000000000000a0001",
  "0x00000000000000000000000000000000000a0002",
];
const enterAbi = parseAbi([
  "event Enter(address indexed from, address indexed asset, uint256 amount, address indexed to, uint256 shares)",
]);

const at = (
  logIndex: number,
  of: { address: Address; topics: unknown; data: Hex; tx?: string },
): ChainLog => ({
  address: of.address.toLowerCase() as Address,
  topics: of.topics as ChainLog["topics"],
  data: of.data,
  blockNumber: 5,
  blockHash: `0x${"b".repeat(64)}`,
  txHash: `0x${(of.tx ?? "1").repeat(64)}`,
  logIndex,
});

const enter = (
  logIndex: number,
  of: { to: Address | undefined; shares: bigint; tx?: string; asset?: Address | undefined },
) =>
  at(logIndex, {
    address: veda.shareToken,
    topics: encodeEventTopics({
      abi: enterAbi,
      eventName: "Enter",
      args: { from: of.to, asset: of.asset ?? veda.asset.address, to: of.to },
    }),
    data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [100n, of.shares]),
    ...(of.tx === undefined ? {} : { tx: of.tx }),
  });

test("conversionOf() gives null for an amount that no column holds", () => {
  const converted = (own: bigint) => {
    const sources = joinFlowSources(CHAIN_ID, [veda]);
    const [flow] = sources.toRows([enter(1, { to: OTHER, shares: 5n, asset: CLONE })], 5);
    const query = flow === undefined ? null : sources.conversionOf(flow);
    return query?.interpret({ own: { ok: true, value: own }, paid: { ok: true, value: 1n } });
  };
  expect(converted(3n)).toBe(300n);
  expect(converted(2n ** 255n)).toBeNull();
});

test("toRows() leaves no conversion to try for a request that is read from the vault", () => {
  const [redemptions, params] = [CLONE ?? "0x", { redemption_vault: String(CLONE) }];
  const midas = { ...vaultOf({ number: 3, adapter: "midas" }), params };
  const signature =
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)";
  const values = { requestId: 7n, user: OTHER, tokenOut: OTHER, amountMTokenIn: 4n, feeAmount: 0n };
  const log = at(1, eventLog(redemptions, signature, values));
  expect(joinFlowSources(CHAIN_ID, [midas]).toRows([log], 5)).toMatchObject([
    { kind: "withdrawal", assets: null, shares: "-4", requestId: "7", conversionTries: 5 },
  ]);
});

/** What the Router says at the end of a deposit. */
function deposited(
  logIndex: number,
  of: {
    shares: bigint;
    shareToken?: Address;
    from?: Address;
    tx?: string;
    tokenIn?: Address;
    amountIn?: bigint;
    payer?: Address | undefined;
    receiver?: Address | undefined;
  },
) {
  const item = depositRouterAbi.filter((one) => one.type === "event" && one.name === "OrderExecuted");
  const inputs = item[0]?.inputs.filter((input) => !("indexed" in input && input.indexed)) ?? [];
  const values: Record<string, unknown> = {
    payer: of.payer ?? OTHER,
    tokenIn: of.tokenIn ?? veda.asset.address,
    tokenOut: of.shareToken ?? veda.shareToken,
    amountIn: of.amountIn ?? 100n,
    amountOut: of.shares,
    partnerType: 0,
  };
  return at(logIndex, {
    address: of.from ?? depositRouterCreate2.address,
    topics: encodeEventTopics({
      abi: depositRouterAbi,
      eventName: "OrderExecuted",
      args: {
        ref: `0x${"1".repeat(64)}`,
        partnerId: `0x${"0".repeat(64)}`,
        receiver: of.receiver ?? RECEIVER ?? "0x",
      },
    }),
    data: encodeAbiParameters(inputs, inputs.map(({ name }) => values[name ?? ""]) as never),
    ...(of.tx === undefined ? {} : { tx: of.tx }),
  });
}

const users = (logs: readonly ChainLog[]): string[] =>
  joinFlowSources(CHAIN_ID, [veda, plain])
    .toRows(logs, 9)
    .map(({ userAddress, assets, shares, logIndex }) => `${logIndex} ${userAddress} ${assets} ${shares}`);

describe("joinFlowSources() with a Router deposit into a vault that names its caller", () => {
  test("credits it once to the receiver, with the vault's own amounts", () => {
    const logs = [enter(3, { to: CLONE, shares: 7n }), deposited(6, { shares: 7n })];
    expect(users(logs)).toEqual([`3 ${RECEIVER} 100 7`]);
  });

  test("credits several deposits of one transaction to their own receivers", () => {
    const logs = [
      enter(1, { to: OTHER, shares: 7n }),
      enter(3, { to: CLONE, shares: 7n }),
      deposited(6, { shares: 7n }),
      enter(8, { to: OTHER, shares: 7n }),
    ];
    expect(users(logs)).toEqual([`1 ${OTHER} 100 7`, `3 ${RECEIVER} 100 7`, `8 ${OTHER} 100 7`]);
  });

  test("credits it also where another vault has the same share token", () => {
    const twin = { ...veda, address: OTHER as Address, entryPoint: OTHER as Address };
    const rows = joinFlowSources(CHAIN_ID, [veda, twin]).toRows(
      [enter(3, { to: CLONE, shares: 7n }), deposited(6, { shares: 7n })],
      9,
    );
    expect(rows.map(({ userAddress }) => userAddress)).toEqual([RECEIVER]);
  });

  test("takes no deposit of an order for that of the next one, which buys shares elsewhere", () => {
    const first = deposited(4, { shares: 7n });
    const logs = [enter(3, { to: CLONE, shares: 7n }), first, deposited(6, { shares: 7n, receiver: OTHER })];
    expect(users(logs)).toEqual([`3 ${RECEIVER} 100 7`]);
  });

  test("credits it to a receiver who claims earlier shares with it", () => {
    const mellow = { ...vaultOf({ number: 4, adapter: "mellow" }), params: { queue: "sync" } };
    const claimed = "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)";
    const minted =
      "event Deposited(address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares)";
    const values = { account: CLONE, referral: OTHER, assets: 50n, shares: 7n, feeShares: 0n };
    const own = { account: RECEIVER, shares: 5n, timestamp: 3 };
    const logs = (claim: object, amountOut: bigint) => [
      at(3, eventLog(mellow.entryPoint, minted, values)),
      at(4, eventLog(mellow.entryPoint, claimed, { ...own, ...claim })),
      deposited(6, { shares: amountOut, shareToken: mellow.shareToken }),
    ];
    const creditedTo = (claim: object, amountOut: bigint) =>
      joinFlowSources(CHAIN_ID, [mellow]).toRows(logs(claim, amountOut), 9)[0]?.userAddress;
    // A share manager claims an account's shares when it transfers some to the account.
    expect(creditedTo({}, 12n)).toBe(RECEIVER);
    expect(creditedTo({}, 7n)).toBe(RECEIVER);
    expect(creditedTo({ account: OTHER }, 12n)).toBe(CLONE);
    expect(creditedTo({}, 11n)).toBe(CLONE);
  });

  test("takes no claim of shares, which anyone may make for another account beside an order", () => {
    const mellow = vaultOf({ number: 4, adapter: "mellow" });
    const signature =
      "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)";
    const values = { account: OTHER, shares: 7n, timestamp: 3 };
    const claim = at(3, eventLog(mellow.entryPoint, signature, values));
    const order = deposited(6, { shares: 7n, shareToken: mellow.shareToken });
    expect(joinFlowSources(CHAIN_ID, [mellow]).toRows([claim, order], 9)).toMatchObject([
      { userAddress: OTHER, assets: "0", shares: "7" },
    ]);
  });

  test.each([
    ["another transaction", deposited(6, { shares: 7n, tx: "2" })],
    ["another number of shares", deposited(6, { shares: 8n })],
    ["another vault's shares", deposited(6, { shares: 7n, shareToken: plain.shareToken })],
    ["another contract's word", deposited(6, { shares: 7n, from: OTHER as Address })],
    ["what came before", deposited(2, { shares: 7n })],
  ])("is unchanged by %s", (_, log) => {
    expect(users([enter(3, { to: CLONE, shares: 7n }), log])).toEqual([`3 ${CLONE} 100 7`]);
  });

  test("reads the Router's events for every vault, because any can be left through it", () => {
    const router = depositRouterCreate2.address.toLowerCase();
    expect(joinFlowSources(CHAIN_ID, [veda]).topicsBy.has(router)).toBe(true);
    expect(joinFlowSources(CHAIN_ID, [plain]).topicsBy.has(router)).toBe(true);
    expect(joinFlowSources(CHAIN_ID, []).topicsBy.has(router)).toBe(false);
    // What was read without the Router's word has to be read again.
    expect(
      [sourceFingerprint(veda), sourceFingerprint(plain)].map((text) => text.includes(" routed")),
    ).toEqual([true, false]);
  });
});

const withdrawAbi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);
const withdraw = (logIndex: number, of: { owner: Address | undefined; shares: bigint }) =>
  at(logIndex, {
    address: plain.address,
    topics: encodeEventTopics({
      abi: withdrawAbi,
      eventName: "Withdraw",
      args: { sender: of.owner, receiver: of.owner, owner: of.owner },
    }),
    data: encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [50n, of.shares]),
  });
/** What the Router says at the end of a redemption that OTHER paid for. */
const redeemed = (logIndex: number, of: { shares: bigint; tx?: string; from?: Address }) =>
  deposited(logIndex, {
    ...{ shares: 50n, shareToken: plain.asset.address, tokenIn: plain.shareToken, amountIn: of.shares },
    ...(of.tx === undefined ? {} : { tx: of.tx }),
    ...(of.from === undefined ? {} : { from: of.from }),
  });

describe("joinFlowSources() with a redemption through the Router", () => {
  test("credits it to the account that paid the shares, not to the executor", () => {
    expect(users([withdraw(3, { owner: CLONE, shares: 7n }), redeemed(6, { shares: 7n })])).toEqual([
      `3 ${OTHER} -50 -7`,
    ]);
  });

  test("credits a vault that redeems slightly fewer shares than it was given", () => {
    expect(users([withdraw(3, { owner: CLONE, shares: 699n }), redeemed(6, { shares: 700n })])).toEqual([
      `3 ${OTHER} -50 -699`,
    ]);
  });

  test("counts a move in both vaults", () => {
    const moved = deposited(9, {
      ...{ shares: 7n, shareToken: veda.shareToken, tokenIn: plain.shareToken, amountIn: 4n },
    });
    const logs = [withdraw(3, { owner: CLONE, shares: 4n }), enter(5, { to: CLONE, shares: 7n }), moved];
    expect(users(logs)).toEqual([`3 ${OTHER} -50 -4`, `5 ${RECEIVER} 100 7`]);
  });

  test.each([
    ["another transaction", redeemed(6, { shares: 7n, tx: "2" })],
    ["fewer shares than were redeemed", redeemed(6, { shares: 6n })],
    ["far more shares than were redeemed", redeemed(6, { shares: 8n })],
    ["another contract's word", redeemed(6, { shares: 7n, from: OTHER as Address })],
    ["what came before", redeemed(2, { shares: 7n })],
  ])("is unchanged by %s", (_, log) => {
    expect(users([withdraw(3, { owner: CLONE, shares: 7n }), log])).toEqual([`3 ${CLONE} -50 -7`]);
  });

  test("takes no redemption of an order for that of the next one, which sells shares elsewhere", () => {
    const sold = { shares: 50n, tokenIn: plain.shareToken, amountIn: 7n };
    const first = deposited(4, { ...sold, payer: RECEIVER });
    const logs = [withdraw(3, { owner: CLONE, shares: 7n }), first, redeemed(6, { shares: 7n })];
    expect(users(logs)).toEqual([`3 ${RECEIVER} -50 -7`]);
  });

  test("takes no payment of another account's request, which anyone may make beside an order", () => {
    const upshift = vaultOf({ number: 3, adapter: "upshift" });
    const signature = "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)";
    const values = { assetsAmount: 90n, receiverAddr: RECEIVER };
    const paid = at(3, eventLog(upshift.entryPoint, signature, values));
    const order = deposited(6, { shares: 1n, tokenIn: upshift.shareToken, amountIn: 1n });
    expect(joinFlowSources(CHAIN_ID, [upshift]).toRows([paid, order], 9)).toMatchObject([
      { userAddress: RECEIVER, assets: "-90", shares: "0" },
    ]);
  });
});
