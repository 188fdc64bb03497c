import { randomBytes } from "node:crypto";
import { encodeFunctionData, erc20Abi, type Hex, numberToHex } from "viem";
import { describe, expect, test } from "vitest";
import { stackTokenAbi } from "#stand-ins/standard";
import { awaitReceipt } from "../../../scripts/stack/chains/await-receipt.ts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import {
  addressOf,
  chainOf,
  mined,
  newUser,
  sendCall,
  type TestUser,
  tokenOn,
  vaultNamed,
  withChainRestored,
} from "../../support/e2e/chain.ts";
import { countDeposits } from "../../support/e2e/database.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { problemOf } from "../../support/e2e/http.ts";
import { toTransaction } from "../../support/e2e/sign-deposit.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const chain = chainOf(vault.chain_id);
const usdc = tokenOn(chain, "USDC");

async function approve(user: TestUser, amount: bigint): Promise<void> {
  const args = [chain.info.contracts.deposit_router, amount] as const;
  await sendCall(user, {
    to: usdc,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args }),
  });
}

/** A deposit that is approved and ready to be sent. */
async function ready() {
  const user = await newUser(chain, { USDC: amounts.USDC });
  const built = await api.build(bodyFor(vault, { user: user.address }));
  await approve(user, amounts.USDC);
  return { user, built };
}

type Ready = Awaited<ReturnType<typeof ready>>;

/** Sends the deposit whatever becomes of it. */
async function send({ user, built }: Ready, gas?: bigint): Promise<Hex> {
  const transaction = { from: user.address, ...toTransaction(built.transaction_request) };
  const limited = gas === undefined ? transaction : { ...transaction, gas: numberToHex(gas) };
  return (await user.wallet.request({ method: "eth_sendTransaction", params: [limited] })) as Hex;
}

/** The same, and waits for its block. */
async function sendAnyway(sent: Ready, gas?: bigint): Promise<Hex> {
  const hash = await send(sent, gas);
  await awaitReceipt(chain.client, hash);
  return hash;
}

async function expectFailed(hash: Hex, found: { trackingId: string; substatus: string }): Promise<void> {
  const receipt = await chain.client.getTransactionReceipt({ hash });
  expect(receipt.status).toBe("reverted");
  expect(await api.status(hash, chain.chainId)).toMatchObject({
    status: "FAILED",
    substatus: found.substatus,
    sending: { tx_hash: hash, chain_id: chain.chainId },
    receiving: null,
    deposit: { tracking_id: found.trackingId, state: "failed", shares: null },
  });
  const { status, substatus, state } = await api.deposit(found.trackingId);
  expect({ status, substatus, state }).toEqual({
    status: "FAILED",
    substatus: found.substatus,
    state: "failed",
  });
}

describe("status of a transaction without a deposit", () => {
  test("unknown hash is NOT_FOUND and writes nothing", async () => {
    const rows = await countDeposits();
    const user = await newUser(chain);
    for (let index = 1; index <= 5; index += 1) {
      const hash = `0x${randomBytes(32).toString("hex")}`;
      expect(await api.status(hash, chain.chainId)).toEqual({
        status: "NOT_FOUND",
        substatus: null,
        sending: null,
        receiving: null,
        bridge: null,
        router_explorer: null,
        deposit: null,
        withdrawal: null,
        poll_after_ms: 3_000,
      });
    }
    expect(await countDeposits()).toBe(rows);
    expect(await api.deposits(user.address)).toEqual([]);
  });

  test("plain transfer is INVALID and writes nothing", async () => {
    const rows = await countDeposits();
    const user = await newUser(chain, { USDC: 5n });
    const ether = await sendCall(user, { to: user.address, value: 1n });
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [addressOf(vault), 5n],
    });
    const token = await sendCall(user, { to: usdc, data });
    for (const hash of [ether, token]) {
      await mined(chain, hash);
      expect(await api.status(hash, chain.chainId)).toMatchObject({
        status: "INVALID",
        substatus: null,
        deposit: null,
      });
    }
    expect(await countDeposits()).toBe(rows);
  });

  test("hash of another chain is NOT_FOUND", async () => {
    const sent = await ready();
    const hash = await sendAnyway(sent);
    expect(await api.status(hash, 31338)).toMatchObject({ status: "NOT_FOUND", deposit: null });
    expect(await api.status(hash, 31337)).toMatchObject({ status: "DONE" });
  });

  test("unsupported chain is refused", async () => {
    const answer = await api.send(`/v1/status?tx_hash=0x${"1".repeat(64)}&from_chain_id=1`);
    expect(problemOf(answer)).toMatchObject({ status: 400, code: "chain_unsupported" });
  });
});

