import { type Address, getContractAddress, type Hex, numberToHex, size } from "viem";
import { z } from "zod";
import { rpc, rpcBatch } from "./json-rpc.ts";

const Receipt = z.object({ status: z.string() });
/** anvil's block gas limit. */
const BLOCK_GAS = 30_000_000n;
/** Maximum gas of a deployment, enough for the largest contract (MetaMorpho). */
const MAX_DEPLOY_GAS = 6_500_000;
const DEPLOY_GAS = 1_000_000;
const DEPLOY_GAS_PER_BYTE = 260;
/** Gas of a call, enough to deploy the DepositRouter through the factory. */
const CALL_GAS = numberToHex(3_600_000);

/** Fees that cover the base fee after full blocks. anvil drops a transaction that cannot pay it. */
const FEES = { maxFeePerGas: numberToHex(10n ** 12n), maxPriorityFeePerGas: "0x1" } as const;

interface Queued {
  label: string;
  transaction: {
    from: Address;
    to?: Address;
    data?: Hex;
    value?: Hex;
    gas: Hex;
    nonce: Hex;
    maxFeePerGas: Hex;
    maxPriorityFeePerGas: Hex;
  };
}

/**
 * Queues a deployment's transactions from one account until `flush` sends them. Addresses are known before anything is
 * sent, so many transactions are sent in one request.
 */
export class ChainScript {
  readonly url: string;
  readonly deployer: Address;
  #nonce = 0;
  #queue: Queued[] = [];

  constructor(url: string, deployer: Address) {
    this.url = url;
    this.deployer = deployer;
  }

  /** Impersonates and funds the deployer, which has no key. Until {@link close}, the chain mines on demand only. */
  static async open(url: string, deployer: Address): Promise<ChainScript> {
    await rpcBatch(url, [
      { method: "anvil_impersonateAccount", params: [deployer] },
      { method: "anvil_setBalance", params: [deployer, numberToHex(10n ** 26n)] },
      { method: "evm_setAutomine", params: [false] },
    ]);
    return new ChainScript(url, deployer);
  }

  async close(): Promise<void> {
    await rpc(this.url, "evm_setAutomine", true);
  }

  deploy(label: string, data: Hex): Address {
    const address = getContractAddress({ from: this.deployer, nonce: BigInt(this.#nonce) });
    const gas = Math.min(MAX_DEPLOY_GAS, DEPLOY_GAS + DEPLOY_GAS_PER_BYTE * size(data));
    this.#add(`deploy ${label}`, { data, gas: numberToHex(gas) });
    return address;
  }

  send(label: string, call: { to: Address; data?: Hex; value?: bigint }): void {
    const { to, data, value } = call;
    this.#add(label, {
      to,
      gas: CALL_GAS,
      ...(data === undefined ? {} : { data }),
      ...(value === undefined ? {} : { value: numberToHex(value) }),
    });
  }

  /** Sends and mines the queued transactions. Throws naming the first one that failed and its reason. */
  async flush(): Promise<void> {
    for (const block of inBlocks(this.#queue.splice(0))) await this.#mine(block);
  }

  async #mine(block: readonly Queued[]): Promise<void> {
    const send = block.map(({ transaction }) => ({ method: "eth_sendTransaction", params: [transaction] }));
    const hashes = await rpcBatch(this.url, send);
    await rpc(this.url, "evm_mine");
    const ask = hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] }));
    const receipts = z.array(Receipt.nullable()).parse(await rpcBatch(this.url, ask));
    for (const [index, queued] of block.entries()) {
      const status = receipts[index]?.status;
      if (status === undefined) throw new Error(`${queued.label} was not mined`);
      if (status !== "0x1") throw new Error(`${queued.label} reverted: ${await this.#reason(queued)}`);
    }
  }

  #add(label: string, transaction: Omit<Queued["transaction"], "from" | "nonce" | keyof typeof FEES>): void {
    const nonce = numberToHex(this.#nonce);
    this.#nonce += 1;
    this.#queue.push({ label, transaction: { from: this.deployer, nonce, ...FEES, ...transaction } });
  }

  async #reason({ transaction }: Queued): Promise<string> {
    const { nonce: _, ...call } = transaction;
    return rpc(this.url, "eth_call", call, "latest").then(
      () => "no reason: the call succeeds now",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }
}

/**
 * Splits the queue into blocks by gas: anvil drops the transactions after one that did not fit, because their nonces
 * are then too high.
 */
function inBlocks(queue: readonly Queued[]): Queued[][] {
  const blocks: Queued[][] = [];
  let left = 0n;
  for (const queued of queue) {
    const gas = BigInt(queued.transaction.gas);
    if (left < gas || blocks.length === 0) {
      blocks.push([]);
      left = BLOCK_GAS;
    }
    blocks.at(-1)?.push(queued);
    left -= gas;
  }
  return blocks;
}
