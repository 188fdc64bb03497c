import { createContext, useContext } from "react";

/**
 * What a deposit form can do while another page embeds it: start again, in place of links to pages that the frame does
 * not contain, and report to the embedding page.
 */
export interface Embedding {
  /** Shows the empty form again. */
  restart(): void;
  /** Reports a deposit's state to the embedding page. */
  onState(trackingId: string, state: string): void;
}

/** React context with the functions of an embedded form. Null if the form is not embedded. */
export const EmbedContext = createContext<Embedding | null>(null);

/** Returns the functions of the embedded form that contains the component. Null if there is none. */
export const useEmbedding = (): Embedding | null => useContext(EmbedContext);
