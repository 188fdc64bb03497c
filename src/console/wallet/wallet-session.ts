import { useSyncExternalStore } from "react";
import type { WalletConnection, WalletState } from "./wagmi-connection.ts";

/** Storage key prefix of the wallet library, which stores the last used wallet and never a key or session. */
const WALLET_STORAGE = "causeway";
const DISCONNECTED: WalletState = { status: "disconnected", address: null, chainId: null, name: "" };
const listeners = new Set<() => void>();
let state = DISCONNECTED;
let loading: Promise<WalletConnection> | null = null;
let resumed = false;

/** State of the wallet, with the functions that change it. */
export const walletSession = {
  get: (): WalletState => state,
  set(next: WalletState | null): void {
    state = next ?? DISCONNECTED;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  /** Uses the wallet of the page around this one, and no other. */
  lend(connection: WalletConnection): void {
    resumed = true;
    loading = Promise.resolve(connection);
  },
  /** Loads the wallet code once. A failed load is retried by the next call. */
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

/** Returns the state of the wallet. */
export function useWallet(): WalletState {
  return useSyncExternalStore(walletSession.subscribe, walletSession.get);
}

/** Reconnects the wallet of the last visit without asking, if the wallet still allows it. Runs once per page. */
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
