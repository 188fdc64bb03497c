import { createContext, useContext } from "react";

/** Actions of an embedded page that replace links to other pages. */
export interface Embedding {
  /** Shows the form again. */
  restart(): void;
  /** Reports the state of a deposit to the page around the frame. */
  onState(trackingId: string, state: string): void;
}

/** React context with the embedding of this page, or null if it is not embedded. */
export const EmbedContext = createContext<Embedding | null>(null);

/** Returns the embedding of this page, or null if it is not embedded. */
export const useEmbedding = (): Embedding | null => useContext(EmbedContext);
