import type { Hex } from "viem";

/** Body of LI.FI's `GET /status`; any field may be false. */
export type LifiWord = Readonly<Record<string, unknown>>;

/** Emulated LI.FI API without routes. The status of a transfer is whatever the test sets. */
export class SimulatedLifiApi {
  /** Status responses by the lowercase hash of the source transaction. */
  readonly words = new Map<string, LifiWord>();
  /** Hashes of the source transactions whose status was requested. */
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
