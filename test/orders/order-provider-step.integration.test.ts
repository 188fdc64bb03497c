import {
  type Address,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  numberToHex,
  pad,
  parseEther,
  size,
  zeroAddress,
  zeroHash,
} from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import { metaAggregationRouterCreationCode } from "#stand-ins/kyber";
import { diamondAbi, diamondCreationCode, exchangeAbi, exchangeCreationCode } from "#stand-ins/lifi";
import { stackTokenAbi, stackTokenCreationCode } from "#stand-ins/standard";
import {
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../scripts/stack/chains/scratch-chain.ts";
import { providerStep } from "../../src/orders/order-provider-step.ts";
import { decodeKyberSwap, kyberReceiverOffset } from "../../src/providers/kyber/kyber-calldata.ts";
import type { RouterStepUse } from "../../src/providers/provider.ts";
import { deployTransaction, depositRouterAddress } from "../../src/router/router-address.ts";
import { encodeRouterCall } from "../../src/router/router-codec.ts";
import { encodeFields, honestFields, swapRequest } from "../support/kyber/stage.ts";

const PAID = parseEther("100");
/** What the route leaves of the token between its two swaps. */
const LEFT = parseEther("3");
const user: Address = "0x00000000000000000000000000000000000a11ce";

let chain: ScratchChain;
/** Tokens of one price: the one paid, the one between two swaps, and the one bought. */
let paid: Address;
let between: Address;
let bought: Address;
let exchange: Address;

const tokenNamed = (name: string) =>
  deploy(
    chain,
    encodeDeployData({ abi: stackTokenAbi, bytecode: stackTokenCreationCode, args: [name, name, 18] }),
  );
const mint = (to: Address, amount: bigint): Hex =>
  encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [to, amount] });
const held = (token: Address, owner: Address): Promise<bigint> =>
  chain.node.readContract({ abi: erc20Abi, address: token, functionName: "balanceOf", args: [owner] });

beforeAll(async () => {
  chain = await startScratchChain();
  await send(chain, deployTransaction());
  await chain.node.setBalance({ address: user, value: parseEther("10") });
  [paid, between, bought] = [
    await tokenNamed("PAID"),
    await tokenNamed("BETWEEN"),
    await tokenNamed("BOUGHT"),
  ];
  const listings = [paid, between, bought].map((token) => ({ token, decimals: 18, price: 10n ** 8n }));
  exchange = await deploy(
    chain,
    encodeDeployData({ abi: exchangeAbi, bytecode: exchangeCreationCode, args: [listings] }),
  );
  for (const token of [between, bought]) await send(chain, { to: token, data: mint(exchange, PAID * 100n) });
});
afterAll(() => chain?.stop());

/** A provider's contract, its calldata, and how a step contains it. */
interface Route {
  target: Address;
  data: Hex;
  asStep: RouterStepUse;
  least: bigint;
}

/** Sends the order of a swap for the user. With `direct`, its step is the provider's calldata as it is. */
async function swapOnce({ target, data, asStep, least }: Route, direct = false): Promise<void> {
  await send(chain, { to: paid, data: mint(user, PAID) });
  const args = [depositRouterAddress, PAID] as const;
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args });
  await send(chain, { from: user, to: paid, data: approval });
  const route = { transaction: { to: target, data, value: 0n }, spender: null };
  const step = providerStep(paid, { route, asStep, amount: PAID });
  const { timestamp } = await chain.node.getBlock();
  const order = {
    ...{ tokenIn: paid, amountIn: PAID, minIn: PAID, nativeFee: 0n, tokenOut: bought, receiver: user },
    ...{ minOut: least, minOutPerIn: 0n, deadline: timestamp + 600n, direct, refundTo: user },
    ...{ ref: zeroHash, partnerId: zeroHash, partnerType: 0 },
  };
  const steps = [direct ? { ...step, patches: [] } : step];
  const call = encodeRouterCall({ order, steps, sweep: asStep.leftovers });
  // A failed estimate would hide the reason of the revert.
  await send(chain, { from: user, to: depositRouterAddress, data: call, gas: 5_000_000n });
}

/** Returns code that answers every call with an address. */
const answering = (address: Address): Hex => concatHex(["0x73", address, "0x60005260206000f3"]);

