import type { ChainClient } from "../../../src/chains/chain-client.ts";
import type { Context } from "../../../src/context.ts";

type Question = Pick<Parameters<ChainClient["ask"]>[0], "method" | "params">;

/** Returns a context whose nodes end a request with the error that `fault` returns for it, if any. */
export function failingNodes(ctx: Context, fault: (question: Question) => Error | null): Context {
  const client = (chainId: number): ChainClient | null => {
    const own = ctx.chains.client(chainId);
    if (own === null) return null;
    const check = (question: Question): void => {
      const error = fault(question);
      if (error !== null) throw error;
    };
    const ask: ChainClient["ask"] = async (question) => {
      check(question);
      return own.ask(question);
    };
    const request: ChainClient["request"] = async (method, params) => {
      check({ method, params });
      return own.request(method, params);
    };
    return { ...own, ask, request };
  };
  return { ...ctx, chains: { ...ctx.chains, client } };
}
