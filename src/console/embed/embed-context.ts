import { createContext, useContext } from "react";

/** Functions that an embedded deposit form uses in place of links to other pages, which the frame does not have. */
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
