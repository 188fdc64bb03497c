import { encodeFunctionData, erc20Abi, erc4626Abi, type Hex, numberToHex } from "viem";
import { describe, expect, inject, test } from "vitest";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";
import type { Context } from "../../../src/context.ts";
import { type DepositRow, selectDeposit } from "../../../src/db/queries/deposit-queries.ts";
import type { Provider, ProviderStatus } from "../../../src/providers/provider.ts";
import { createTransactionReader } from "../../../src/tracking/deposits/deposit-transaction-reader.ts";
import { trackDeposit } from "../../../src/tracking/deposits/track-deposit.ts";
import { Api } from "../../support/e2e/api.ts";
import {
  addressOf,
  give,
  mined,
  newUser,
  sendCall,
  tokenOn,
  userOn,
  vaultNamed,
} from "../../support/e2e/chain.ts";
import {
  ends,
  prepareMove,
  programContext,
  type SentBridgeDeposit,
  sendBridgeDeposit,
  sendMove,
  unfollowed,
  withBridge,
} from "../../support/e2e/cross-chain.ts";
import { statusOf, until } from "../../support/e2e/track.ts";
import { startWorker } from "../../support/e2e/worker.ts";

const api = new Api();
const vault = vaultNamed("Remote USDC");
const members = vaultNamed("Members USDC");
const [from, to] = ends(vault);
const AWAITING = { substatus: "WAIT_DEPOSIT_TRANSACTION" };

async function rowOf({ trackingId }: Pick<SentBridgeDeposit, "trackingId">): Promise<DepositRow> {
  const row = await selectDeposit((await programContext()).db, trackingId);
  if (row === null) throw new Error("nothing is written down");
  return row;
}

/** Reports a transaction for a deposit and gives what the deposit is then. */
async function reported(trackingId: string, claim: { hash: string; step: "source" | "deposit" }) {
  const answer = await api.report(trackingId, { tx_hash: claim.hash, step: claim.step });
  expect(answer.status).toBe(200);
  return api.deposit(trackingId);
}

describe("report of another user's transaction", () => {
  test("as a source proves nothing for either deposit", async () => {
    const victim = await sendBridgeDeposit({ provider: "across", vault });
    const stranger = await prepareMove({ provider: "across", vault });
    expect(await reported(stranger.trackingId, { hash: victim.hash, step: "source" })).toMatchObject({
      state: "built",
      status: "NOT_FOUND",
    });
    const done = await until(victim, { status: "DONE" });
    expect(done.deposit?.tracking_id).toBe(victim.trackingId);
    const delivery = done.receiving?.tx_hash ?? "";
    expect(await reported(stranger.trackingId, { hash: delivery, step: "deposit" })).toMatchObject({
      state: "built",
      deposit_tx_hash: null,
    });
    expect((await statusOf(delivery, to.chainId)).deposit?.tracking_id).toBe(victim.trackingId);
    // The claims are no hindrance to its own transaction.
    const own = { ...stranger, hash: await sendMove(stranger) };
    await reported(own.trackingId, { hash: own.hash, step: "source" });
    expect((await until(own, { status: "DONE" })).deposit?.tracking_id).toBe(own.trackingId);
  });

  test("as a second step changes no state", async () => {
    const [victim, stranger] = [
      await sendBridgeDeposit({ provider: "across", vault: members, twoStep: true }),
      await sendBridgeDeposit({ provider: "across", vault: members, twoStep: true }),
    ];
    for (const one of [victim, stranger]) await until(one, AWAITING);
    const hash = await depositByHand(victim);
    expect(await reported(stranger.trackingId, { hash, step: "deposit" })).toMatchObject({
      state: "awaiting_deposit",
    });
    expect(await reported(victim.trackingId, { hash, step: "deposit" })).toMatchObject({
      state: "completed",
      deposit_tx_hash: hash,
    });
    expect(await reported(victim.trackingId, { hash: `0x${"1".repeat(64)}`, step: "deposit" })).toMatchObject(
      { state: "completed", deposit_tx_hash: hash },
    );
  });

  test("of an unknown or unrelated hash changes no state", async () => {
    const departed = await sendBridgeDeposit({ provider: "across", vault, twoStep: true });
    await until(departed, AWAITING);
    const user = await userOn(to, departed.user);
    const transfer = await sendCall(user, { to: user.address, value: 1n });
    await mined(to, transfer);
    for (const hash of [`0x${"9".repeat(64)}`, transfer, departed.hash])
      expect(await reported(departed.trackingId, { hash, step: "deposit" })).toMatchObject({
        state: "awaiting_deposit",
        shares: null,
      });
    expect(await statusOf(transfer, to.chainId)).toMatchObject({ status: "INVALID", deposit: null });
  });
});