describe("status of a reverted deposit", () => {
  test("price moved: SLIPPAGE_EXCEEDED", async () => {
    const sent = await ready();
    await withChainRestored(chain, async () => {
      const held = await balanceOf(chain, { token: usdc, owner: addressOf(vault) });
      const args = [addressOf(vault), held / 50n] as const;
      const mint = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args });
      await sendCall(sent.user, { to: usdc, data: mint });
      const hash = await sendAnyway(sent);
      await expectFailed(hash, { trackingId: sent.built.tracking_id, substatus: "SLIPPAGE_EXCEEDED" });
    });
  });

  test("deadline passed: EXPIRED", async () => {
    const sent = await ready();
    await withChainRestored(chain, async () => {
      await rpc(chain.rpcUrl, "evm_increaseTime", 3_600);
      await rpc(chain.rpcUrl, "evm_mine");
      const hash = await sendAnyway(sent);
      await expectFailed(hash, { trackingId: sent.built.tracking_id, substatus: "EXPIRED" });
    });
  });

  test.each([35, 60, 75, 90])("%i % of the required gas: OUT_OF_GAS", async (percent) => {
    const sent = await ready();
    const gas = (BigInt(sent.built.simulation.gas_used) * BigInt(percent)) / 100n;
    const hash = await sendAnyway(sent, gas);
    await expectFailed(hash, { trackingId: sent.built.tracking_id, substatus: "OUT_OF_GAS" });
  });

  test("approval missing: INSUFFICIENT_ALLOWANCE", async () => {
    const sent = await ready();
    await approve(sent.user, amounts.USDC - 1n);
    const hash = await sendAnyway(sent);
    await expectFailed(hash, { trackingId: sent.built.tracking_id, substatus: "INSUFFICIENT_ALLOWANCE" });
  });

  test("balance spent: INSUFFICIENT_BALANCE", async () => {
    const sent = await ready();
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: "transfer",
      args: [addressOf(vault), 1n],
    });
    await sendCall(sent.user, { to: usdc, data });
    const hash = await sendAnyway(sent);
    await expectFailed(hash, { trackingId: sent.built.tracking_id, substatus: "INSUFFICIENT_BALANCE" });
  });

  test("vault paused: UNKNOWN_ERROR, and a retry can succeed", async () => {
    const sent = await ready();
    await approve(sent.user, 0n);
    const first = await sendAnyway(sent);
    expect(await api.status(first, chain.chainId)).toMatchObject({ status: "FAILED" });
    await approve(sent.user, amounts.USDC);
    const second = await sendAnyway(sent);
    expect(await api.status(second, chain.chainId)).toMatchObject({
      status: "DONE",
      deposit: { state: "completed" },
    });
    expect(await api.deposit(sent.built.tracking_id)).toMatchObject({
      state: "completed",
      source_tx_hash: second,
    });
    expect(await api.status(first, chain.chainId)).toMatchObject({ status: "FAILED" });
  });
});

describe("status of a pending transaction", () => {
  test("is PENDING until it is mined", async () => {
    const sent = await ready();
    await rpc(chain.rpcUrl, "evm_setAutomine", false);
    try {
      const hash = await send(sent);
      expect(await api.status(hash, chain.chainId)).toMatchObject({
        status: "PENDING",
        substatus: "WAIT_SOURCE_CONFIRMATIONS",
        deposit: { tracking_id: sent.built.tracking_id, state: "submitted" },
      });
      await rpc(chain.rpcUrl, "evm_mine");
      expect(await api.status(hash, chain.chainId)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
    } finally {
      await rpc(chain.rpcUrl, "evm_setAutomine", true);
    }
  });
});
