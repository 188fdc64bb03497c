import type { Page } from "playwright-core";
import { privateKeyToAccount } from "viem/accounts";
import { inject } from "vitest";
import { type Batching, injectWallet, type InjectedWallet as Wallet } from "../client/injected-wallet.ts";
import type { KeyedUser } from "../e2e/chain.ts";

/** Wallet methods that need the user's confirmation. */
const CONFIRMED = new Set([
  "eth_sendTransaction",
  "eth_signTypedData_v4",
  "personal_sign",
  "wallet_sendCalls",
  "wallet_switchEthereumChain",
]);

/** A wallet in a page, controlled by the test in place of a user. */
export interface PageWallet {
  /** Returns the methods that needed the user's confirmation, in order. */
  asked(): string[];
  /** Declines a future request of a method: the next one, or the one with this number, counted from 1. */
  decline(method: string, number?: number): void;
  /** Leaves the next request of a method unanswered until the returned function is called. */
  hold(method: string): () => void;
  /** Selects another account, as a user does in the wallet. */
  select(user: KeyedUser): Promise<void>;
}

type Call = { method: string; params?: readonly unknown[] };
type Answer = { result: unknown } | { error: { code: number; message: string } };

/**
 * Announces a wallet to the page by EIP-6963 before the page's scripts run. It signs in the test's process and sends to
 * the local chains.
 */
export async function announceWallet(
  page: Page,
  of: { user: KeyedUser; chainId: number; batching?: Batching },
): Promise<PageWallet> {
  const asked: string[] = [];
  let wallet = walletOf(of);
  let held: { method: string; answered: Promise<void> } | null = null;
  let declined: { method: string; left: number } | null = null;
  const declines = (method: string): boolean => {
    if (declined?.method !== method) return false;
    declined.left -= 1;
    if (declined.left > 0) return false;
    declined = null;
    return true;
  };
  const answer = async (call: Call): Promise<Answer> => {
    if (CONFIRMED.has(call.method)) asked.push(call.method);
    if (held?.method === call.method) await held.answered;
    if (declines(call.method)) return { error: { code: 4001, message: "User rejected the request." } };
    try {
      return { result: await wallet.request(call) };
    } catch (error) {
      const { code = -32603, message } = error as Error & { code?: number };
      return { error: { code, message } };
    }
  };
  await page.exposeFunction("testWalletRequest", answer);
  await page.addInitScript({ content: PROVIDER });
  return {
    asked: () => [...asked],
    decline(method, number = 1) {
      declined = { method, left: number };
    },
    hold(method) {
      let answer = (): void => {};
      const answered = new Promise<void>((resolve) => {
        answer = resolve;
      });
      held = { method, answered };
      return () => {
        held = null;
        answer();
      };
    },
    async select(user) {
      wallet = walletOf({ ...of, user, chainId: wallet.chainId });
      await page.evaluate(`testWallet.emit("accountsChanged", ["${user.address}"])`);
    },
  };
}

function walletOf(of: { user: KeyedUser; chainId: number; batching?: Batching }): Wallet {
  const nodes = Object.fromEntries(inject("stack").chains.map((chain) => [chain.chain_id, chain.rpc_url]));
  const { chainId, batching = "none" } = of;
  return injectWallet({ account: privateKeyToAccount(of.user.privateKey), nodes, chainId, batching });
}

/**
 * Source of the provider in the page. It forwards requests to the test's process and emits the events that the test
 * sends.
 */
const PROVIDER = `
  const listeners = new Map();
  const emit = (name, value) => { for (const listener of listeners.get(name) ?? []) listener(value); };
  const provider = {
    async request(call) {
      const answer = await window.testWalletRequest(call);
      if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code });
      if (call.method === "wallet_switchEthereumChain") emit("chainChanged", call.params[0].chainId);
      return answer.result;
    },
    on(name, listener) {
      listeners.set(name, [...(listeners.get(name) ?? []), listener]);
      return provider;
    },
    removeListener(name, listener) {
      listeners.set(name, (listeners.get(name) ?? []).filter((other) => other !== listener));
      return provider;
    },
  };
  window.testWallet = { emit, provider };
  const icon = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1 1'%3E%3C/svg%3E";
  const info = { uuid: "7d4c8a52-93c4-4f1b-a2e6-0f8f1f6a3c11", name: "Test Wallet", icon, rdns: "example.test.wallet" };
  const announce = () => window.dispatchEvent(
    new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }),
  );
  window.addEventListener("eip6963:requestProvider", announce);
  announce();
`;
