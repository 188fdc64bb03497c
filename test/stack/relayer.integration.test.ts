import type { Address, Hex } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import type { Provider, TransferRequest } from "../../src/providers/provider.ts";
import {
  type BridgedStack,
  DELIVERY_POLLING,
  give,
  held,
  newUser,
  relayerOf,
  startBridged,
} from "../support/stack/bridged.ts";
import { clearFaults, control } from "../support/stack/harness.ts";
import { approveAndSend, intoVault, moveOf, openProviders } from "../support/stack/providers.ts";

const AMOUNT = 100n * 10n ** 6n;
const VAULT = "Remote Prime USDC";
let stack: BridgedStack;
let opened: ReturnType<typeof openProviders>;

beforeAll(async () => {
  stack = await startBridged();
  opened = openProviders(stack);
});
afterEach(() => Promise.all([stack.hub.lifi, stack.hub.across].map(clearFaults)));
afterAll(() => stack.close());

interface Sent {
  user: Address;
  txHash: Hex;
  toAmountMin: bigint;
  status(): ReturnType<Provider["status"]>;
}

/** Sends 100 USDC of a new user from the first chain into a vault on the second, or to the user's address there. */
async function sendMove(name: "lifi" | "across", call: { minIn: bigint } | null): Promise<Sent> {
  const { one, two } = stack;
  const user = await newUser(stack);
  await give(one, { user, symbol: "USDC", amount: AMOUNT });
  const destinationCall = call === null ? null : intoVault(two, { vault: VAULT, user, ...call });
  const tokens = { fromToken: one.tokens.USDC, toToken: two.tokens.USDC };
  const request: TransferRequest = moveOf(one, two, {
    ...tokens,
    amount: AMOUNT,
    user,
    call: destinationCall,
  });
  const move = await opened[name].build(opened.scope, request);
  const txHash = await approveAndSend(one, { move, request });
  const transfer = { txHash, fromChainId: 31337, toChainId: 31338, tool: move.tool };
  const status = () => opened[name].status(opened.scope, transfer);
  return { user, txHash, toAmountMin: move.toAmountMin, status };
}

const percent = (part: bigint) => (AMOUNT * part) / 100n;

describe.each(["lifi", "across"] as const)("relayer of %s", (name) => {
  const other = name === "lifi" ? "across" : "lifi";
  const set = (relayer: Parameters<typeof relayerOf>[1]) => relayerOf(stack.hub[name], relayer);

  test("deposits into the vault after the configured delay", async () => {
    await set({ delay_ms: 600_000 });
    const { user, status } = await sendMove(name, { minIn: percent(97n) });
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "bridging" });
    expect(await held(stack.two, [user, VAULT])).toBe(0n);
    await set({ delay_ms: 1_500 });
    await expect.poll(() => held(stack.two, [user, VAULT]), DELIVERY_POLLING).toBeGreaterThan(0n);
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "delivered" });
  });

  test("with fail_destination, delivers the token to the user when the deposit fails", async () => {
    await set({ mode: "fail_destination" });
    const { user, toAmountMin, status } = await sendMove(name, { minIn: percent(97n) });
    await expect.poll(() => held(stack.two, [user, "USDC"]), DELIVERY_POLLING).toBe(toAmountMin);
    expect(await held(stack.two, [user, VAULT])).toBe(0n);
    // LI.FI's status does not report a failed call; Across' chain and API do.
    const substatus = name === "lifi" ? "COMPLETED" : "PARTIAL";
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "delivered", substatus });
  });

  test.each(["USDT", "WETH"] as const)(
    "with fail_destination, makes calls over %s fail too",
    async (symbol) => {
      await set({ mode: "fail_destination" });
      const { one, two } = stack;
      const user = await newUser(stack);
      const amount = 10n ** (symbol === "WETH" ? 17n : 8n);
      await give(one, { user, symbol, amount });
      const call = intoVault(two, { vault: `Remote ${symbol}`, user, minIn: (amount * 97n) / 100n });
      const tokens = { fromToken: one.tokens[symbol], toToken: two.tokens[symbol] };
      const request = moveOf(one, two, { ...tokens, amount, user, call });
      const move = await opened[name].build(opened.scope, request);
      await approveAndSend(one, { move, request });
      await expect.poll(() => held(two, [user, symbol]), DELIVERY_POLLING).toBe(move.toAmountMin);
      expect(await held(two, [user, `Remote ${symbol}`])).toBe(0n);
    },
  );

  test("with refund, refunds on the source chain", async () => {
    await set({ mode: "refund" });
    const { user, status } = await sendMove(name, { minIn: percent(97n) });
    const fee = name === "lifi" ? AMOUNT / 400n : 0n;
    await expect.poll(() => held(stack.one, [user, "USDC"]), DELIVERY_POLLING).toBe(AMOUNT - fee);
    await expect
      .poll(status, DELIVERY_POLLING)
      .toMatchObject({ phase: "refunded", refundTxHash: expect.stringMatching(/^0x/) });
    expect(await held(stack.two, [user, "USDC"])).toBe(0n);
  });

  test("with expire, withholds the refund until the mode changes", async () => {
    await set({ mode: "expire" });
    const { user, status } = await sendMove(name, null);
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "refunding" });
    expect(await held(stack.one, [user, "USDC"])).toBe(0n);
    await clearFaults(stack.hub[name]);
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "refunded" });
    expect(await held(stack.two, [user, "USDC"])).toBe(0n);
  });

  test("with stall, holds transfers until the mode changes, and only those of its service", async () => {
    await set({ mode: "stall" });
    const stuck = await sendMove(name, null);
    const fine = await sendMove(other, null);
    await expect.poll(fine.status, DELIVERY_POLLING).toMatchObject({ phase: "delivered" });
    expect(await stuck.status()).toMatchObject({ phase: "bridging" });
    await clearFaults(stack.hub[name]);
    await expect.poll(stuck.status, DELIVERY_POLLING).toMatchObject({ phase: "delivered" });
    expect(await held(stack.two, [stuck.user, "USDC"])).toBe(stuck.toAmountMin);
  });
});

