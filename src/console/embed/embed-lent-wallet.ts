import type { WalletConnection, WalletState } from "../wallet/wagmi-connection.ts";
import type { LentProvider } from "./embed-lent-provider.ts";

/**
 * Creates a wallet connection that uses the embedding page's wallet, shown as `Wallet of <host>`. `publish` is called
 * with every new state, null when the wallet is disconnected or none of its accounts is known.
 */
export function createLentConnection(
  provider: LentProvider,
  of: { host: string; publish: (state: WalletState | null) => void },
): WalletConnection {
  const name = `Wallet of ${of.host}`;
  // Loaded once a wallet is connected: it is a third of the code of the form.
  const load = async () => {
    const { clientOfProvider, ...code } = await import("../wallet/wallet-provider-client.ts");
    return { ...code, client: clientOfProvider(provider as never) };
  };
  let state: WalletState | null = null;
  let reads = 0;
  const publish = (next: WalletState | null) => {
    state = next;
    of.publish(next);
  };
  const connect = async (method: "eth_requestAccounts" | "eth_accounts") => {
    reads += 1;
    const own = reads;
    const [address] = (await provider.request({ method })) as `0x${string}`[];
    const chainId = Number(await provider.request({ method: "eth_chainId" }));
    // A later read, or the end of the connection, is newer than this.
    if (own !== reads) return;
    if (address === undefined) return publish(null);
    publish({ status: "connected", address, chainId, name });
    provider.report({ type: "connected", address });
  };
  const disconnect = async () => {
    reads += 1;
    publish(null);
  };
  const follow = () => {
    const read = connect("eth_accounts");
    const own = reads;
    // If the wallet refuses, it is not known which account signs.
    read.catch(() => (own === reads ? publish(null) : undefined));
  };
  provider.listen((event, value) => {
    if (event === "accountsChanged" && state !== null) follow();
    else if (event === "chainChanged" && state !== null) publish({ ...state, chainId: Number(value) });
    else if (event === "disconnect") void disconnect();
  });
  return {
    choices: () => [{ id: "host", name, icon: null }],
    onChoices: () => () => undefined,
    connect: () =>
      connect("eth_requestAccounts").catch(async (error: unknown) => {
        const { toWalletError } = await import("../../client/client-wallet-errors.ts");
        throw toWalletError(error, "wallet_failed");
      }),
    reconnect: () => connect("eth_accounts"),
    disconnect,
    balanceOf: async (token) => {
      const { client, readBalance } = await load();
      return readBalance(client, token);
    },
    sign: async (text) => {
      const { client, signText } = await load();
      return signText(client, text);
    },
    client: async () => (await load()).client,
  };
}
