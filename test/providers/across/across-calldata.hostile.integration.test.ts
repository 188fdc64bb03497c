import {
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbi,
} from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { publishedCode } from "../../../scripts/stack/chains/published-code.ts";
import { deploy, send } from "../../../scripts/stack/chains/scratch-chain.ts";
import { handlerAbi, instructionsParameters } from "../../../src/providers/across/across-abi.ts";
import { decodeInstructions } from "../../../src/providers/across/across-calldata.ts";
import { relayHash } from "../../../src/providers/across/tracking/across-deposit-tracking.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { fillTransaction, mint, RELAYER } from "../../support/across/bridge.ts";
import { deliverTransfer, follow, startWorld, type World } from "../../support/across/journey.ts";
import {
  allowanceOfHandler,
  DELIVERED,
  expectNothingLeft,
  held,
  sendTransferInto,
  shares,
} from "../../support/across/ledger.ts";

interface SimulatedBlock {
  calls: { status: Hex; logs: { topics: Hex[] }[] }[];
}
const messageAbi = parseAbi([
  "function handleV3AcrossMessage(address token, uint256 amount, address relayer, bytes message)",
]);
const [callsFailed] = encodeEventTopics({ abi: handlerAbi(), eventName: "CallsFailed" });

function outcomeOf([block]: readonly SimulatedBlock[]): string {
  const [call] = block?.calls ?? [];
  if (call?.status !== "0x1") return "reverted";
  return call.logs.some(({ topics }) => topics[0] === callsFailed) ? "paid out" : "deposited";
}

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

test("a deposit includes tokens that someone left in the multicall handler", async () => {
  const token = world.target.tokens.USDC;
  await mint(world.target.chain, { token, to: world.target.deployment.multicallHandler, amount: 7n });
  const before = await shares(world, "USDC");
  const { deposited } = await sendTransferInto(world, { symbol: "USDC" });
  await deliverTransfer(world, deposited);
  expect((await shares(world, "USDC")) - before).toBe(DELIVERED + 7n);
  await expectNothingLeft(world, "USDC");
});

describe("a USDT allowance that an attacker made the handler leave to the Router", () => {
  const poison = async () => {
    const args = [depositRouterAddress, 1n] as const;
    const callData = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
    const calls = [{ target: world.target.tokens.USDT, callData, value: 0n }];
    await handle({ calls, fallbackRecipient: RELAYER });
    expect(await allowanceOfHandler(world, "USDT")).toBe(1n);
  };
  const handle = (instructions: ReturnType<typeof decodeInstructions>) => {
    const message = encodeAbiParameters(instructionsParameters, [instructions]);
    const args = [world.target.tokens.USDT, 0n, RELAYER, message] as const;
    return send(world.target.chain, {
      from: RELAYER,
      to: world.target.deployment.multicallHandler,
      data: encodeFunctionData({ abi: messageAbi, args }),
    });
  };

  test("does not block a deposit", async () => {
    await poison();
    const before = await shares(world, "USDT");
    await deliverTransfer(world, (await sendTransferInto(world, { symbol: "USDT" })).deposited);
    expect((await shares(world, "USDT")) - before).toBe(DELIVERED);
    await expectNothingLeft(world, "USDT");
  });

  test("would block a deposit that does not clear the allowance first", async () => {
    await poison();
    const { deposited } = await sendTransferInto(world, { symbol: "USDT" });
    const { calls, fallbackRecipient } = decodeInstructions(deposited.message);
    const before = [await shares(world, "USDT"), await held(world, "USDT")] as const;
    await mint(world.target.chain, {
      token: world.target.tokens.USDT,
      to: world.target.deployment.multicallHandler,
      amount: DELIVERED,
    });
    await handle({ calls: calls.slice(1), fallbackRecipient });
    expect([await shares(world, "USDT"), await held(world, "USDT")]).toEqual([
      before[0],
      before[1] + DELIVERED,
    ]);
  });
});

test("status() ignores a forged fill with the same deposit id", async () => {
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  await deliverTransfer(world, { ...deposited, outputAmount: 1n, message: "0x" });
  expect(await follow(world, txHash)).toMatchObject({ phase: "bridging", destinationTxHash: null });
  const fill = await deliverTransfer(world, deposited);
  expect(await follow(world, txHash)).toMatchObject({
    phase: "delivered",
    destinationTxHash: fill.transactionHash,
  });
});

test("status() stays COMPLETED when an attacker makes the handler fail after a delivery", async () => {
  const { chain, tokens, deployment } = world.target;
  const before = await shares(world, "USDC");
  const { txHash, deposited } = await sendTransferInto(world, { symbol: "USDC" });
  const batcher = await deploy(chain, publishedCode("multicall3"));
  await mint(chain, { token: tokens.USDC, to: batcher, amount: DELIVERED });
  const approveArgs = [deployment.spokePool, DELIVERED] as const;
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: approveArgs });
  const handlerArgs = [tokens.USDC, 0n, RELAYER, deposited.message] as const;
  const again = encodeFunctionData({ abi: messageAbi, args: handlerArgs });
  const calls = [
    [tokens.USDC, approval],
    [deployment.spokePool, fillTransaction(deposited, deployment.spokePool).data],
    [deployment.multicallHandler, again],
  ] as const;
  const args = [calls.map(([target, callData]) => ({ target, allowFailure: false, callData }))] as const;
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args });
  const { logs } = await send(chain, { from: RELAYER, to: batcher, data });
  expect(logs.some(({ topics }) => topics[0] === callsFailed)).toBe(true);
  expect((await shares(world, "USDC")) - before).toBe(DELIVERED);
  const told = { phase: "delivered", substatus: null, amountReceived: DELIVERED };
  expect(await follow(world, txHash)).toMatchObject(told);
});

test("relayHash() is the key of the SpokePool's fill status", async () => {
  const { deposited } = await sendTransferInto(world, { symbol: "USDC" });
  const abi = parseAbi([
    "struct RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }",
    "function getV3RelayHash(RelayData relay) view returns (bytes32)",
  ]);
  const relay = { ...deposited, originChainId: BigInt(deposited.originChainId) };
  const address = world.target.deployment.spokePool;
  const theirs = await world.target.chain.node.readContract({
    address,
    abi,
    functionName: "getV3RelayHash",
    args: [relay],
  });
  expect(relayHash(deposited)).toBe(theirs);
});

test("a relayer that supplies too little gas cannot turn the deposit into a payout", async () => {
  const { deposited } = await sendTransferInto(world, { symbol: "USDC" });
  const { from, to, data } = fillTransaction(deposited, world.target.deployment.spokePool);
  const outcomes = new Set<string>();
  for (let gas = 150_000; gas <= 500_000; gas += 2_500) {
    const calls = [{ from, to, data, gas: numberToHex(gas) }];
    const params = [{ blockStateCalls: [{ calls }] }, "latest"] as const;
    const answer = await world.target.client.request("eth_simulateV1", params);
    outcomes.add(outcomeOf(answer as SimulatedBlock[]));
  }
  expect([...outcomes].sort()).toEqual(["deposited", "reverted"]);
});
