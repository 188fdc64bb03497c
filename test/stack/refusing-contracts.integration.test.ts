import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diamondAbi, erc20ProxyAbi, executorAbi, receiverAcrossAbi } from "#stand-ins/lifi";
import type { DeployedChain } from "../../scripts/stack/chains/deploy-chain.ts";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";
import { approve, type BridgedStack, give, newUser, startBridged } from "../support/stack/bridged.ts";

const handlerAbi = parseAbi([
  "struct Call { address target; bytes callData; uint256 value; }",
  "function attemptCalls(Call[] calls)",
  "function drainLeftoverTokens(address token, address destination)",
  "error NotSelf()",
]);
let stack: BridgedStack;
let one: DeployedChain;
let user: Address;
beforeAll(async () => {
  stack = await startBridged();
  one = stack.one;
  user = await newUser(stack);
  await give(one, { user, symbol: "USDC", amount: 100n });
  await approve(one, { user, token: one.tokens.USDC, spender: one.bridging.diamond, amount: 100n });
});
afterAll(() => stack.close());

const errors = [...diamondAbi, ...handlerAbi].filter((item) => item.type === "error");
const names = new Map(
  errors.map((item) => [toFunctionSelector({ ...item, type: "function" } as never), item.name]),
);

/** Returns the name of the error that a call reverts with; anvil's message holds the selector. */
async function refusal(to: Address, data: Hex): Promise<string> {
  const call = rpc(one.url, "eth_call", { from: user, to, data }, "latest");
  const problem = await call.then(
    () => "it passes",
    (error: Error) => error.message,
  );
  const selector = /0x[0-9a-f]{8}/.exec(problem)?.[0] as Hex | undefined;
  return (selector === undefined ? undefined : names.get(selector)) ?? problem;
}

const transfer = (to: Address) =>
  encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, 100n] });

/** A swap step that spends the user's 100 units with any call. */
const stepTo = (callTo: Address, callData: Hex) => ({
  callTo,
  approveTo: callTo,
  sendingAssetId: one.tokens.USDC,
  receivingAssetId: one.tokens.USDT,
  fromAmount: 100n,
  callData,
  requiresDeposit: true,
});

describe("stand-ins for LI.FI's contracts", () => {
  const swap = (callTo: Address, callData: Hex, receiver = user) =>
    encodeFunctionData({
      abi: diamondAbi,
      functionName: "swapTokensSingleV3ERC20ToERC20",
      args: [zeroHash, "", "", receiver, 1n, stepTo(callTo, callData)],
    });

  test("the Diamond rejects calls that are not allowed and a zero receiver", async () => {
    const { diamond, exchange } = one.bridging;
    const steal = swap(one.tokens.USDC, transfer(user));
    expect(await refusal(diamond, steal)).toBe("ContractCallNotAllowed");
    expect(await refusal(diamond, swap(exchange, "0x12345678"))).toBe("ContractCallNotAllowed");
    expect(await refusal(diamond, swap(exchange, "0x12345678", zeroAddress))).toBe("InvalidReceiver");
  });

  test("the Diamond rejects contradictory bridge data", async () => {
    const bridgeData = {
      transactionId: zeroHash,
      bridge: "across",
      integrator: "",
      referrer: zeroAddress,
      sendingAssetId: one.tokens.USDC,
      receiver: user,
      minAmount: 100n,
      destinationChainId: 31338n,
      hasSourceSwaps: false,
      hasDestinationCall: false,
    };
    const acrossData = {
      receiverAddress: zeroHash,
      refundAddress: zeroHash,
      sendingAssetId: zeroHash,
      receivingAssetId: zeroHash,
      outputAmount: 1n,
      outputAmountMultiplier: 0n,
      exclusiveRelayer: zeroHash,
      quoteTimestamp: 0,
      fillDeadline: 0,
      exclusivityParameter: 0,
      message: "0x" as Hex,
    };
    const start = (changes: Partial<typeof bridgeData>) => {
      const args = [{ ...bridgeData, ...changes }, acrossData] as const;
      const data = encodeFunctionData({
        abi: diamondAbi,
        functionName: "startBridgeTokensViaAcrossV4",
        args,
      });
      return refusal(one.bridging.diamond, data);
    };
    expect(await start({})).toBe("InvalidReceiver");
    expect(await start({ hasSourceSwaps: true })).toBe("InformationMismatch");
    expect(await start({ hasDestinationCall: true })).toBe("InformationMismatch");
    expect(await start({ destinationChainId: 31337n })).toBe("CannotBridgeToSameNetwork");
    expect(await start({ minAmount: 0n })).toBe("InvalidAmount");
  });

  test("the ERC20Proxy and the Receiver reject unauthorized callers", async () => {
    const { erc20Proxy, receiverAcross, executor } = one.bridging;
    const move = encodeFunctionData({
      abi: erc20ProxyAbi,
      functionName: "transferFrom",
      args: [one.tokens.USDC, user, user, 1n],
    });
    const deliver = encodeFunctionData({
      abi: receiverAcrossAbi,
      functionName: "handleV3AcrossMessage",
      args: [one.tokens.USDC, 1n, user, "0x"],
    });
    const throughExecutor = encodeFunctionData({
      abi: executorAbi,
      functionName: "swapAndExecute",
      args: [zeroHash, [stepTo(erc20Proxy, move)], zeroAddress, user, 0n],
    });
    expect(await refusal(erc20Proxy, move)).toBe("UnAuthorized");
    expect(await refusal(receiverAcross, deliver)).toBe("UnAuthorized");
    expect(await refusal(executor, throughExecutor)).toBe("UnAuthorized");
  });
});

describe("stand-in for Across' handler", () => {
  test("rejects direct calls", async () => {
    const abi = handlerAbi;
    const attempt = encodeFunctionData({ abi, functionName: "attemptCalls", args: [[]] });
    const args = [one.tokens.USDC, user] as const;
    const drain = encodeFunctionData({ abi, functionName: "drainLeftoverTokens", args });
    for (const data of [attempt, drain])
      expect(await refusal(one.bridging.multicallHandler, data)).toBe("NotSelf");
  });
});