describe("second step of the user", () => {
  test("proves one deposit only", async () => {
    const first = await sendBridgeDeposit({ provider: "across", vault: members, twoStep: true });
    await until(first, AWAITING);
    await give(ends(members)[0], { user: first.user, symbol: "USDC", amount: 250_000_000n });
    const second = await sendBridgeDeposit({
      provider: "across",
      vault: members,
      twoStep: true,
      user: first.user,
    });
    await until(second, AWAITING);
    const hash = await depositByHand(first);
    expect(await reported(first.trackingId, { hash, step: "deposit" })).toMatchObject({ state: "completed" });
    expect(await reported(second.trackingId, { hash, step: "deposit" })).toMatchObject({
      state: "awaiting_deposit",
      shares: null,
    });
  });

  test("is ignored when it is older than the delivery", async () => {
    const chain = ends(members)[1];
    const user = await newUser(ends(members)[0], { USDC: 250_000_000n });
    const there = await userOn(chain, user);
    await give(chain, { user: there, symbol: "USDC", amount: 5_000_000n });
    const earlier = await depositAmount(there, 5_000_000n);
    await mined(chain, earlier);
    const departed = await sendBridgeDeposit({ provider: "across", vault: members, twoStep: true, user });
    await until(departed, AWAITING);
    expect(await reported(departed.trackingId, { hash: earlier, step: "deposit" })).toMatchObject({
      state: "awaiting_deposit",
      shares: null,
    });
  });
});

/** Deposits all a user holds into the vault that must see the user, as its second step would. */
async function depositByHand({ user, trackingId }: SentBridgeDeposit): Promise<Hex> {
  const { deliveredAmount } = await rowOf({ trackingId });
  const chain = ends(members)[1];
  const hash = await depositAmount(await userOn(chain, user), BigInt(deliveredAmount ?? "0"));
  await mined(chain, hash);
  return hash;
}

async function depositAmount(user: Awaited<ReturnType<typeof userOn>>, amount: bigint): Promise<Hex> {
  const chain = ends(members)[1];
  const approve = encodeFunctionData({
    abi: erc20Abi,
    functionName: "approve",
    args: [addressOf(members), amount],
  });
  await mined(chain, await sendCall(user, { to: tokenOn(chain, "USDC"), data: approve }));
  const args = [amount, user.address] as const;
  const data = encodeFunctionData({ abi: erc4626Abi, functionName: "deposit", args });
  return sendCall(user, { to: addressOf(members), data });
}