/** Deploys LI.FI's contract with the exchange allowed; no bridge works. */
async function lifiDiamond(): Promise<Address> {
  const named: Address = "0x00000000000000000000000000000000000000b1";
  await chain.node.setCode({ address: named, bytecode: answering(named) });
  const diamond = await deploy(
    chain,
    encodeDeployData({ abi: diamondAbi, bytecode: diamondCreationCode, args: [named, named, named] }),
  );
  const selector = encodeFunctionData({
    ...{ abi: exchangeAbi, functionName: "swap" },
    args: [paid, between, 0n, 0n, diamond],
  }).slice(0, 10) as Hex;
  const data = encodeFunctionData({
    ...{ abi: diamondAbi, functionName: "setContractSelectorWhitelist" },
    args: [exchange, selector, true],
  });
  await send(chain, { to: diamond, data });
  return diamond;
}

/** Returns LI.FI's calldata of two swaps, of which the second takes less than the first brings. */
function leakingRoute(diamond: Address): Hex {
  const hop = (from: Address, to: Address, amount: bigint) => ({
    ...{ callTo: exchange, approveTo: exchange, sendingAssetId: from, receivingAssetId: to },
    ...{ fromAmount: amount, requiresDeposit: from === paid },
    callData: encodeFunctionData({
      ...{ abi: exchangeAbi, functionName: "swap" },
      args: [from, to, amount, 0n, diamond],
    }),
  });
  const first = (PAID * 9_990n) / 10_000n;
  const swaps = [hop(paid, between, PAID), hop(between, bought, first - LEFT)];
  const args = [zeroHash, "causeway", "", user, 1n, swaps] as const;
  return encodeFunctionData({ abi: diamondAbi, functionName: "swapTokensMultipleV3ERC20ToERC20", args });
}

test("what LI.FI's swaps leave of the token between them reaches the user", async () => {
  const target = await lifiDiamond();
  const data = leakingRoute(target);
  await swapOnce({ target, data, asStep: { receiverOffset: 100, leftovers: [between] }, least: 1n });
  expect(await held(between, user)).toBe(LEFT);
  expect(await held(bought, user)).toBeGreaterThan(0n);
  // Without the sweep it stays in the executor, which nobody can use again.
  await swapOnce({ target, data, asStep: { receiverOffset: 100, leftovers: [] }, least: 1n });
  expect(await held(between, user)).toBe(LEFT);
});

/**
 * Returns the code of an executor that keeps its input and makes a call that anybody may make: one that pays the user
 * what is owed anyway.
 */
function keeping(target: Address, data: Hex): Hex {
  const length = numberToHex(size(data), { size: 1 });
  // CODECOPY of the call's data, which follows these 41 bytes, CALL of the target with it, STOP.
  const copy = concatHex(["0x60", length, "0x60", "0x29", "0x600039"]);
  const call = concatHex(["0x6000600060", length, "0x6000600073", target, "0x5af100"]);
  return concatHex([pad(concatHex([copy, call]), { dir: "right", size: 41 }), data]);
}

test("a KyberSwap executor that keeps the input cannot pass off a debt to the user as its output", async () => {
  const target = await deploy(chain, metaAggregationRouterCreationCode);
  const executor: Address = "0x00000000000000000000000000000000000000e1";
  const owed = PAID;
  await chain.node.setCode({ address: executor, bytecode: keeping(bought, mint(user, owed)) });
  const request = swapRequest({ fromToken: paid, toToken: bought, amount: PAID, user });
  const data = encodeFields(
    honestFields(request, {
      executor,
      srcReceivers: [executor],
      minReturnAmount: owed,
      approveTarget: zeroAddress,
    }),
  );
  const swap = decodeKyberSwap(data);
  if (swap === null) throw new Error("no swap");
  const route: Route = {
    ...{ target, data, least: owed },
    asStep: { receiverOffset: kyberReceiverOffset(swap), leftovers: [] },
  };
  await expect(swapOnce(route)).rejects.toThrow("reverted");
  expect(await held(paid, executor)).toBe(0n);
  // With the user as receiver, the Router would count the debt.
  await swapOnce(route, true);
  expect(await held(paid, executor)).toBe(PAID);
});
