import type { BridgeSource } from "../../bridge/bridge-source.ts";
import type { EmulatorAnswer } from "../faults.ts";
import type { Answerer, EmulatorRequest } from "../server.ts";
import { listChains, listTokens, listTools } from "./catalog.ts";
import { quoteContractCalls } from "./contract-calls.ts";
import { invalidRequest, LifiRefusal, lifiJson } from "./errors.ts";
import { quote } from "./quote.ts";
import { asRelayOrder } from "./relay-order.ts";
import { listAdvancedRoutes } from "./routes.ts";
import { transferStatus } from "./status.ts";

type Ask = (source: BridgeSource, input: unknown) => unknown;

const operations: Readonly<Record<string, Ask>> = {
  "GET /v1/quote": (source, query) => quote(source, asRecord(query)),
  "POST /v1/quote/contractCalls": (source, body) => quoteContractCalls(source, body),
  "POST /v1/advanced/routes": ({ bridgeChains }, body) => listAdvancedRoutes(bridgeChains, body),
  "GET /v1/tools": ({ bridgeChains }, query) => listTools(bridgeChains, asRecord(query)),
  "GET /v1/chains": ({ bridgeChains }, query) => listChains(bridgeChains, asRecord(query)),
  "GET /v1/tokens": ({ bridgeChains }, query) => listTokens(bridgeChains, asRecord(query)),
  "GET /v1/status": (source, query) => transferStatus(source, query),
};

/** Returns the handler of requests to LI.FI's API. */
export function answerLifi(source: BridgeSource): Answerer {
  return (request) => handle(source, request);
}

async function handle(source: BridgeSource, request: EmulatorRequest): Promise<EmulatorAnswer> {
  const { pathname, searchParams } = new URL(request.path, "http://lifi");
  const operation = operations[`${request.method} ${pathname}`];
  if (operation === undefined) return lifiJson(404, { message: "Not Found" });
  try {
    const input = request.method === "POST" ? parseBody(request.body) : queryOf(searchParams);
    const answer = await operation(source, input);
    return lifiJson(200, source.lifiQuirks().includes("relay_order") ? asRelayOrder(answer) : answer);
  } catch (error) {
    if (error instanceof LifiRefusal) return error.toAnswer();
    throw error;
  }
}

/** Parses the query; a repeated name becomes a list. */
function queryOf(search: URLSearchParams): Record<string, unknown> {
  const entries = [...new Set(search.keys())].map((name) => {
    const values = search.getAll(name);
    return [name, values.length > 1 ? values : values[0]];
  });
  return Object.fromEntries(entries);
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw invalidRequest("Unexpected token in JSON");
  }
}

const asRecord = (input: unknown): Record<string, unknown> =>
  typeof input === "object" && input !== null ? { ...input } : {};
