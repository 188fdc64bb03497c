import type { EmbedEvent } from "../../client/client-embed-types.ts";
import { type FromFrame, type FromHost, HELLO, LEND } from "./embed-protocol.ts";

/** The wallet of the page around the frame, as an EIP-1193 provider. */
export interface LentProvider {
  request(call: { method: string; params?: unknown }): Promise<unknown>;
  /** Calls the listener at every event of the wallet. */
  listen(listener: (name: string, value: unknown) => void): void;
  tell(event: EmbedEvent): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/**
 * Waits for the page around the frame to pass its wallet. Only a message from the surrounding window, with the origin
 * from the frame's URL and with a port, is accepted. All further messages use that port, to which no other page has
 * access.
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
  port.onmessage = ({ data }: MessageEvent<FromHost>) => {
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
  const send = (message: FromFrame) => port.postMessage(message);
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
    tell: (event) => send({ event }),
  };
}
