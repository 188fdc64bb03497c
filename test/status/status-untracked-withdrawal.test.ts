import type { Address, Hex, Log } from "viem";
import { expect, test } from "vitest";
import { findShownWithdrawal } from "../../src/status/status-untracked-withdrawal.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../support/deposits/logs.ts";
import { eventLog } from "../support/vaults/answer.ts";

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

test.each([
  ["in a queue", queued, "request"],
  ["in a queue that leaves the shares in the wallet", offered, "request"],
  ["at a contract with a fixed wait", delayed, "cooldown"],
])("a request %s waits for what that contract needs, also if the vault has several", (_, log, kind) => {
  const receipt = receiptOf(log as unknown as Log);
  expect(findShownWithdrawal({ vaults: [both], transaction, receipt })).toMatchObject({ kind, shares: 7n });
});

test("a request names the token that the vault will pay", () => {
  const receipt = receiptOf(queued as unknown as Log);
  const request = { mode: "request", account: USER, token: USDC };
  expect(findShownWithdrawal({ vaults: [both], transaction, receipt })).toMatchObject({ request });
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
  ["a token that it does not pay", [arrival(OTHER)], { received: null, receivedToken: null }],
  ["two other tokens", [arrival(WETH), arrival(DAI)], { received: null, receivedToken: null }],
])("a vault's payment in %s is told where that is certain", (_, logs, received) => {
  const receipt = receiptOf(left, ...logs);
  const shown = findShownWithdrawal({ vaults: [paying], transaction, receipt });
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
  const shown = findShownWithdrawal({ vaults: [paying], transaction, receipt });
  expect(shown).toMatchObject({ kind: "paid", shares: 7n, ...received });
});

const withdrawn = (assets: bigint, shares = 7n) =>
  eventLog(
    VAULT,
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
    { sender: USER, receiver: USER, owner: USER, assets, shares },
  ) as unknown as Log;

test("a vault paid no more of its asset than its event says, and what it queues is not passed on", () => {
  const at = (adapter: string, ...logs: Log[]) => {
    const vaults = [{ ...vault, adapter } as Vault];
    return findShownWithdrawal({ vaults, transaction, receipt: receiptOf(withdrawn(9n), ...logs) });
  };
  const more = [arrival(USDC, 8n), arrival(USDC, 8n), sentOn(USDC, 16n)];
  expect(at("erc4626", ...more)).toMatchObject({ kind: "paid", received: 9n, receivedToken: USDC });
  for (const logs of [[arrival(USDC, 4n)], [arrival(USDC, 4n), sentOn(USDC, 3n)]])
    expect(at("mellow_lrt", ...logs)).toMatchObject({ kind: "request", request: { paid: 4n, promised: 9n } });
});
