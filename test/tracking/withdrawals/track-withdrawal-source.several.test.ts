import { type Address, concatHex, type Hex, keccak256, type Log, pad, size, toHex } from "viem";
import { describe, expect, test } from "vitest";
import type { Database } from "../../../src/db/database-client.ts";
import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { exitSourceTransitions } from "../../../src/tracking/withdrawals/track-withdrawal-source.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { contractsClient } from "../../support/chains/multicall.ts";
import { testChain } from "../../support/chains/rpc-node.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER, VAULT, vault, WETH } from "../../support/deposits/fixtures.ts";
import { receiptOf, transferLog } from "../../support/deposits/logs.ts";
import { eventLog } from "../../support/vaults/answer.ts";
import { withdrawalRow } from "../../support/withdrawals/withdrawal-row.ts";
import { storedOf } from "../../support/withdrawals/withdrawing.ts";

/** Several redemption requests of one account at one vault, in one batch of its wallet. */
const HASH: Hex = `0x${"11".repeat(32)}`;
const DESK: Address = "0x2222222222222222222222222222222222222222";
const lagoon: Vault = { ...vault, adapter: "lagoon", caller: "user" };
const params = {
  ...{ deposit: "request", recipient: "caller", redemption_vault: DESK },
  redeem_tokens: `${USDC}/6/USDC,${WETH}/18/WETH`,
};
const midas: Vault = { ...vault, adapter: "midas", type: "midas", caller: "user", params };

/** A request of the batch: its shares, its number and the token that it names. */
interface Asked {
  shares: bigint;
  id?: bigint;
  token?: Address;
  account?: Address;
}

const callOf = (name: string): Hex => concatHex(["0x7d41c86e", pad(toHex(name))]);
const rowOf = (name: string, { shares, token = USDC }: Asked): WithdrawalRow => ({
  ...withdrawalRow,
  ...{ trackingId: `trk_${name.repeat(32)}`, mode: "request", fromAmount: shares.toString() },
  ...{
    sourceTo: VAULT.toLowerCase(),
    sourceDataHash: keccak256(callOf(name)),
    exitToken: token.toLowerCase(),
  },
});

const atLagoon = ({ shares, account = USER }: Asked): Log[] => [
  transferLog({ from: account, to: VAULT, value: shares }),
  eventLog(
    VAULT,
    "event RedeemRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 shares)",
    { controller: account, owner: account, requestId: 0n, sender: account, shares },
  ) as unknown as Log,
];
const atMidas = ({ shares, id = 0n, token: tokenOut = USDC, account = USER }: Asked): Log[] => [
  transferLog({ from: account, to: DESK, value: shares }),
  eventLog(
    DESK,
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    { requestId: id, user: account, tokenOut, amountMTokenIn: shares, feeAmount: 0n },
  ) as unknown as Log,
  transferLog({ token: VAULT, from: DESK, to: OTHER, value: 0n }),
];

/** Returns the request that a withdrawal of the batch is taken to have made. `others` are known to be in it too. */
async function requestOf(
  row: WithdrawalRow,
  { of, logs, others = [] }: { of: Vault; logs: readonly Log[]; others?: readonly WithdrawalRow[] },
) {
  // The vault is read first, then the row for which the transaction counts, then the account's other withdrawals.
  const answers: unknown[][] = [[storedOf(of)], [], [...others]];
  const db = { run: async () => answers.shift() ?? [] } as unknown as Database;
  const calls = ["a", "b", "c"].map(callOf).flatMap((data) => [toHex(size(data), { size: 32 }), data]);
  const input = concatHex(["0x34fcd5be", ...calls]);
  const emitted = eventLog(VAULT, "event Called()", {}) as unknown as Log;
  const transitions = await exitSourceTransitions(
    testContext({ db, clients: [contractsClient(() => ({ ok: false, data: "0x" }))] }),
    {
      ...{ row, hash: HASH },
      seen: {
        transaction: { hash: HASH, from: USER, to: USER, input, value: 0n, gas: 1n },
        receipt: receiptOf(...logs, emitted),
        confirmations: testChain.confirmations,
      },
    },
  );
  return transitions.map(({ change }) => ({ id: change.requestId, shares: change.shares }));
}

