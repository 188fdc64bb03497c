import { type Hex, type Log, numberToHex } from "viem";
import { expect, test } from "vitest";
import type { WithdrawalRow } from "../../src/db/queries/deposit-queries.ts";
import { nextExitStep } from "../../src/withdrawals/next-withdrawal-step.ts";
import { USDC, USER, VAULT, vault, WETH } from "../support/deposits/fixtures.ts";
import { transferLog } from "../support/deposits/logs.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { eventLog } from "../support/vaults/answer.ts";
import { withdrawalRow } from "../support/withdrawals/withdrawal-row.ts";
import {
  createWithdrawalFixture,
  fairWeth,
  fixedDatabase,
  storedOf,
  swapDesk,
} from "../support/withdrawals/withdrawing.ts";

/** The second step of a request that was paid together with others, so that its own amount is unknown. */
const PAID = 90_000_000n;
const [SOURCE, CLAIM] = [numberToHex(1, { size: 32 }), numberToHex(2, { size: 32 })];
const withdraw =
  "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";
const awaiting: WithdrawalRow = {
  ...withdrawalRow,
  ...{ state: "awaiting_transfer", mode: "request", requestId: "0", twoStep: true, shares: "100" },
  ...{ sourceTxHash: SOURCE, sourceProven: true, claimTxHash: CLAIM, assets: null },
  ...{ moveToken: WETH.toLowerCase(), slippage: 0.03 },
};
const other: WithdrawalRow = { ...awaiting, trackingId: `trk_${"7".repeat(32)}`, shares: "50" };
const claimLogs = [
  transferLog({ token: USDC, from: VAULT, value: PAID }),
  eventLog(VAULT, withdraw, {
    ...{ sender: USER, receiver: USER, owner: USER, assets: PAID, shares: 150n },
  }) as unknown as Log,
];

function receipt(hash: Hex) {
  const logs = hash === CLAIM ? claimLogs : [];
  return {
    ...{ transactionHash: hash, blockNumber: "0x1", status: "0x1", gasUsed: "0x1" },
    logs: logs.map(({ address, topics, data }, index) => ({
      ...{ address, topics, data, logIndex: numberToHex(index) },
    })),
  };
}
const transaction = (hash: Hex) => ({ hash, from: USER, to: VAULT, input: "0x", value: "0x0", gas: "0x1" });

async function nextOf(row: WithdrawalRow, others: readonly WithdrawalRow[]) {
  const stored = storedOf({ ...vault, adapter: "accountable", caller: "user" });
  const world = await createWithdrawalFixture({
    vaults: [stored],
    answers: { balanceOf: PAID },
    effects: () => ({ rises: { [balanceKey(WETH, USER)]: fairWeth((PAID * 2n) / 3n) } }),
  });
  const { client } = world.chain;
  const request = client.request.bind(client);
  client.request = (async (method: string, params: readonly unknown[]) => {
    const [hash] = params as readonly Hex[];
    if (method === "eth_getTransactionReceipt" && hash !== undefined) return receipt(hash);
    if (method === "eth_getTransactionByHash" && hash !== undefined) return transaction(hash);
    return method === "eth_blockNumber" ? "0x1000" : request(method, params);
  }) as typeof client.request;
  const desk = swapDesk(world.ctx);
  // The vault is read first, then the account's other redemptions; the step plan is read last.
  const answers: (readonly object[])[] = [[stored], others];
  const db = fixedDatabase(() => answers.shift() ?? [stored]);
  return { made: await nextExitStep({ ...desk.ctx, db }, row), asked: desk.asked };
}

test("takes its part by shares, with a warning, and leaves the rest in the account", async () => {
  const { made, asked } = await nextOf(awaiting, [other]);
  expect(made.refusal).toBeNull();
  expect(asked[0]).toMatchObject({ amount: (PAID * 2n) / 3n, fromToken: USDC, toToken: WETH });
  expect(made.next).toMatchObject({ kind: "transfer", warnings: [{ code: "amount_shared" }] });
});

test("takes nothing that another one has", async () => {
  const known = { ...other, assets: PAID.toString() };
  expect((await nextOf(awaiting, [known])).made).toMatchObject({ refusal: { code: "amount_unknown" } });
});

test("takes nothing if the claim is not found or pays nothing", async () => {
  const unclaimed = { ...awaiting, claimTxHash: null };
  expect((await nextOf(unclaimed, [other])).made).toMatchObject({ refusal: { code: "amount_unknown" } });
  const empty = { ...awaiting, claimTxHash: SOURCE };
  expect((await nextOf(empty, [other])).made).toMatchObject({ refusal: { code: "amount_unknown" } });
});
