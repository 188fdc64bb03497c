import { useSyncExternalStore } from "react";
import type { WalletConnection, WalletState } from "./wagmi-connection.ts";

/**
 * Prefix of the wallet library's storage keys. The library stores which wallet was last used, with its accounts and
 * chain, but no private keys.
 */
const WALLET_STORAGE = "causeway";
const DISCONNECTED: WalletState = { status: "disconnected", address: null, chainId: null, name: "" };
const listeners = new Set<() => void>();
let state = DISCONNECTED;
let loading: Promise<WalletConnection> | null = null;
let resumed = false;

/** Wallet state of the page, shared by all components, and the connection behind it. */
export const walletSession = {
  get: (): WalletState => state,
  /** Replaces the state and informs the listeners. Null means disconnected. */
  set(next: WalletState | null): void {
    state = next ?? DISCONNECTED;
    for (const listener of listeners) listener();
  },
  /** Calls the listener after every change of the state. Returns a function that removes it. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Uses this connection to the embedding page's wallet in place of the browser's wallets. */
  lend(connection: WalletConnection): void {
    resumed = true;
    loading = Promise.resolve(connection);
  },
  /**
   * Loads the wallet code and creates the connection, once. If this fails, the error propagates, and the next call
   * tries again.
   */
  load(): Promise<WalletConnection> {
    loading ??= import("./wagmi-connection.ts")
      .then(({ createWalletConnection }) =>
        createWalletConnection({ storageKey: WALLET_STORAGE, publish: walletSession.set }),
      )
      .catch((error: unknown) => {
        loading = null;
        throw error;
      });
    return loading;
  },
};

/** Returns the wallet's state, and renders the component again when it changes. */
export function useWallet(): WalletState {
  return useSyncExternalStore(walletSession.subscribe, walletSession.get);
}

/**
 * Reconnects a wallet that permits it without a prompt, the last used one first. Does nothing if the browser remembers
 * none, if an embedding page lends its wallet, or when called again. Never throws: a failure leaves it disconnected.
 */
export async function resumeWallet(): Promise<void> {
  if (resumed) return;
  resumed = true;
  try {
    if (localStorage.getItem(`${WALLET_STORAGE}.recentConnectorId`) === null) return;
  } catch {
    return;
  }
  walletSession.set({ ...DISCONNECTED, status: "connecting" });
  const connection = await walletSession.load().catch(() => null);
  await connection?.reconnect().catch(() => undefined);
  if (walletSession.get().status === "connecting") walletSession.set(null);
}
