import { createContext, useContext } from "react";

/** What an embedded page does in place of leading to other pages. */
export interface Embedding {
  /** Shows the form again. */
  restart(): void;
  /** Tells the page around the frame how a deposit stands. */
  onState(trackingId: string, state: string): void;
}

/** The embedding of this page, or null where it is not embedded. */
export const EmbedContext = createContext<Embedding | null>(null);

/** Returns the embedding of this page, or null where it is not embedded. */
export const useEmbedding = (): Embedding | null => useContext(EmbedContext);
