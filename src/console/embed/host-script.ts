import type { EmbedEvent, EmbedOptions } from "../../client/client-embed-types.ts";
import type { FrameMessage, HostMessage } from "./embed-protocol.ts";

// Written out, because this file is served by itself and must not share a module with the console.
const [HELLO, LEND] = ["causeway.hello", "causeway.lend"];
/** Wallet methods that the frame may call. `personal_sign` is excluded, because its messages are unstructured text. */
const METHODS = new Set([
  "eth_requestAccounts",
  "eth_accounts",
  "eth_chainId",
  "wallet_switchEthereumChain",
  "wallet_getCapabilities",
  "wallet_sendCalls",
  "wallet_getCallsStatus",
  "eth_sendTransaction",
  "eth_signTypedData_v4",
  "eth_getTransactionReceipt",
  "eth_getTransactionByHash",
  "eth_getBlockByNumber",
  "eth_blockNumber",
  "eth_getBalance",
  "eth_call",
]);
const EVENTS = ["accountsChanged", "chainChanged", "disconnect"] as const;
/** Minimum and maximum height of the frame, in pixels. */
const [LOWEST, HIGHEST] = [200, 4_000];
const SERVICE = new URL(import.meta.url).origin;

type Wallet = EmbedOptions["provider"];

/**
 * Inserts a vault's deposit form into the page as a frame, 200 to 4,000 pixels high, and connects it to the page's
 * wallet. The frame can call only the wallet's methods that a deposit needs. Returns a function that removes the form.
 */
export function mountDeposit(options: EmbedOptions): () => void {
  const { container, vaultId, provider, onEvent } = options;
  const frame = document.createElement("iframe");
  const query = new URLSearchParams({ vault: vaultId, host: location.origin });
  frame.src = `${SERVICE}/embed?${query}`;
  frame.title = "Deposit";
  frame.style.cssText = "border:0;width:100%;height:640px;color-scheme:normal";
  let stop = () => {};
  const report = (event: EmbedEvent) => {
    if (event.type === "resize")
      frame.style.height = `${Math.min(Math.max(event.height, LOWEST), HIGHEST)}px`;
    onEvent?.(event);
  };
  const greet = ({ source, origin, data }: MessageEvent) => {
    if (source !== frame.contentWindow || origin !== SERVICE || data !== HELLO) return;
    // The frame was loaded or reloaded, so its earlier port is no longer used.
    stop();
    const { port1, port2 } = new MessageChannel();
    stop = lend(provider, { port: port1, report });
    frame.contentWindow?.postMessage(LEND, SERVICE, [port2]);
  };
  addEventListener("message", greet);
  container.append(frame);
  return () => {
    removeEventListener("message", greet);
    stop();
    frame.remove();
  };
}

/**
 * Forwards the frame's requests to the page's wallet, and the wallet's events to the frame. Returns a function that
 * ends this.
 */
function lend(provider: Wallet, of: { port: MessagePort; report: (event: EmbedEvent) => void }): () => void {
  const { port, report } = of;
  const send = (message: HostMessage) => port.postMessage(message);
  port.onmessage = async ({ data }: MessageEvent<FrameMessage>) => {
    if ("event" in data) return report(data.event);
    const { id, method, params } = data;
    try {
      if (!METHODS.has(method)) throw Object.assign(new Error(`${method} is not lent`), { code: 4200 });
      send({ id, result: await provider.request({ method, params } as never) });
    } catch (error) {
      // A wallet may reject with anything, also with nothing.
      const { code, message } = Object(error) as { code?: unknown; message?: unknown };
      send({ id, error: { code: typeof code === "number" ? code : -32603, message: String(message) } });
    }
  };
  const listeners = EVENTS.map((wallet) => {
    const listener = (value: unknown) => send({ wallet, value: wallet === "disconnect" ? null : value });
    provider.on(wallet, listener as never);
    return () => provider.removeListener(wallet, listener as never);
  });
  return () => {
    for (const remove of listeners) remove();
    port.close();
  };
}
