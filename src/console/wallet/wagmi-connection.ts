import { createClient, defineChain, type EIP1193Provider } from "viem";
import { type Connector, createConfig, createStorage, injected, unstable_connector } from "wagmi";
import {
  connect,
  disconnect,
  getConnection,
  reconnect,
  watchConnection,
  watchConnectors,
} from "wagmi/actions";
import { CausewayError } from "../../client/causeway-client-error.ts";
import type { Wallet } from "../../client/client-wallet-steps.ts";
import { getChains } from "../../client/operations/read-operations.ts";
import { causeway } from "../api/console-client.ts";
import { clientOfProvider, readBalance, signText } from "./wallet-provider-client.ts";

/**
 * A wallet that the user can connect: one that announced itself to the page by EIP-6963, or the one that an embedding
 * page provides.
 */
export interface WalletChoice {
  id: string;
  name: string;
  /** Icon as a `data:` URI, or null if the wallet states none in this form. */
  icon: string | null;
}

/** State of the user's wallet. */
export interface WalletState {
  /** `connecting`: the wallet of the last visit is being reconnected; the other fields may still be of that visit. */
  status: "disconnected" | "connecting" | "connected";
  /** Selected account, or null if none is connected. */
  address: `0x${string}` | null;
  /** Chain that the wallet is on, or null if unknown. */
  chainId: number | null;
  /** Name of the wallet, or an empty string if none is connected. */
  name: string;
}

/** A connection to the user's wallet. */
export interface WalletConnection {
  /** Returns the wallets that can be connected and are known so far. */
  choices(): readonly WalletChoice[];
  /** Calls the listener when the list of wallets changes. Returns a function that removes the listener. */
  onChoices(listener: () => void): () => void;
  /**
   * Connects a wallet of `choices`, which may ask the user. Throws CausewayError `wallet_failed` if it is gone; other
   * errors are those of the wallet or the wallet library, or CausewayErrors if an embedding page provides the wallet.
   */
  connect(id: string): Promise<void>;
  /**
   * Connects the wallets that permit it without a prompt, and uses that of the last visit if it is one of them. A
   * wallet of this browser that fails is passed over; errors of an embedding page's wallet propagate.
   */
  reconnect(): Promise<void>;
  /**
   * Disconnects the wallet. A wallet of this browser then stays disconnected on later visits; another one that
   * `reconnect` also connected takes its place.
   */
  disconnect(): Promise<void>;
  /**
   * Returns an account's balance of a token (the zero address is the native currency) on the wallet's chain, in the
   * smallest unit. May throw `wrong_account` if no wallet is connected; errors of the wallet propagate.
   */
  balanceOf(of: { token: `0x${string}`; owner: `0x${string}` }): Promise<bigint>;
  /** Signs a text with the account `address`. Throws `user_rejected`, `wrong_account` or `wallet_failed`. */
  sign(of: { address: `0x${string}`; message: string }): Promise<`0x${string}`>;
  /** Returns a client that can sign. May throw `wrong_account` if no wallet is connected. */
  client(): Promise<Wallet>;
}

/**
 * Creates the connection to this browser's wallets. `publish` is called with every new state, null when no wallet is
 * connected. Throws CausewayError if the chains cannot be loaded (`chain_unsupported` if there are none). Source:
 * EIP-6963.
 */
export async function createWalletConnection(of: {
  storageKey: string;
  publish: (state: WalletState | null) => void;
}): Promise<WalletConnection> {
  const config = await createWalletConfig(of.storageKey);
  const publish = () => of.publish(readState(config));
  watchConnection(config, { onChange: publish });
  return {
    choices: () => config.connectors.filter(isAnnounced).map(toChoice),
    onChoices: (listener) => watchConnectors(config, { onChange: listener }),
    async connect(id) {
      const connector = config.connectors.find((candidate) => candidate.uid === id);
      if (connector === undefined) throw new CausewayError("wallet_failed", "the wallet is gone");
      await connect(config, { connector });
      publish();
    },
    async reconnect() {
      await reconnect(config);
      publish();
    },
    async disconnect() {
      await disconnect(config);
      publish();
    },
    balanceOf: async (of) => readBalance(await walletClient(config), of),
    sign: async (of) => signText(await walletClient(config), of),
    client: () => walletClient(config),
  };
}

async function walletClient(config: WalletConfig): Promise<Wallet> {
  const { address, connector } = getConnection(config);
  if (address === undefined || connector === undefined)
    throw new CausewayError("wrong_account", "no wallet is connected");
  return clientOfProvider((await connector.getProvider()) as EIP1193Provider);
}

type WalletConfig = Awaited<ReturnType<typeof createWalletConfig>>;

async function createWalletConfig(storageKey: string) {
  const served = await getChains(causeway);
  const [first, ...others] = served.map(({ chainId, name, nativeSymbol }) =>
    defineChain({
      id: chainId,
      name,
      nativeCurrency: { name: nativeSymbol, symbol: nativeSymbol, decimals: 18 },
      rpcUrls: { default: { http: [] } },
    }),
  );
  if (first === undefined) throw new CausewayError("chain_unsupported", "the service has no chain");
  return createConfig({
    chains: [first, ...others],
    client: ({ chain }) => createClient({ chain, transport: unstable_connector(injected) }),
    multiInjectedProviderDiscovery: true,
    storage: createStorage({ key: storageKey, storage: pageStorage() }),
  });
}

/** Returns the page's storage, or one that forgets everything where the browser blocks access to it. */
function pageStorage(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  try {
    return window.localStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  }
}

/** Returns true for wallets that announced themselves. The wallet library also lists a generic connector of its own. */
const isAnnounced = ({ type, id }: Connector): boolean => type === "injected" && id !== "injected";

const toChoice = ({ uid, name, icon }: Connector): WalletChoice => ({
  id: uid,
  name,
  // Wallets announce their icon as a data URI; the page loads nothing from elsewhere.
  icon: icon?.startsWith("data:") === true ? icon.trim() : null,
});

function readState(config: WalletConfig): WalletState | null {
  const { status, address, chainId, connector } = getConnection(config);
  if (address === undefined) return null;
  const name = connector?.name ?? "";
  return {
    status: status === "connected" ? "connected" : "connecting",
    address,
    chainId: chainId ?? null,
    name,
  };
}
