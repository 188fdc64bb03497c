import { type Address, getAddress, type Hex, type Log, zeroAddress } from "viem";
import { expect, test } from "vitest";
import type { Receipt } from "../../src/chains/chain-transaction.ts";
import { findShownWithdrawal } from "../../src/status/status-untracked-withdrawal.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../support/deposits/logs.ts";
import { eventLog } from "../support/vaults/answer.ts";
import { home } from "../support/withdrawals/fixtures.ts";

const QUEUE: Address = "0x2222222222222222222222222222222222222222";
const DELAYED: Address = "0x3333333333333333333333333333333333333333";
const ATOMIC: Address = "0x5555555555555555555555555555555555555555";
const both: Vault = {
  ...vault,
  adapter: "veda",
  params: { teller: "d", withdraw_queue: QUEUE, delayed_withdraw: DELAYED, atomic_queues: ATOMIC },
};
const queued = eventLog(
  QUEUE,
  "event OnChainWithdrawRequested(bytes32 indexed requestId, address indexed user, address indexed assetOut, uint96 nonce, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
  {
    ...{ requestId: `0x${"11".repeat(32)}`, user: USER, assetOut: USDC, nonce: 1n, amountOfShares: 7n },
    ...{ amountOfAssets: 5n, creationTime: 1_700_000_000, secondsToMaturity: 60, secondsToDeadline: 600 },
  },
);
const delayed = eventLog(
  DELAYED,
  "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)",
  { account: USER, asset: USDC, shares: 7n, maturity: 1_700_000_000 },
);
const offered = eventLog(
  ATOMIC,
  "event AtomicRequestUpdated(address indexed user, address indexed offerToken, address indexed wantToken, uint256 amount, uint256 deadline, uint256 minPrice, uint256 timestamp)",
  {
    ...{ user: USER, offerToken: VAULT, wantToken: USDC, amount: 7n, deadline: 1_700_000_000n },
    ...{ minPrice: 1n, timestamp: 1_600_000_000n },
  },
);
const transaction = {
  ...{ hash: `0x${"11".repeat(32)}` as Hex, from: USER, to: QUEUE, input: "0x" as Hex },
  ...{ value: 0n, gas: 500_000n },
};
const shownOf = (vaults: readonly Vault[], receipt: Receipt) =>
  findShownWithdrawal({ vaults, chain: home, transaction, receipt });

test.each([
  ["in a queue", queued, "request"],
  ["in a queue that leaves the shares in the wallet", offered, "request"],
  ["at a contract with a fixed wait", delayed, "cooldown"],
])("a request %s waits for what that contract needs, also if the vault has several", (_, log, kind) => {
  const receipt = receiptOf(log as unknown as Log);
  expect(shownOf([both], receipt)).toMatchObject({ kind, shares: 7n });
});

test("a request names the token that the vault will pay", () => {
  const receipt = receiptOf(queued as unknown as Log);
  const request = { mode: "request", account: USER, token: USDC };
  expect(shownOf([both], receipt)).toMatchObject({ request });
});

test("of several requests of which each replaces the one before, the last is told", () => {
  const ipor: Vault = { ...vault, adapter: "ipor", caller: "user", params: { withdraw_manager: QUEUE } };
  const updated = "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)";
  const asked = (account: Address, shares: bigint) =>
    eventLog(QUEUE, updated, { account, shares, endWithdrawWindow: 1_700_000_000 }) as unknown as Log;
  const receipt = receiptOf(asked(USER, 7n), asked(USER, 5n), asked(OTHER, 3n));
  expect(shownOf([ipor], receipt)).toMatchObject({ kind: "request", shares: 5n });
});

test("a claim of a part of a request at IPOR is the payment of that part", () => {
  const ipor: Vault = { ...vault, adapter: "ipor", caller: "user", params: { withdraw_manager: QUEUE } };
  const ofManager = (event: string, values: Record<string, unknown>) =>
    eventLog(QUEUE, event, values) as unknown as Log;
  const receipt = receiptOf(
    ofManager("event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)", {
      ...{ account: USER, shares: 5n, endWithdrawWindow: 1_700_000_000 },
    }),
    ofManager("event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease)", {
      ...{ releaseTimestamp: 1, sharesToRelease: 0n },
    }),
    eventLog(
      VAULT,
      "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
      { sender: USER, receiver: USER, owner: USER, assets: 9n, shares: 7n },
    ) as unknown as Log,
    arrival(USDC),
  );
  expect(shownOf([ipor], receipt)).toMatchObject({ kind: "paid", shares: 7n, received: 9n });
});

