import type { EIP1193Provider } from "viem";

/**
 * Events of an embedded deposit for the page around it. `ready`: the form is shown; `connected`: the wallet is
 * connected; `built`: a deposit was built and waits for signatures; `progress`: its state changed; `resize`: the frame
 * needs this height in pixels.
 */
export type EmbedEvent =
  | { type: "ready" }
  | { type: "connected"; address: `0x${string}` }
  | { type: "built"; trackingId: string }
  | { type: "progress"; trackingId: string; state: string }
  | { type: "resize"; height: number };

/** Options of an embedded deposit, for `mountDeposit` of `/embed.js`. */
export interface EmbedOptions {
  /** Element that the frame is inserted into. */
  container: Element;
  /** Id of the vault: `<chain_id>:<address>`. */
  vaultId: string;
  /** The page's wallet. It is only asked for accounts, chains, signatures of orders, and transactions. */
  provider: Pick<EIP1193Provider, "request" | "on" | "removeListener">;
  /** Called for every event. It must not throw. */
  onEvent?: (event: EmbedEvent) => void;
}
