import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeEventTopics,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from "viem";
import { expect, test } from "vitest";
import type { TransactionOnChain } from "../../../src/chains/chain-transaction.ts";
import type { Database } from "../../../src/db/database-client.ts";
import type { DepositHint } from "../../../src/db/queries/deposit-hint-queries.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { exitRequestTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-request.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { NOW, OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { log, receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";

/** Claims that pay less than they say, or that others forge, of a request at a vault of ERC-7540. */
const [SOURCE, CLAIM]: [Hex, Hex] = [`0x${"11".repeat(32)}`, `0x${"22".repeat(32)}`];
const SHARES = 100_000_000_000_000_000_000n;
const PAID = 100_500_000n;
const requested: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "requested", mode: "request", requestId: "0", shares: String(SHARES), sourceProven: true },
  ...{ sourceTo: VAULT.toLowerCase(), sourceTxHash: SOURCE },
};
const abi = parseAbi([
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
]);

function claimLog({ owner = USER, assets = PAID, emitter = VAULT, shares = SHARES } = {}): Log {
  const args = { sender: owner, receiver: USER, owner };
  const topics = encodeEventTopics({ abi, eventName: "Withdraw", args });
  const data = concatHex([assets, shares].map((value) => numberToHex(value, { size: 32 })));
  return log(emitter, topics, data);
}
const pays = (value: bigint, change = {}) => transferLog({ token: USDC, from: VAULT, value, ...change });

