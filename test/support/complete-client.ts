import type { ChainClient } from "../../src/chains/client.ts";

/** Completes a client that only knows requests: a question is one of them, made sense of. */
export function completeClient<C extends Omit<ChainClient, "ask" | "onOneNode">>(client: C): C & ChainClient {
  const ask: ChainClient["ask"] = async function ask(this: ChainClient, { method, params, read }) {
    return read(await this.request(method, params), (report) => this.observe(report));
  };
  const onOneNode: ChainClient["onOneNode"] = (work) => work(client);
  return { ...client, ask, onOneNode };
}
