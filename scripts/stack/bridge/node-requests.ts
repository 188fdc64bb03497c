import { type Address, encodeFunctionData, erc20Abi, type Hex, zeroAddress } from "viem";
import { z } from "zod";
import { rpc } from "../chains/json-rpc.ts";

const HexText = z.string().transform((text) => text as Hex);
const Quantity = z.string().transform(BigInt);
const Block = z.object({ hash: HexText, number: Quantity, timestamp: Quantity.transform(Number) });
const Log = z.object({
  address: HexText,
  topics: z.array(HexText),
  data: HexText,
  logIndex: Quantity.transform(Number),
  blockNumber: Quantity,
  transactionHash: HexText,
});
/** A log as the node returns it, parsed. */
export type NodeLog = z.infer<typeof Log>;
const Receipt = z.object({
  status: z.string().transform((status) => status === "0x1"),
  transactionHash: HexText,
  blockNumber: Quantity,
  from: HexText,
  gasUsed: Quantity,
  effectiveGasPrice: Quantity,
  logs: z.array(Log),
});
/** A transaction receipt, parsed; `status` is true if it succeeded. */
export type NodeReceipt = z.infer<typeof Receipt>;
const Transaction = z.object({
  from: HexText,
  to: HexText.nullable(),
  input: HexText,
  value: Quantity,
});
/** A transaction, parsed. */
export type NodeTransaction = z.infer<typeof Transaction>;

/** Returns the head block's hash, number and timestamp in unix seconds. */
export async function headOf(url: string): Promise<z.infer<typeof Block>> {
  return Block.parse(await rpc(url, "eth_getBlockByNumber", "latest", false));
}

/** Returns a block's timestamp in unix seconds. */
export async function timeOfBlock(url: string, number: bigint): Promise<number> {
  return Block.parse(await rpc(url, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)).timestamp;
}

/** Returns the logs that match a filter of `eth_getLogs`. */
export async function logsOf(url: string, filter: Record<string, unknown>): Promise<NodeLog[]> {
  return z.array(Log).parse(await rpc(url, "eth_getLogs", filter));
}

/** Returns a transaction's receipt; null until it is mined. */
export async function receiptOf(url: string, hash: Hex): Promise<NodeReceipt | null> {
  return Receipt.nullable().parse(await rpc(url, "eth_getTransactionReceipt", hash));
}

/** Returns a transaction; null when the node does not know it. */
export async function transactionOf(url: string, hash: Hex): Promise<NodeTransaction | null> {
  return Transaction.nullable().parse(await rpc(url, "eth_getTransactionByHash", hash));
}

/** Returns true when an address has code. */
export async function hasCode(url: string, address: Address): Promise<boolean> {
  return (await rpc(url, "eth_getCode", address, "latest")) !== "0x";
}

/** Returns an account's balance of a token in smallest units; the zero address stands for the native currency. */
export async function balanceOf(url: string, of: { token: Address; owner: Address }): Promise<bigint> {
  if (of.token === zeroAddress) return Quantity.parse(await rpc(url, "eth_getBalance", of.owner, "latest"));
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [of.owner] });
  return Quantity.parse(await rpc(url, "eth_call", { to: of.token, data }, "latest"));
}
