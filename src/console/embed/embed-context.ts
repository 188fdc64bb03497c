import { createContext, useContext } from "react";

/**
 * Functions for a deposit form embedded in a frame: a restart, in place of links to pages that the frame does not
 * contain, and reports to the page around the frame.
 */
export interface Embedding {
  /** Shows the empty form again. */
  restart(): void;
  /** Reports a deposit's state to the page around the frame. */
  onState(trackingId: string, state: string): void;
}

/** React context with the embedding of this page. Null if the page is not embedded. */
export const EmbedContext = createContext<Embedding | null>(null);

/** Returns the embedding of this page. Null if the page is not embedded. */
export const useEmbedding = (): Embedding | null => useContext(EmbedContext);
