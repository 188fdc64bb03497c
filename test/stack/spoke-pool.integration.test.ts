import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  getAbiItem,
  type Hex,
  keccak256,
  pad,
  parseEventLogs,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bridgeChainsOf } from "../../scripts/stack/bridge/bridge-chains.ts";
import { headOf } from "../../scripts/stack/bridge/node-requests.ts";
import { spokePoolOperatorAbi } from "../../scripts/stack/bridge/spoke-pool-abi.ts";
import { advanceTime } from "../../scripts/stack/chains/anvil.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { asLog } from "../../scripts/stack/relayer/as-log.ts";
import { refund } from "../../scripts/stack/relayer/refund.ts";
import { depositAbi, spokePoolAbi } from "../../src/providers/across/across-abi.ts";
import {
  approve,
  type BridgedStack,
  DELIVERY_POLLING,
  give,
  held,
  newUser,
  relayerOf,
  send,
  startBridged,
  trySend,
} from "../support/stack/bridged.ts";
import { clearFaults } from "../support/stack/harness.ts";

const usd = (whole: bigint) => whole * 10n ** 6n;
let stack: BridgedStack;
let user: Address;

beforeAll(async () => {
  stack = await startBridged();
  user = await newUser(stack);
});
afterAll(() => stack.close());

describe("Across' SpokePool", () => {
  const deposit = async (changes: { quoteTimestamp?: number; fillDeadline?: number } = {}) => {
    const { one, two } = stack;
    const { timestamp } = await headOf(one.url);
    const owner = await newUser(stack);
    await give(one, { user: owner, symbol: "USDC", amount: usd(5n) });
    const { spokePool } = one.bridging;
    await approve(one, { user: owner, token: one.tokens.USDC, spender: spokePool, amount: usd(5n) });
    const { quoteTimestamp = timestamp, fillDeadline = timestamp + 3_600 } = changes;
    const parties = [pad(owner), pad(owner), pad(one.tokens.USDC), pad(two.tokens.USDC)] as const;
    const amounts = [usd(5n), usd(5n), 31338n] as const;
    const args = [...parties, ...amounts, zeroHash, quoteTimestamp, fillDeadline, 0, "0x"] as const;
    const data = encodeFunctionData({ abi: depositAbi(), functionName: "deposit", args });
    return { owner, call: { user: owner, to: spokePool, data } };
  };

  test("rejects a stale or future quote time, a distant deadline and value for an ERC-20 deposit", async () => {
    const { timestamp } = await headOf(stack.one.url);
    for (const changes of [
      { quoteTimestamp: timestamp - 3_700 },
      { quoteTimestamp: timestamp + 600 },
      { fillDeadline: timestamp + 22_000 },
    ])
      expect((await trySend(stack.one, (await deposit(changes)).call)).status).toBe(false);
    expect((await trySend(stack.one, { ...(await deposit()).call, value: 1n })).status).toBe(false);
  });

  test("is refunded by the relayer after the fill deadline", async () => {
    await relayerOf(stack.hub.across, { mode: "stall" });
    const { owner, call } = await deposit();
    await send(stack.one, call);
    const snapshot = await rpc(stack.two.url, "evm_snapshot");
    await advanceTime(stack.two.url, 4_000);
    await clearFaults(stack.hub.across);
    await expect.poll(() => held(stack.one, [owner, "USDC"]), DELIVERY_POLLING).toBe(usd(5n));
    await rpc(stack.two.url, "evm_revert", snapshot);
    expect(await held(stack.two, [owner, "USDC"])).toBe(0n);
  });

  test("rejects a second fill and a late fill", async () => {
    const { one, two } = stack;
    const { timestamp } = await headOf(two.url);
    const relay = {
      depositor: pad(user),
      recipient: pad(user),
      exclusiveRelayer: zeroHash,
      inputToken: pad(one.tokens.USDC),
      outputToken: pad(two.tokens.USDC),
      inputAmount: 1n,
      outputAmount: 1n,
      originChainId: 31337n,
      depositId: 10n ** 9n,
      fillDeadline: timestamp + 3_600,
      exclusivityDeadline: 0,
      message: "0x" as Hex,
    };
    await give(two, { user, symbol: "USDC", amount: 2n });
    const spender = two.bridging.spokePool;
    await approve(two, { user, token: two.tokens.USDC, spender, amount: 2n });
    const fill = (changes: Partial<typeof relay>) => {
      const args = [{ ...relay, ...changes }, 31337n, pad(user)] as const;
      const data = encodeFunctionData({ abi: spokePoolAbi(), functionName: "fillRelay", args });
      return trySend(two, { user, to: spender, data });
    };
    const late = await fill({ fillDeadline: timestamp - 1 });
    const outcomes = [late, await fill({}), await fill({})].map(({ status }) => status);
    expect(outcomes).toEqual([false, true, false]);
  });

  test("pays one refund per transfer, even when the relayer repeats it", async () => {
    await relayerOf(stack.hub.across, { mode: "stall" });
    const { owner, call } = await deposit();
    const { logs } = await send(stack.one, call);
    const eventName = "FundsDeposited";
    const [event] = parseEventLogs({ abi: spokePoolAbi(), eventName, logs: logs.map(asLog) });
    const origin = bridgeChainsOf([stack.one, stack.two]).get(31337);
    if (event === undefined || origin === undefined) throw new Error("nothing was deposited");
    const transfer = { originChainId: 31337, relay: { ...event.args, originChainId: 31337n } };
    const first = await refund(transfer, origin);
    expect(await refund(transfer, origin)).toEqual(first);
    expect(await held(stack.one, [owner, "USDC"])).toBe(usd(5n));
  });

  test("accepts refund bundles from its admin only, and pays each leaf once", async () => {
    const { one } = stack;
    const { spokePool, relayer: admin } = one.bridging;
    const owner = await newUser(stack);
    await give(one, { user: owner, symbol: "USDC", amount: 10n });
    const args = [spokePool, 10n] as const;
    const fund = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
    await send(one, { user: owner, to: one.tokens.USDC, data: fund });
    const leaf = {
      amountToReturn: 0n,
      chainId: 31337n,
      refundAmounts: [5n],
      leafId: 7_000,
      l2TokenAddress: one.tokens.USDC,
      refundAddresses: [owner],
    };
    const abi = spokePoolOperatorAbi;
    const [, leafType] = getAbiItem({ abi, name: "executeRelayerRefundLeaf" }).inputs;
    const root = keccak256(encodeAbiParameters([leafType], [leaf]));
    const bundle = encodeFunctionData({ abi, functionName: "relayRootBundle", args: [root, zeroHash] });
    const publish = (by: Address) => trySend(one, { user: by, to: spokePool, data: bundle });
    expect((await publish(user)).status).toBe(false);
    const { logs } = await publish(admin);
    const [published] = parseEventLogs({ abi, eventName: "RelayedRootBundle", logs: logs.map(asLog) });
    const execute = (changes: Partial<typeof leaf>) => {
      const args = [published?.args.rootBundleId ?? -1, { ...leaf, ...changes }, []] as const;
      const data = encodeFunctionData({ abi, functionName: "executeRelayerRefundLeaf", args });
      return trySend(one, { user, to: spokePool, data });
    };
    const outcomes = [await execute({ refundAmounts: [6n] }), await execute({}), await execute({})];
    expect(outcomes.map(({ status }) => status)).toEqual([false, true, false]);
    expect(await held(one, [owner, "USDC"])).toBe(5n);
  });
});
