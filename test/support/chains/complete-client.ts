import type { ChainClient } from "../../../src/chains/chain-client.ts";

/** Adds the methods `ask` and `onOneNode` to a chain client that has only `request`. */
export function completeClient<C extends Omit<ChainClient, "ask" | "onOneNode">>(client: C): C & ChainClient {
  const ask: ChainClient["ask"] = async function ask(this: ChainClient, { method, params, read }) {
    return read(await this.request(method, params), (report) => this.observe(report));
  };
  const onOneNode: ChainClient["onOneNode"] = (work) => work(client);
  return { ...client, ask, onOneNode };
}
