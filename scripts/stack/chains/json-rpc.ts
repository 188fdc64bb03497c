import { z } from "zod";

const Answer = z.object({
  id: z.number(),
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).optional(),
});

/** One JSON-RPC request. */
export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

/** Sends the requests as one JSON-RPC batch and returns the results in their order. Throws the first error. */
export async function rpcBatch(url: string, calls: readonly RpcCall[]): Promise<unknown[]> {
  if (calls.length === 0) return [];
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  const answers = new Map(
    z
      .array(Answer)
      .parse(await response.json())
      .map((answer) => [answer.id, answer]),
  );
  return calls.map(({ method }, id) => {
    const answer = answers.get(id);
    if (answer?.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer?.result;
  });
}

/** Sends one JSON-RPC request and returns its result. Throws its error. */
export async function rpc(url: string, method: string, ...params: readonly unknown[]): Promise<unknown> {
  const [result] = await rpcBatch(url, [{ method, params }]);
  return result;
}