const DAI: Address = "0x4444444444444444444444444444444444444444";
const paying: Vault = { ...both, params: { ...both.params, redeem_tokens: `${WETH}/18/WETH,${DAI}/18/DAI` } };
const left = eventLog(
  VAULT,
  "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)",
  { to: USER, asset: WETH, amount: 9n, from: USER, shares: 7n },
) as unknown as Log;
const arrival = (token: Address, value = 9n) => transferLog({ token, to: USER, value });

test.each([
  ["another token of its exits", [arrival(WETH)], { received: 9n, receivedToken: WETH }],
  [
    "its asset beside another token",
    [arrival(WETH), arrival(USDC, 8n)],
    { received: 8n, receivedToken: USDC },
  ],
  ["two other tokens", [arrival(WETH), arrival(DAI)], { received: null, receivedToken: null }],
])("a vault's payment in %s is told where that is certain", (_, logs, received) => {
  const receipt = receiptOf(left, ...logs);
  const shown = shownOf([paying], receipt);
  expect(shown).toMatchObject({ kind: "paid", shares: 7n, ...received });
});

/** What the account's batch sends on at once: to an exchange, a bridge or another vault. */
const sentOn = (token: Address, value: bigint) => transferLog({ token, from: USER, to: OTHER, value });

test.each([
  ["all of it", [arrival(WETH), sentOn(WETH, 9n)], { received: 9n, receivedToken: WETH }],
  ["a part of it", [arrival(WETH), sentOn(WETH, 8n)], { received: 9n, receivedToken: WETH }],
  [
    "some of several payments",
    [arrival(WETH), arrival(WETH), sentOn(WETH, 8n)],
    { received: null, receivedToken: null },
  ],
])("a batch that passes on %s was paid all the same", (_, logs, received) => {
  const receipt = receiptOf(left, ...logs);
  const shown = shownOf([paying], receipt);
  expect(shown).toMatchObject({ kind: "paid", shares: 7n, ...received });
});

const withdrawn = (assets: bigint, receiver = USER, owner = USER) =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: owner, receiver, owner, assets, shares: 7n },
  ) as unknown as Log;

test("a vault paid no more of its asset than its event says, and what it queues is not passed on", () => {
  const at = (adapter: string, ...logs: Log[]) => {
    const vaults = [{ ...vault, adapter } as Vault];
    return shownOf(vaults, receiptOf(withdrawn(9n), ...logs));
  };
  const more = [arrival(USDC, 8n), arrival(USDC, 8n), sentOn(USDC, 16n)];
  expect(at("erc4626", ...more)).toMatchObject({ kind: "paid", received: 9n, receivedToken: USDC });
  for (const logs of [[arrival(USDC, 4n)], [arrival(USDC, 4n), sentOn(USDC, 3n)]])
    expect(at("mellow_lrt", ...logs)).toMatchObject({ kind: "request", request: { paid: 4n, promised: 9n } });
});

test("several redemptions of an account in one transaction count together", () => {
  const logs = [withdrawn(9n), arrival(USDC, 9n), withdrawn(4n), arrival(USDC, 4n)];
  const both = { kind: "paid", shares: 14n, received: 13n, receivedToken: USDC };
  expect(shownOf([vault], receiptOf(...logs))).toMatchObject(both);
  // Another account's, in the same transaction, is not among them.
  const foreign = [withdrawn(5n, OTHER, OTHER), transferLog({ token: USDC, to: OTHER, value: 5n })];
  expect(shownOf([vault], receiptOf(...foreign, ...logs))).toMatchObject(both);
  // What one of them paid to another account was not received.
  const elsewhere = [withdrawn(4n, OTHER), transferLog({ token: USDC, to: OTHER, value: 4n })];
  const part = { kind: "paid", shares: 14n, received: 9n };
  expect(shownOf([vault], receiptOf(withdrawn(9n), arrival(USDC, 9n), ...elsewhere))).toMatchObject(part);
});

const burnt = transferLog({ from: USER, to: zeroAddress, value: 7n });
const toOther = (token: Address) => transferLog({ token, to: OTHER, value: 9n });
const toVault = transferLog({ token: USDC, from: OTHER, to: VAULT, value: 9n });
const native: Vault = { ...both, params: { ...both.params, redeem_tokens: `${zeroAddress}/18/ETH` } };
const unwrapped = (change: { src?: Address; wad?: bigint } = {}) =>
  eventLog(WETH, "event Withdrawal(address indexed src, uint256 wad)", {
    ...{ src: VAULT, wad: 9n, ...change },
  }) as unknown as Log;
const inWeth: Vault = { ...vault, asset: { ...vault.asset, address: WETH } };

