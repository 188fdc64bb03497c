import type { Hex } from "viem";

/** A body of LI.FI's `GET /status`; any field may be a lie. */
export type LifiWord = Readonly<Record<string, unknown>>;

/** LI.FI's API where no routes are offered: of a transfer's status, it says what it is given. */
export class SimulatedLifiApi {
  /** What it says of transfers, by the hash of their source transaction in lower case. */
  readonly words = new Map<string, LifiWord>();
  /** Source transactions of which it was asked. */
  readonly asked = new Set<Hex>();

  respond(url: URL): Response {
    if (!url.pathname.endsWith("/status")) return Response.json({ message: "no routes" }, { status: 404 });
    const hash = (url.searchParams.get("txHash") ?? "").toLowerCase() as Hex;
    this.asked.add(hash);
    const word = this.words.get(hash);
    return word === undefined
      ? Response.json({ message: "Not an EVM transaction", code: 1011 }, { status: 404 })
      : Response.json(word);
  }
}
