import type { EIP1193Provider } from "viem";

/**
 * What the embedded deposit tells the page around it. `ready`: it is shown; `connected`: the wallet was lent; `built`: a
 * deposit was built and waits for signatures; `progress`: its state changed; `resize`: it needs this height in pixels.
 */
export type EmbedEvent =
  | { type: "ready" }
  | { type: "connected"; address: `0x${string}` }
  | { type: "built"; trackingId: string }
  | { type: "progress"; trackingId: string; state: string }
  | { type: "resize"; height: number };

/** A deposit to embed, as `mountDeposit` of `/embed.js` takes it. */
export interface EmbedOptions {
  /** The element to put the frame into. */
  container: Element;
  /** The vault: `<chain_id>:<address>`. */
  vaultId: string;
  /** The page's wallet. It is asked for nothing but accounts, chains, signatures of orders and transactions. */
  provider: Pick<EIP1193Provider, "request" | "on" | "removeListener">;
  /** Called for every event; must not throw. */
  onEvent?: (event: EmbedEvent) => void;
}
