import { createContext, useContext } from "react";

/**
 * Functions for a deposit form that is embedded in another page: a restart, which replaces links to pages that the
 * frame does not contain, and reports to the embedding page.
 */
export interface Embedding {
  /** Shows the empty form again. */
  restart(): void;
  /** Reports a deposit's state to the embedding page. */
  onState(trackingId: string, state: string): void;
}

/** React context with the embedding of this form. Null if it is not embedded. */
export const EmbedContext = createContext<Embedding | null>(null);

/** Returns the embedding of this form. Null if it is not embedded. */
export const useEmbedding = (): Embedding | null => useContext(EmbedContext);