const [first, second]: readonly [Asked, Asked] = [
  { shares: 60n, id: 1n },
  { shares: 40n, id: 2n },
];

describe("of several requests in one batch", () => {
  test("each withdrawal has the one for its shares", async () => {
    const logs = [...atLagoon(first), ...atLagoon(second)];
    expect(await requestOf(rowOf("a", first), { of: lagoon, logs })).toMatchObject([{ shares: "60" }]);
    expect(await requestOf(rowOf("b", second), { of: lagoon, logs })).toMatchObject([{ shares: "40" }]);
    const numbered = [...atMidas(first), ...atMidas(second)];
    expect(await requestOf(rowOf("b", second), { of: midas, logs: numbered })).toEqual([
      { id: "2", shares: "40" },
    ]);
  });

  test("each has its own where another contract than the vault takes them", async () => {
    const ipor: Vault = { ...vault, adapter: "ipor", caller: "user", params: { withdraw_manager: DESK } };
    const logs = [first, second].map(
      ({ shares }) =>
        eventLog(
          DESK,
          "event WithdrawRequestUpdated(address account, uint256 shares, uint32 endWithdrawWindow)",
          { account: USER, shares, endWithdrawWindow: 1_700_000_000 },
        ) as unknown as Log,
    );
    const found = [rowOf("a", first), rowOf("b", second)].map((row) =>
      requestOf({ ...row, sourceTo: DESK.toLowerCase() }, { of: ipor, logs }),
    );
    expect((await Promise.all(found)).flat()).toMatchObject([{ shares: "60" }, { shares: "40" }]);
  });

  test("each has the one in its token, of those for as many shares", async () => {
    const inWeth = { ...second, shares: 60n, token: WETH };
    const logs = [...atMidas(first), ...atMidas(inWeth)];
    expect(await requestOf(rowOf("a", first), { of: midas, logs })).toMatchObject([{ id: "1" }]);
    expect(await requestOf(rowOf("b", inWeth), { of: midas, logs })).toMatchObject([{ id: "2" }]);
  });

  test("each has one that no other has, of equal ones", async () => {
    const equal = { ...first, id: 2n };
    const logs = [...atMidas(first), ...atMidas(equal)];
    const known = { ...rowOf("a", first), requestId: "1", sourceTxHash: HASH, sourceProven: true };
    const others = [known];
    expect(await requestOf(rowOf("b", equal), { of: midas, logs, others })).toMatchObject([{ id: "2" }]);
    const elsewhere = [{ ...known, sourceTxHash: `0x${"22".repeat(32)}` }];
    expect(await requestOf(rowOf("b", equal), { of: midas, logs, others: elsewhere })).toMatchObject([
      { id: "1" },
    ]);
  });

  test("requests that the vault adds up under one id are shared", async () => {
    const logs = [...atLagoon(first), ...atLagoon(first)];
    const others = [{ ...rowOf("a", first), requestId: "0", sourceTxHash: HASH, sourceProven: true }];
    expect(await requestOf(rowOf("b", first), { of: lagoon, logs, others })).toMatchObject([
      { id: "0", shares: "60" },
    ]);
  });

  test("none is another account's, or for other shares", async () => {
    const logs = [...atLagoon(first), ...atLagoon({ ...second, account: OTHER })];
    expect(await requestOf(rowOf("b", second), { of: lagoon, logs })).toEqual([]);
    expect(
      await requestOf(rowOf("b", { shares: 50n }), { of: lagoon, logs: [...logs, ...atLagoon(second)] }),
    ).toEqual([]);
  });
});
