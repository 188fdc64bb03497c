import { expect, test } from "vitest";
import { requireAllowance } from "../../src/client/client-wallet-steps.ts";
import { continueDeposit } from "../../src/client/operations/deposit-operations.ts";
import { account, HASH, order, readings, step, TRACKING } from "../support/client/fake-order.ts";
import { pageStorage, scriptedWallet } from "../support/client/scripted-wallet.ts";

const open = { body: order([step("source.deposit", "required")]) };
const done = { body: order([step("source.deposit", "done", { tx_hash: HASH })], "completed") };
const receipt = {
  ...{ transactionHash: HASH, blockHash: HASH, blockNumber: "0x10", status: "0x1", logs: [], type: "0x2" },
  ...{ from: account.address, to: account.address, gasUsed: "0x1" },
};
const node = {
  eth_blockNumber: () => "0x10",
  eth_getTransactionByHash: () => ({ hash: HASH, blockNumber: "0x10" }),
  eth_getTransactionReceipt: () => receipt,
};

/** Starts an execution, and aborts it while the wallet shows the transaction. `confirm` is the user's late answer. */
async function abortWhileShown() {
  const storage = pageStorage();
  const leaving = new AbortController();
  const phases: string[] = [];
  let confirm = (_hash: string): void => {};
  const shown = new Promise<string>((resolve) => {
    confirm = resolve;
  });
  const { wallet } = scriptedWallet({
    ...node,
    eth_sendTransaction: () => {
      leaving.abort();
      return shown;
    },
  });
  const onProgress = ({ phase }: { phase: string }) => void phases.push(phase);
  const { signal } = leaving;
  const { client } = readings([open]);
  const run = continueDeposit(client, { trackingId: TRACKING, wallet, storage, signal, onProgress });
  await expect(run).rejects.toMatchObject({ name: "CausewayError", code: "aborted" });
  return { storage, phases, confirm: () => confirm(HASH) };
}

/** Executes the order again with a wallet that answers at once. */
function executeAgain(storage: ReturnType<typeof pageStorage>) {
  const { wallet, asked } = scriptedWallet({ ...node, eth_sendTransaction: () => HASH });
  const run = continueDeposit(readings([open, done]).client, { trackingId: TRACKING, wallet, storage });
  return { run, sends: () => asked.filter((method) => method === "eth_sendTransaction").length };
}

/** Waits until no execution of the order holds its lock. */
const untilFree = () =>
  (
    navigator as unknown as { locks: { request(name: string, work: () => Promise<void>): Promise<void> } }
  ).locks.request(`causeway:${TRACKING}`, async () => undefined);

test("an abort ends an execution whose wallet does not answer, and what is confirmed later is not sent again", async () => {
  const { storage, phases, confirm } = await abortWhileShown();
  await expect(executeAgain(storage).run).rejects.toMatchObject({ code: "in_progress" });
  confirm();
  await untilFree();
  expect([...storage.kept.values()].join()).toContain(HASH);
  const next = executeAgain(storage);
  expect((await next.run).state).toBe("completed");
  expect(next.sends()).toBe(0);
  expect(phases).toEqual(["wallet"]);
});

test("an abort ends the wait for a lowered approval before the next reading", async () => {
  const leaving = new AbortController();
  const { wallet, asked } = scriptedWallet({
    eth_call: () => {
      leaving.abort();
      return `0x${"0".repeat(63)}4`;
    },
  });
  const approval = { token: { address: account.address }, spender: account.address, amount: 5n };
  const of = { approval: approval as never, owner: account.address, signal: leaving.signal };
  await expect(requireAllowance(wallet, of)).rejects.toMatchObject({ code: "aborted" });
  expect(asked).toEqual(["eth_call"]);
});