describe("relayer of LI.FI with underdeliver", () => {
  test("delivers less by one unit or a share, and the deposit succeeds", async () => {
    for (const relayer of [{ underdeliver: "1" }, { underdeliver_bps: 100 }]) {
      await relayerOf(stack.hub.lifi, { mode: "underdeliver", ...relayer });
      const { user, status } = await sendMove("lifi", { minIn: percent(97n) });
      await expect.poll(() => held(stack.two, [user, VAULT]), DELIVERY_POLLING).toBeGreaterThan(0n);
      await expect.poll(status, DELIVERY_POLLING).toMatchObject({ phase: "delivered" });
      expect(await held(stack.two, [user, "USDC"])).toBe(0n);
    }
    await relayerOf(stack.hub.lifi, { mode: "underdeliver", underdeliver: "7" });
    const { user, toAmountMin } = await sendMove("lifi", null);
    await expect.poll(() => held(stack.two, [user, "USDC"]), DELIVERY_POLLING).toBe(toAmountMin - 7n);
  });

  test("delivers the token to the user when the amount is too small for the deposit", async () => {
    await relayerOf(stack.hub.lifi, { mode: "underdeliver", underdeliver_bps: 500 });
    const { user } = await sendMove("lifi", { minIn: percent(97n) });
    await expect.poll(() => held(stack.two, [user, "USDC"]), DELIVERY_POLLING).toBeGreaterThan(percent(94n));
    expect(await held(stack.two, [user, VAULT])).toBe(0n);
  });
});

describe("relayer of Across with underdeliver", () => {
  test("delivers the exact amount, as /__control explains", async () => {
    const relayer = { mode: "underdeliver", underdeliver: "7" };
    const { body } = await control(stack.hub.across, { relayer });
    expect(body).toMatchObject({ relayer, note: expect.stringContaining("signature") });
    const { user, toAmountMin, status } = await sendMove("across", null);
    await expect.poll(status, DELIVERY_POLLING).toMatchObject({ amountReceived: toAmountMin });
    expect(await held(stack.two, [user, "USDC"])).toBe(toAmountMin);
  });
});

describe("relayer after a reorg", () => {
  test("forgets the reorged deposits and delivers new ones", async () => {
    await relayerOf(stack.hub.across, { mode: "stall" });
    const snapshot = await rpc(stack.one.url, "evm_snapshot");
    const gone = await sendMove("across", null);
    await expect.poll(gone.status, DELIVERY_POLLING).toMatchObject({ phase: "bridging" });
    await rpc(stack.one.url, "evm_revert", snapshot);
    await expect.poll(gone.status, DELIVERY_POLLING).toMatchObject({ phase: "unknown" });
    const known = () => fetch(`${stack.hub.across}/api/deposit/status?depositTxnRef=${gone.txHash}`);
    await expect.poll(async () => (await known()).status, DELIVERY_POLLING).toBe(404);
    await clearFaults(stack.hub.across);
    const next = await sendMove("across", null);
    await expect.poll(next.status, DELIVERY_POLLING).toMatchObject({ phase: "delivered" });
    expect(await held(stack.two, [gone.user, "USDC"])).toBe(0n);
  });
});
