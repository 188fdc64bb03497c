import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex, pad, toHex } from "viem";
import { rpc, rpcBatch } from "../stack/chains/json-rpc.ts";
import type { StackChain } from "../stack/manifest.ts";

const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const MAX_FEE = numberToHex(10n ** 12n);
const WATCH_MS = 200;

interface WireTransaction {
  from: Hex;
  to: Hex | null;
  input: Hex;
  value: Hex;
  gas: Hex;
  nonce: Hex;
  maxFeePerGas?: Hex;
  maxPriorityFeePerGas?: Hex;
  hash: Hex;
}

/** A chain under load: it mines a block per second and signs for all accounts. */
export class LoadChain {
  readonly chain: StackChain;
  readonly #seenAt = new Map<number, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(chain: StackChain) {
    this.chain = chain;
  }

  /** Starts mining a block per second, and records when each is seen. */
  async start(): Promise<void> {
    await rpc(this.chain.rpc_url, "anvil_autoImpersonateAccount", true);
    await rpc(this.chain.rpc_url, "evm_setIntervalMining", 1);
    const watch = async () => {
      const head = Number(await rpc(this.chain.rpc_url, "eth_blockNumber").catch(() => 0));
      if (head > 0 && !this.#seenAt.has(head)) this.#seenAt.set(head, Date.now());
      if (this.#timer !== null) this.#timer = setTimeout(watch, WATCH_MS);
    };
    this.#timer = setTimeout(watch, 0);
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /**
   * Returns the time at which a block was first seen, in unix milliseconds. For a missed block, that of the next one
   * seen; null if none of 20 was.
   */
  seenAt(block: number): number | null {
    for (let at = block; at < block + 20; at += 1) {
      const seen = this.#seenAt.get(at);
      if (seen !== undefined) return seen;
    }
    return null;
  }

  async send(call: { from: Address; to: Address; data: Hex; value: string }): Promise<Hex> {
    const { from, to, data } = call;
    const fees = { gas: numberToHex(3_000_000), maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: "0x1" };
    const value = numberToHex(BigInt(call.value));
    return (await rpc(this.chain.rpc_url, "eth_sendTransaction", { from, to, data, value, ...fees })) as Hex;
  }

  /** Returns balances of a token by lowercase owner. */
  async balances(token: Address, owners: readonly Address[]): Promise<Map<string, bigint>> {
    const calls = owners.map((owner) => {
      const data = encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [owner] });
      return { method: "eth_call", params: [{ to: token, data }, "latest"] };
    });
    const answers = await rpcBatch(this.chain.rpc_url, calls);
    return new Map(owners.map((owner, at) => [owner.toLowerCase(), BigInt(answers[at] as Hex)]));
  }

  /** Returns the number of the block of the last mint of a token to each account, by lowercase account. */
  async mints(token: Address, fromBlock: number): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const head = Number(await rpc(this.chain.rpc_url, "eth_blockNumber"));
    for (let from = fromBlock; from <= head; from += 500) {
      const range = { fromBlock: toHex(from), toBlock: toHex(Math.min(head, from + 499)) };
      const topics = [TRANSFER, pad("0x00", { size: 32 })];
      const logs = (await rpc(this.chain.rpc_url, "eth_getLogs", { address: token, topics, ...range })) as {
        topics: Hex[];
        blockNumber: Hex;
      }[];
      for (const log of logs) found.set(`0x${log.topics[2]?.slice(26)}`, Number(log.blockNumber));
    }
    return found;
  }

  /** Returns true if a transaction is included in the chain and reverted. */
  async reverts(hash: Hex): Promise<boolean> {
    const receipt = await rpc(this.chain.rpc_url, "eth_getTransactionReceipt", hash);
    return (receipt as { status: Hex } | null)?.status === "0x0";
  }

  /**
   * Replaces the newest `depth` blocks. All their transactions are included again, in other blocks; returns their
   * number.
   */
  async reorg(depth: number): Promise<number> {
    const url = this.chain.rpc_url;
    const head = Number(await rpc(url, "eth_blockNumber"));
    const numbers = Array.from({ length: depth }, (_, at) => toHex(head - depth + 1 + at));
    const calls = numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, true] }));
    const blocks = (await rpcBatch(url, calls)) as { transactions: WireTransaction[] }[];
    const transactions = blocks.flatMap((block) => block.transactions);
    const pairs = transactions.map((transaction, at) => [
      asRequest(transaction, this.chain.chain_id),
      // In order, so that nonces fit, and not where they were.
      Math.min(depth - 1, Math.floor((at * depth) / transactions.length) + 1),
    ]);
    await rpc(url, "anvil_reorg", depth, pairs);
    return transactions.length;
  }
}

/** Converts a mined transaction to a request that results in the same hash. */
function asRequest(transaction: WireTransaction, chainId: number) {
  const { from, to, input, value, gas, nonce, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const fees = { maxFeePerGas, maxPriorityFeePerGas };
  return { from, to, input, value, gas, nonce, ...fees, type: "0x2", chainId: toHex(chainId) };
}