describe("provider that names unrelated transactions", () => {
  const NOTHING: ProviderStatus = {
    phase: "unknown",
    substatus: null,
    destinationTxHash: null,
    refundTxHash: null,
    amountReceived: null,
    explorerLink: null,
    proof: null,
    unread: false,
  };

  /** The program's context with one provider that says what it likes in the place of another. */
  async function lyingContext(name: string, says: Partial<ProviderStatus>): Promise<Context> {
    const ctx = await programContext();
    const all = (await ctx.providers.all()).map(
      (one): Provider =>
        one.name === name ? { ...one, status: async () => ({ ...NOTHING, ...says }) } : one,
    );
    return { ...ctx, providers: { ...ctx.providers, all: async () => all } };
  }

  /** A deposit that is stuck, and transactions that paid its user the very same amounts on both chains. */
  async function stuckWithPayments() {
    const stuck = await sendBridgeDeposit({ provider: "lifi", vault });
    await statusOf(stuck.hash, from.chainId);
    const paid = async (chain: typeof from) => {
      const payer = await newUser(chain, { USDC: 250_000_000n });
      const args = [stuck.user.address, 250_000_000n] as const;
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      const hash = await sendCall(payer, { to: tokenOn(chain, "USDC"), data });
      await mined(chain, hash);
      return hash;
    };
    return { stuck, delivery: await paid(to), refund: await paid(from) };
  }

  test("completes nothing", async () => {
    await withBridge({ relayer: { mode: "stall" } }, async () => {
      const { stuck, delivery, refund } = await stuckWithPayments();
      for (const says of [
        {
          phase: "delivered",
          substatus: "COMPLETED",
          destinationTxHash: delivery,
          amountReceived: 250_000_000n,
        },
        { phase: "refunded", substatus: "REFUNDED", refundTxHash: refund },
        { phase: "refunded", refundTxHash: stuck.hash, destinationTxHash: stuck.hash },
        { phase: "failed", substatus: "NOT_PROCESSABLE_REFUND_NEEDED" },
      ] as const) {
        const ctx = await lyingContext("lifi", says);
        const { row } = await trackDeposit(ctx, {
          row: await rowOf(stuck),
          readTransaction: createTransactionReader(ctx),
        });
        expect(row).toMatchObject({
          state: "bridging",
          shares: null,
          deliveredAmount: null,
          refundTxHash: null,
        });
      }
    });
  });

  test("completes nothing while the bridge's contracts cannot be read", async () => {
    await withBridge({ relayer: { mode: "stall" } }, async () => {
      const { stuck, delivery, refund } = await stuckWithPayments();
      for (const says of [{ destinationTxHash: delivery }, { refundTxHash: refund }]) {
        const lying = await lyingContext("lifi", { phase: "delivered", ...says });
        const mute = await lyingContext("across", {});
        const [across] = (await mute.providers.all()).filter(({ name }) => name === "across");
        const all = (await lying.providers.all()).map((one) =>
          one.name === "across" && across !== undefined ? across : one,
        );
        const ctx = { ...lying, providers: { ...lying.providers, all: async () => all } };
        const { row } = await trackDeposit(ctx, {
          row: await rowOf(stuck),
          readTransaction: createTransactionReader(ctx),
        });
        expect(row).toMatchObject({ state: "bridging", deliveredAmount: null, refundTxHash: null });
      }
    });
  });
});

describe("reorg of the source transaction", () => {
  test("proves nothing before confirmations and tracks the transaction after a reorg", async () => {
    const { chains } = inject("stack");
    const { CHAINS = "[]" } = (await import("../../support/e2e/worker.ts").then(({ variablesFor }) =>
      variablesFor("", {}),
    )) as {
      CHAINS?: string;
    };
    const patient = (JSON.parse(CHAINS) as { chain_id: number }[]).map((chain) =>
      chain.chain_id === from.chainId ? { ...chain, confirmations: 40 } : chain,
    );
    expect(patient).toHaveLength(chains.length);
    const worker = await startWorker({ variables: { CHAINS: JSON.stringify(patient) } });
    const other = new Api(worker.origin);
    const SUBMITTED = {
      status: "PENDING",
      substatus: "WAIT_SOURCE_CONFIRMATIONS",
      deposit: { state: "submitted" },
    };
    /** Sends, reverts and sends again, and returns the hash of the transaction that stays. */
    const sendTwice = async (prepared: Awaited<ReturnType<typeof prepareMove>>): Promise<Hex> => {
      const snapshot = await rpc(from.rpcUrl, "evm_snapshot");
      const hash = await withBridge({ relayer: { mode: "stall" } }, async () => {
        const sent = await sendMove(prepared);
        expect(await other.status(sent, from.chainId)).toMatchObject(SUBMITTED);
        expect(await rpc(from.rpcUrl, "evm_revert", snapshot)).toBe(true);
        // The transaction is gone, so nothing was sent.
        expect(await other.status(sent, from.chainId)).toMatchObject({ status: "NOT_FOUND", deposit: null });
        return sendMove(prepared);
      });
      expect(await other.status(hash, from.chainId)).toMatchObject(SUBMITTED);
      return hash;
    };
    try {
      // The stack's Worker, which waits for one confirmation, leaves the deposit alone.
      const prepared = await prepareMove({ provider: "across", vault, unscheduled: true });
      const hash = await unfollowed(() => sendTwice(prepared));
      await rpc(from.rpcUrl, "anvil_mine", numberToHex(40));
      const done = () => other.status(hash, from.chainId);
      await expect.poll(done).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
      const { history } = await other.deposit(prepared.trackingId);
      expect(history.map(({ state }) => state).slice(0, 2)).toEqual(["built", "submitted"]);
    } finally {
      await worker.close();
    }
  });
});
