import type { EmbedEvent } from "../../client/client-embed-types.ts";

/** Message with which the frame asks the embedding page for its wallet. */
export const HELLO = "causeway.hello";
/** Response of the embedding page to `HELLO`. It carries the port for all further messages. */
export const LEND = "causeway.lend";

/**
 * A message from the frame to the embedding page: a request to the wallet, numbered by `id`, or an event of the form.
 */
export type FrameMessage = { id: number; method: string; params: unknown } | { event: EmbedEvent };
/**
 * A message from the embedding page to the frame: the wallet's result or error for the request `id`, or an event of the
 * wallet by its EIP-1193 name.
 */
export type HostMessage =
  | { id: number; result: unknown }
  | { id: number; error: { code: number; message: string } }
  | { wallet: string; value: unknown };