test.each<[string, Log[], Vault?]>([
  ["the receiver that the owner chose", [withdrawn(9n, OTHER), toOther(USDC)]],
  ["its account in a token that only the event names", [left, burnt, arrival(WETH)], both],
  ["its account in native currency, which leaves no transfer", [left], native],
  ["in native currency, for which it unwrapped its asset", [withdrawn(9n), burnt, unwrapped()], inWeth],
  [
    "in native currency, if its asset is burnt as it is unwrapped",
    [withdrawn(9n), burnt, transferLog({ token: WETH, from: VAULT, to: zeroAddress, value: 9n })],
    inWeth,
  ],
])("a vault that paid %s has paid an unknown amount", (_what, logs, of = vault) => {
  const unknown = { kind: "paid", shares: 7n, received: null, receivedToken: null };
  expect(shownOf([of], receiptOf(...logs))).toMatchObject(unknown);
});

test.each<[string, Log[]]>([
  ["says itself that the shares were worth nothing", [withdrawn(0n)]],
  ["took the shares, and moved nothing but its own assets", [withdrawn(9n), burnt, toVault]],
])("a vault has paid nobody if it %s", (_what, logs) => {
  const unpaid = { kind: "unpaid", shares: 7n, received: null, receivedToken: null };
  expect(shownOf([vault], receiptOf(...logs))).toMatchObject(unpaid);
});

test.each<[string, Log[], Vault?]>([
  ["that only its event tells", [withdrawn(9n)]],
  ["to another account than its event says", [withdrawn(9n), burnt, toOther(USDC)]],
  ["of shares that are worth nothing, but of something to somebody", [withdrawn(0n), burnt, toOther(USDC)]],
  ["in a token that neither the vault nor its event names", [left, burnt, arrival(OTHER)], paying],
  ["to the vault, which the event names as the receiver", [withdrawn(9n, VAULT), toVault]],
  [
    "that a vault of the wrapped native token may have made in native currency",
    [withdrawn(9n), burnt],
    inWeth,
  ],
  ["of which another account unwrapped as much", [withdrawn(9n), burnt, unwrapped({ src: OTHER })], inWeth],
  ["of which it unwrapped another amount", [withdrawn(9n), burnt, unwrapped({ wad: 8n })], inWeth],
  ["of another asset than it unwrapped", [withdrawn(9n), unwrapped()]],
])("a payment %s shows no withdrawal", (_what, logs, of = vault) => {
  expect(shownOf([of], receiptOf(...logs))).toBeNull();
});

test("what a vault withdraws from another one is not the user's withdrawal", () => {
  const inner: Vault = { ...vault, address: DELAYED, entryPoint: DELAYED, shareToken: DELAYED };
  const innerWithdrawn = { ...withdrawn(9n, VAULT, VAULT), address: DELAYED };
  const logs = [innerWithdrawn, toVault, burnt, withdrawn(9n), arrival(USDC)];
  const shown = findShownWithdrawal({
    ...{ vaults: [inner, vault], chain: home, receipt: receiptOf(...logs) },
    transaction: { ...transaction, to: VAULT },
  });
  expect(shown).toMatchObject({ kind: "paid", vault: { address: VAULT }, received: 9n });
});

test("what a sub-account of the signer in Euler's connector redeemed is paid to the signer", () => {
  const sub: Address = getAddress(`${USER.slice(0, -2)}07`);
  const euler: Vault = { ...vault, adapter: "euler" };
  const receipt = receiptOf(withdrawn(9n, USER, sub), arrival(USDC));
  expect(shownOf([euler], receipt)).toMatchObject({ kind: "paid", shares: 7n });
  // Another account, which only resembles it.
  const resembling: Address = getAddress(`${USER.slice(0, -4)}0707`);
  expect(shownOf([euler], receiptOf(withdrawn(9n, USER, resembling), arrival(USDC)))).toBeNull();
});

test("a request in favour of another account is that account's, and none if it names the signer nowhere", () => {
  const yo: Vault = { ...vault, params: { exit: "yo" } };
  const asked = (receiver: Address, owner: Address, instant = false) =>
    eventLog(
      VAULT,
      "event RedeemRequest(address indexed receiver, address indexed owner, uint256 assets, uint256 shares, bool indexed instant)",
      { receiver, owner, assets: 9n, shares: 7n, instant },
    ) as unknown as Log;
  const request = { account: OTHER, requestId: "0", promised: 9n };
  expect(shownOf([yo], receiptOf(asked(OTHER, USER)))).toMatchObject({
    kind: "request",
    shares: 7n,
    request,
  });
  expect(shownOf([yo], receiptOf(asked(OTHER, DELAYED)))).toBeNull();
  expect(shownOf([yo], receiptOf(asked(OTHER, USER, true)))).toBeNull();
  // The signer's own comes first.
  const own = { account: USER, requestId: "0" };
  expect(shownOf([yo], receiptOf(asked(OTHER, USER), asked(USER, USER)))).toMatchObject({ request: own });
});
