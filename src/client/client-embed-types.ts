import type { EIP1193Provider } from "viem";

/** An event that an embedded deposit form sends to the embedding page. */
export type EmbedEvent =
  /** The frame has received the page's wallet. */
  | { type: "ready" }
  /** An account of the wallet is connected, also after a change. */
  | { type: "connected"; address: `0x${string}` }
  /** A deposit was built. */
  | { type: "built"; trackingId: string }
  /** State of the deposit, as the API names it: sent when the deposit is shown, and after each change. */
  | { type: "progress"; trackingId: string; state: string }
  /** The content has this height, in CSS pixels. */
  | { type: "resize"; height: number };

/**
 * Options of an embedded deposit form, for `mountDeposit` of `/embed.js`. The form uses the wallet of the embedding
 * page.
 */
export interface EmbedOptions {
  /** Element into which the frame is inserted. */
  container: Element;
  /** Id of the vault: `<chain_id>:<address>`. */
  vaultId: string;
  /**
   * The page's wallet. The form asks it only for accounts, chains, reads of the chain, batches, transactions and
   * EIP-712 signatures, never for signatures of plain text.
   */
  provider: Pick<EIP1193Provider, "request" | "on" | "removeListener">;
  /** Called for every event. The callback must not throw. */
  onEvent?: (event: EmbedEvent) => void;
}
