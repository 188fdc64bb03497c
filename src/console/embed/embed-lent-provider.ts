import type { EmbedEvent } from "../../client/client-embed-types.ts";
import { type FrameMessage, HELLO, type HostMessage, LEND } from "./embed-protocol.ts";

/**
 * Connection to the wallet of the page that embeds this iframe. Unlike an EIP-1193 provider, it passes on events by
 * `listen`; `report` sends the form's own events to the page.
 */
export interface LentProvider {
  /**
   * Sends a request to the wallet and returns its result. Waits as long as the user needs. Rejects with an Error that
   * has the wallet's `code`, or -32603 if that is no number; 4200 if the page does not allow the method.
   */
  request(call: { method: string; params?: unknown }): Promise<unknown>;
  /**
   * Calls the listener with name and value of these events of the wallet (EIP-1193): `accountsChanged`,
   * `chainChanged`, `disconnect`.
   */
  listen(listener: (name: string, value: unknown) => void): void;
  /** Sends an event of the form to the embedding page. */
  report(event: EmbedEvent): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Asks the embedding page for its wallet and resolves with a provider that relays requests to it. Accepts a reply only
 * from the parent window `around` with the origin `hostOrigin`. Never settles without such a reply.
 */
export function receiveWallet(around: Window, hostOrigin: string): Promise<LentProvider> {
  return new Promise((resolve) => {
    const receive = ({ source, origin, data, ports }: MessageEvent) => {
      const [port] = ports;
      if (source !== around || origin !== hostOrigin || data !== LEND || port === undefined) return;
      window.removeEventListener("message", receive);
      resolve(speakOver(port));
    };
    window.addEventListener("message", receive);
    around.postMessage(HELLO, hostOrigin);
  });
}

function speakOver(port: MessagePort): LentProvider {
  const waiting = new Map<number, Waiting>();
  const listeners: ((name: string, value: unknown) => void)[] = [];
  let last = 0;
  port.onmessage = ({ data }: MessageEvent<HostMessage>) => {
    if ("wallet" in data) {
      for (const listener of listeners) listener(data.wallet, data.value);
      return;
    }
    const call = waiting.get(data.id);
    // An answer counts once: what was answered is no longer waited for.
    waiting.delete(data.id);
    if ("error" in data)
      call?.reject(Object.assign(new Error(data.error.message), { code: data.error.code }));
    else call?.resolve(data.result);
  };
  const send = (message: FrameMessage) => port.postMessage(message);
  return {
    request({ method, params = [] }) {
      last += 1;
      const id = last;
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ id, method, params });
      });
    },
    listen: (listener) => void listeners.push(listener),
    report: (event) => send({ event }),
  };
}
