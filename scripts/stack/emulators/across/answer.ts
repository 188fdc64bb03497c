import type { BridgeSource } from "../../bridge/bridge-source.ts";
import type { EmulatorAnswer } from "../faults.ts";
import type { Answerer, EmulatorRequest } from "../server.ts";
import { depositStatus } from "./deposit-status.ts";
import { AcrossRefusal, acrossJson, invalidParameter } from "./errors.ts";
import { depositLimits, listAvailableRoutes } from "./limits.ts";
import type { AcrossQuery } from "./query.ts";
import { suggestFees } from "./suggested-fees.ts";

/** Returns the handler of requests to Across' API. */
export function answerAcross(source: BridgeSource): Answerer {
  return (request) => handle(source, request);
}

async function handle(service: BridgeSource, request: EmulatorRequest): Promise<EmulatorAnswer> {
  const { pathname, searchParams } = new URL(request.path, "http://across");
  try {
    const query = { ...Object.fromEntries(searchParams), ...bodyOf(request) };
    return await answer(service, { path: pathname.replace(/^\/api/, ""), method: request.method, query });
  } catch (error) {
    if (error instanceof AcrossRefusal) return error.toAnswer();
    throw error;
  }
}

async function answer(
  source: BridgeSource,
  { path, method, query }: { path: string; method: string; query: AcrossQuery },
): Promise<EmulatorAnswer> {
  const { bridgeChains, ledger } = source;
  const writes = method === "POST" && path === "/suggested-fees";
  if (method !== "GET" && !writes)
    throw new AcrossRefusal("INVALID_METHOD", { message: `Method ${method} is not allowed`, status: 405 });
  switch (path) {
    case "/suggested-fees":
      return acrossJson(200, await suggestFees(source, query));
    case "/limits":
      return acrossJson(200, await depositLimits(bridgeChains, query));
    case "/available-routes":
      return acrossJson(200, listAvailableRoutes(bridgeChains, query));
    case "/deposit/status":
      return depositStatus(ledger, query);
    default:
      return acrossJson(404, { message: "Not Found" });
  }
}

/** Parses the request body, which may hold only the message. */
function bodyOf({ method, body }: EmulatorRequest): { message?: string } {
  if (method !== "POST" || body.length === 0) return {};
  const parsed = parse(body.toString("utf8"));
  const message =
    typeof parsed === "object" && parsed !== null && "message" in parsed ? parsed.message : undefined;
  if (message === undefined) return {};
  if (typeof message !== "string")
    throw invalidParameter("message", "Invalid parameter at path 'message'. Expected type 'string'");
  return { message };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidParameter("message", "Invalid JSON in request body");
  }
}
