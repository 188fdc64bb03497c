import {
  type Address,
  encodeAbiParameters,
  encodeEventTopics,
  erc20Abi,
  type Hex,
  type Log,
  numberToHex,
  parseAbi,
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

const erc7540Abi = parseAbi([
  "event DepositRequest(address indexed controller, address indexed owner, uint256 indexed requestId, address sender, uint256 assets)",
  "event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
]);

/** Creates a vault's `DepositRequest` log (ERC-7540). By default the user is controller, owner and sender. */
export function depositRequestLog(of: { controller?: Address; requestId: bigint; assets: bigint }): Log {
  const { controller = USER, requestId, assets } = of;
  const args = { controller, owner: controller, requestId };
  const topics = encodeEventTopics({ abi: erc7540Abi, eventName: "DepositRequest", args });
  const data = encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [controller, assets]);
  return log(VAULT, topics, data);
}

/** Creates a vault's `Deposit` log (ERC-7540) of a claim, by default with the user as controller and receiver. */
export function depositClaimLog(of: { account?: Address; assets: bigint; shares: bigint }): Log {
  const { account = USER, assets, shares } = of;
  const args = { sender: account, owner: account };
  const topics = encodeEventTopics({ abi: erc7540Abi, eventName: "Deposit", args });
  const data = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [assets, shares]);
  return log(VAULT, topics, data);
}
