import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  type Log,
  numberToHex,
  zeroAddress,
  zeroHash,
} from "viem";
import type { Receipt } from "../../../src/chains/chain-transaction.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { REF, USDC, USER, VAULT } from "./fixtures.ts";

/** Creates a log as `fetchTransaction` returns it. */
export function log(address: Address, topics: readonly unknown[], data: Hex): Log {
  return {
    address,
    topics: topics as Log["topics"],
    data,
    blockNumber: 100n,
    transactionHash: `0x${"ab".repeat(32)}`,
    logIndex: 0,
    blockHash: null,
    transactionIndex: null,
    removed: false,
  } as unknown as Log;
}

export const receiptOf = (...logs: Log[]): Receipt => ({
  blockNumber: 100n,
  succeeded: true,
  gasUsed: 1n,
  logs,
});

const deposited = {
  emitter: depositRouterAddress as Address,
  ref: REF,
  partnerId: zeroHash as Hex,
  receiver: USER,
  payer: USER,
  tokenIn: USDC,
  tokenOut: VAULT,
  amountIn: 100_000_000n,
  amountOut: 99_900_000_000_000_000_000n,
  partnerType: 0,
};

/** Creates the Router's `OrderExecuted` log of the fixture's deposit, with changes. */
export function executedLog(change: Partial<typeof deposited> = {}): Log {
  const { emitter, ref, partnerId, receiver, ...rest } = { ...deposited, ...change };
  const topics = encodeEventTopics({
    abi: depositRouterAbi,
    eventName: "OrderExecuted",
    args: { ref, partnerId, receiver },
  });
  const types = ["address", "address", "address", "uint256", "uint256", "uint8"].map((type) => ({ type }));
  const { payer, tokenIn, tokenOut, amountIn, amountOut, partnerType } = rest;
  const data = encodeAbiParameters(types, [payer, tokenIn, tokenOut, amountIn, amountOut, partnerType]);
  return log(emitter, topics, data);
}

/** Creates a token's `Transfer` log. By default it is a mint to the user. */
export function transferLog(
  change: { token?: Address; from?: Address; to?: Address; value?: bigint } = {},
): Log {
  const { token = VAULT, from = zeroAddress, to = USER, value = 99_900_000_000_000_000_000n } = change;
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: "Transfer", args: { from, to } });
  return log(token, topics, numberToHex(value, { size: 32 }));
}