/** What tracking finds in a transaction that may be the claim; `readable` is whether the vault answers. */
async function find(
  logs: readonly Log[],
  {
    succeeded = true,
    readable = true,
    forgets = false,
    stored: kept = {},
    words = 1,
    asked = requested,
  } = {},
) {
  const lagoon = { ...vault, adapter: "lagoon", caller: "user", wasActive: true, ...kept };
  const { asset } = vault;
  const stored = { assetAddress: asset.address, assetSymbol: asset.symbol, assetDecimals: asset.decimals };
  const answers: unknown[][] = [[{ ...lagoon, ...stored }]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  // The vault says that the request waits.
  const contracts = contractsClient(() =>
    readable
      ? { ok: true, data: concatHex(Array(words).fill(numberToHex(1n, { size: 32 }))) }
      : { ok: false, data: "0x" },
  );
  const hint: DepositHint = {
    ...{ trackingId: requested.trackingId, chainId: testChain.chainId, txHash: CLAIM },
    ...{ origin: "report", notedAt: new Date(NOW), droppedAt: null },
  };
  const seen: Record<string, TransactionOnChain> = {
    [SOURCE]: {
      ...{ transaction: null, confirmations: testChain.confirmations },
      receipt: forgets ? null : receiptOf(),
    },
    [CLAIM]: {
      ...{ transaction: null, confirmations: testChain.confirmations },
      receipt: { ...receiptOf(...logs), succeeded },
    },
  };
  return exitRequestTransitions(testContext({ db, nowMs: NOW, clients: [contracts] }), {
    ...{ row: asked, hints: [hint] },
    readTransaction: async (_chainId, hash) => {
      const one = seen[hash];
      if (one === undefined) throw new Error(`${hash} is unknown`);
      return one;
    },
  });
}

/** What tracking concludes from such a transaction. */
async function look(logs: readonly Log[], succeeded = true) {
  const { transitions } = await find(logs, { succeeded });
  return transitions.map(({ event, change }) => ({
    shows: "shows" in event ? event.shows : event.kind,
    assets: change.assets ?? null,
  }));
}

test("a claim is read again if the vault could not be asked for its requests", async () => {
  expect(await find([claimLog(), pays(PAID)], { readable: false })).toEqual({
    transitions: [],
    undecided: [CLAIM],
  });
});

test("nothing is concluded while no node has the receipt of the request", async () => {
  const asked = find([claimLog(), pays(PAID)], { forgets: true });
  await expect(asked).rejects.toMatchObject({ code: "upstream_unavailable" });
});

test("a claim of a part is read again while the vault reports the rest, any other transaction is not", async () => {
  const part = await find([claimLog({ shares: SHARES / 2n }), pays(PAID)]);
  expect(part.undecided).toEqual([CLAIM]);
  expect(part.transitions.map(({ event }) => "shows" in event && event.shows)).toEqual(["request_claimable"]);
  expect((await find([pays(PAID)])).undecided).toEqual([]);
  expect((await find([claimLog(), pays(PAID)])).undecided).toEqual([]);
});

test("a claim is complete with what arrived", async () => {
  expect(await look([claimLog(), pays(PAID)])).toEqual([{ shows: "token_paid", assets: String(PAID) }]);
});

test("a claim that names more than it pays is complete with what arrived", async () => {
  const logs = [claimLog({ assets: 2n * PAID }), pays(PAID)];
  expect(await look(logs)).toEqual([{ shows: "token_paid", assets: String(PAID) }]);
});

test("a claim whose payment goes back to the vault, in part or whole, is complete with an unknown amount", async () => {
  for (const value of [PAID, 2n * PAID]) {
    const back = transferLog({ token: USDC, from: USER, to: VAULT, value });
    const logs = [claimLog({ assets: 2n * PAID }), pays(2n * PAID), back];
    expect(await look(logs)).toEqual([{ shows: "token_paid", assets: null }]);
  }
});

test.each<[string, Log[], boolean?]>([
  ["pays somebody else", [claimLog(), pays(PAID, { to: OTHER })]],
  ["pays another token", [claimLog(), pays(PAID, { token: WETH })]],
  ["pays nothing", [claimLog()]],
  ["is of another account", [claimLog({ owner: OTHER }), pays(PAID)]],
  ["another contract emits", [claimLog({ emitter: OTHER }), pays(PAID)]],
  ["reverted", [claimLog(), pays(PAID)], false],
  ["is only a payment by a stranger", [pays(PAID, { from: OTHER })]],
])("a claim that %s completes nothing", async (_name, logs, succeeded = true) => {
  const [seen] = await look(logs, succeeded);
  expect(seen).toMatchObject({ assets: null });
  expect(["request_pending", "request_claimable"]).toContain(seen?.shows);
});

/** The claim of the shares that a cancelled request returns, in favour of the user. */
function cancellation(shares: bigint, controller: Address = USER): Log {
  const cancelled = parseAbi([
    "event CancelRedeemClaim(address indexed controller, address indexed receiver, uint256 indexed requestId, address sender, uint256 shares)",
  ]);
  const args = { controller, receiver: USER, requestId: 0n };
  const data = encodeAbiParameters(parseAbiParameters("address, uint256"), [controller, shares]);
  return log(VAULT, encodeEventTopics({ abi: cancelled, eventName: "CancelRedeemClaim", args }), data);
}
const strangersCancellation = (shares: bigint): Log => cancellation(shares, OTHER);
const returns = (value: bigint) => transferLog({ token: VAULT, from: VAULT, value });

test.each<[string, Log[]]>([
  ["of nothing", [strangersCancellation(0n)]],
  ["of a share", [strangersCancellation(1n), returns(1n)]],
  ["of a share, with a second transfer", [strangersCancellation(1n), returns(1n), returns(1n)]],
  ["of nothing, with a transfer of all shares", [strangersCancellation(0n), returns(SHARES)]],
  ["of all shares", [strangersCancellation(SHARES), returns(SHARES)]],
  ["of all shares, beside one of nothing by the user", [cancellation(0n), returns(SHARES)]],
])("a stranger's cancellation %s in the user's favour does not end the user's request", async (_, logs) => {
  const [seen] = await look(logs);
  expect(["request_pending", "request_claimable"]).toContain(seen?.shows);
});

test("a cancellation that returns all shares ends the request, in however many transfers", async () => {
  const returned = [cancellation(SHARES), returns(SHARES / 2n), returns(SHARES / 2n)];
  expect(await look(returned)).toEqual([{ shows: "request_cancelled", assets: null }]);
});

/** What is left of a request at a vault of IPOR: one unit of shares, whose window ended long ago. */
const expiredRest = {
  stored: { adapter: "ipor", params: { withdraw_manager: OTHER.toLowerCase() } },
  words: 4,
};

/** A claim of this number of shares of a request at a vault of IPOR. */
function iporClaim(shares: bigint): Log[] {
  const manager = parseAbi([
    "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)",
    "event ReleaseFundsUpdated(uint32 releaseTimestamp, uint128 sharesToRelease)",
  ]);
  const of = (eventName: "WithdrawRequestUpdated" | "ReleaseFundsUpdated", data: Hex): Log =>
    log(OTHER, encodeEventTopics({ abi: manager, eventName }), data);
  const updated = encodeAbiParameters(parseAbiParameters("address, uint256, uint32"), [USER, 1n, 1]);
  const released = encodeAbiParameters(parseAbiParameters("uint32, uint128"), [1, 0n]);
  return [
    of("WithdrawRequestUpdated", updated),
    of("ReleaseFundsUpdated", released),
    claimLog({ shares }),
    pays(PAID),
  ];
}

test("a request that has expired after a part was claimed is paid in part, with the shares of that part", async () => {
  const { transitions } = await find(iporClaim(SHARES - 1n), expiredRest);
  const change = { assets: String(PAID), deliveredAmount: String(PAID), shares: String(SHARES - 1n) };
  expect(transitions).toMatchObject([{ event: { shows: "partly_paid" }, change }]);
});

test("what was claimed of a request that has expired can be sent on, with the shares of that part", async () => {
  const asked = { ...requested, moveToken: WETH.toLowerCase() };
  const { transitions } = await find(iporClaim(SHARES - 1n), { ...expiredRest, asked });
  const change = { assets: String(PAID), shares: String(SHARES - 1n) };
  expect(transitions).toMatchObject([{ event: { shows: "assets_paid" }, change }]);
});

test("a request that was claimed in full is complete, although a later one has expired", async () => {
  const { transitions } = await find(iporClaim(SHARES), expiredRest);
  expect(transitions).toMatchObject([{ event: { shows: "token_paid" }, change: { assets: String(PAID) } }]);
  expect(transitions[0]?.change).not.toHaveProperty("shares");
});
