import type { EmbedEvent } from "../../client/embed-events.ts";

/** First message of the frame to the page around it: the frame is listening. */
export const HELLO = "causeway.hello";
/** Response of the page, with the port for all further messages. */
export const LEND = "causeway.lend";

/** A message from the frame over the port: a request to the wallet, or an event. */
export type FromFrame = { id: number; method: string; params: unknown } | { event: EmbedEvent };
/** A message from the page over the port: a response of the wallet, or an event of the wallet. */
export type FromHost =
  | { id: number; result: unknown }
  | { id: number; error: { code: number; message: string } }
  | { wallet: string; value: unknown };
