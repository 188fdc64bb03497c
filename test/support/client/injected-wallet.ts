import {
  createWalletClient,
  type Hex,
  hexToBigInt,
  hexToNumber,
  http,
  numberToHex,
  type RpcTransactionRequest,
} from "viem";
import type { PrivateKeyAccount } from "viem/accounts";
import { rpc } from "../../../scripts/stack/chains/json-rpc.ts";

/** A wallet as browsers inject it (EIP-1193), connected to the nodes of several chains. */
export interface InjectedWallet {
  request(request: { method: string; params?: unknown }): Promise<unknown>;
  /** Methods that were called, in order. */
  readonly asked: string[];
  chainId: number;
  /** Makes the next call of a method fail with an error code. */
  refuse(method: string, code: number): void;
}

/** Batching behaviour of a wallet: not supported, atomic, or announced but rejected. */
export type Batching = "none" | "atomic" | "refuses";

type SentBatch = { calls: Partial<RpcTransactionRequest>[]; id?: string };
type Handler = (params: readonly unknown[]) => Promise<unknown>;

/**
 * Creates a wallet with one account. The calls of a batch are sent one after the other, which has the same effect while
 * no other account sends transactions.
 */
export function injectWallet(options: {
  account: PrivateKeyAccount;
  nodes: Readonly<Record<number, string>>;
  chainId: number;
  batching?: Batching;
}): InjectedWallet {
  const { account, nodes, batching = "none" } = options;
  const refusals = new Map<string, number>();
  const batches = new Map<string, Hex[]>();
  const node = (): string => nodes[wallet.chainId] ?? "";
  const send = async (call: Partial<RpcTransactionRequest>): Promise<Hex> => {
    const signer = createWalletClient({ account, transport: http(node()) });
    const { to, data, value, gas } = call;
    return signer.sendTransaction({
      account,
      chain: null,
      ...(to ? { to } : {}),
      ...(data ? { data } : {}),
      ...(value ? { value: hexToBigInt(value) } : {}),
      ...(gas ? { gas: hexToBigInt(gas) } : {}),
    });
  };
  const handlers: Record<string, Handler> = {
    eth_requestAccounts: async () => [account.address],
    eth_accounts: async () => [account.address],
    eth_chainId: async () => numberToHex(wallet.chainId),
    wallet_switchEthereumChain: async ([target]) => {
      const { chainId } = target as { chainId: Hex };
      if (nodes[hexToNumber(chainId)] === undefined) throw failureOf(4902);
      wallet.chainId = hexToNumber(chainId);
      return null;
    },
    eth_sendTransaction: async ([call]) => send(call as RpcTransactionRequest),
    personal_sign: async ([message]) => account.signMessage({ message: { raw: message as Hex } }),
    eth_signTypedData_v4: async ([, message]) => account.signTypedData(JSON.parse(String(message))),
    wallet_getCapabilities: async () => {
      if (batching === "none") throw failureOf(4200);
      return { [numberToHex(wallet.chainId)]: { atomic: { status: "supported" } } };
    },
    wallet_sendCalls: async ([batch]) => {
      if (batching !== "atomic") throw failureOf(5740);
      const { calls, id = numberToHex(batches.size + 1, { size: 32 }) } = batch as SentBatch;
      if (batches.has(id)) throw failureOf(5720);
      const hashes: Hex[] = [];
      for (const call of calls) {
        const hash = await send(call);
        await included(node(), hash);
        hashes.push(hash);
      }
      batches.set(id, hashes);
      return { id };
    },
    wallet_getCallsStatus: async ([id]) => {
      const hashes = batches.get(String(id));
      if (hashes === undefined) throw failureOf(5730);
      const receipts = await Promise.all(
        hashes.map((hash) => rpc(node(), "eth_getTransactionReceipt", hash)),
      );
      const chainId = numberToHex(wallet.chainId);
      return { id, version: "2.0.0", chainId, status: 200, atomic: true, receipts };
    },
  };
  const wallet: InjectedWallet = {
    asked: [],
    chainId: options.chainId,
    refuse: (method, code) => void refusals.set(method, code),
    async request({ method, params = [] }) {
      wallet.asked.push(method);
      const code = refusals.get(method);
      refusals.delete(method);
      if (code !== undefined) throw failureOf(code);
      const list = params as readonly unknown[];
      return handlers[method]?.(list) ?? rpc(node(), method, ...list);
    },
  };
  return wallet;
}

async function included(url: string, hash: Hex): Promise<void> {
  while ((await rpc(url, "eth_getTransactionReceipt", hash)) === null)
    await new Promise((resolve) => setTimeout(resolve, 20));
}

const failureOf = (code: number): Error => Object.assign(new Error(`refused with ${code}`), { code });
