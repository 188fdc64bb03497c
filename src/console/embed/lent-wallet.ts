import { hexToNumber } from "viem";
import { toWalletError } from "../../client/client-wallet-steps.ts";
import type { WalletConnection, WalletState } from "../wallet/wagmi-connection.ts";
import { clientOfProvider, readBalance, signText } from "../wallet/wallet-provider-client.ts";
import type { LentProvider } from "./embed-lent-provider.ts";

/**
 * Creates a wallet connection that uses the embedding page's wallet, shown as `Wallet of <host>`; this browser's
 * wallets are not offered. `publish` is called with every new state, null when the wallet is disconnected or offers no
 * account. `connect` throws CausewayError `user_rejected`, `wrong_account` or `wallet_failed`; `reconnect` rejects with
 * the wallet's own error.
 */
export function createLentConnection(
  provider: LentProvider,
  of: { host: string; publish: (state: WalletState | null) => void },
): WalletConnection {
  const name = `Wallet of ${of.host}`;
  const client = clientOfProvider(provider as never);
  let state: WalletState | null = null;
  const publish = (next: WalletState | null) => {
    state = next;
    of.publish(next);
  };
  const connect = async (method: "eth_requestAccounts" | "eth_accounts") => {
    const [address] = (await provider.request({ method })) as `0x${string}`[];
    const chainId = hexToNumber((await provider.request({ method: "eth_chainId" })) as `0x${string}`);
    if (address === undefined) return publish(null);
    publish({ status: "connected", address, chainId, name });
    provider.report({ type: "connected", address });
  };
  provider.listen((event, value) => {
    if (event === "accountsChanged" && state !== null) void connect("eth_accounts");
    else if (event === "chainChanged" && state !== null)
      publish({ ...state, chainId: hexToNumber(value as `0x${string}`) });
    else if (event === "disconnect") publish(null);
  });
  return {
    choices: () => [{ id: "host", name, icon: null }],
    onChoices: () => () => undefined,
    connect: () =>
      connect("eth_requestAccounts").catch((error: unknown) => {
        throw toWalletError(error, "wallet_failed");
      }),
    reconnect: () => connect("eth_accounts"),
    disconnect: async () => publish(null),
    balanceOf: (token) => readBalance(client, token),
    sign: (text) => signText(client, text),
    client: async () => client,
  };
}
