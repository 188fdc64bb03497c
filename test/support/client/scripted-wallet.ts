import { createClient, custom } from "viem";
import { account } from "./fake-order.ts";

type Script = Readonly<Record<string, (params: readonly unknown[]) => unknown>>;

/**
 * Creates a wallet on chain 1 that answers by functions of its methods, and the list of methods that were called. Any
 * other method is not supported (EIP-1193 code 4200).
 */
export function scriptedWallet(script: Script) {
  const asked: string[] = [];
  const all: Script = { eth_chainId: () => "0x1", eth_accounts: () => [account.address], ...script };
  const request = async ({ method, params = [] }: { method: string; params?: unknown }) => {
    asked.push(method);
    const answer = all[method];
    if (answer === undefined) throw Object.assign(new Error(`no ${method}`), { code: 4200 });
    return answer(params as readonly unknown[]);
  };
  const transport = custom({ request }, { retryCount: 0 });
  return { wallet: createClient({ transport, pollingInterval: 5 }), asked };
}

/** Creates a storage that outlives an execution, as a page's does. */
export function pageStorage() {
  const kept = new Map<string, string>();
  return {
    kept,
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}
