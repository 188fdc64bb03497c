import type { BridgeChains } from "../../bridge/bridge-chains.ts";
import type { EmulatorAnswer } from "../faults.ts";
import type { Answerer, EmulatorRequest } from "../server.ts";
import { buildRoute } from "./build-route.ts";
import { chainSlug } from "./chain-slug.ts";
import { SwapRefusal, swapsJson } from "./errors.ts";
import { findRoute } from "./find-route.ts";

/** Maximum number of issued routes that can still be built. */
const MAX_ROUTES = 1_000;

/** Returns the request handler of KyberSwap's API. */
export function answerSwaps(bridgeChains: BridgeChains): Answerer {
  /** The issued routes as text, by checksum: the service builds only unchanged routes that it has issued. */
  const issued = new Map<string, string>();
  const answer = async ({ method, path, body }: EmulatorRequest): Promise<EmulatorAnswer> => {
    const { pathname, searchParams } = new URL(path, "http://kyberswap");
    const [, slug = "", ...rest] = pathname.split("/");
    const chain = [...bridgeChains.values()].find(({ chainId }) => chainSlug(chainId) === slug);
    const operation = `${method} ${rest.join("/")}`;
    if (chain !== undefined && operation === "GET api/v1/routes") {
      const found = findRoute(chain, searchParams);
      const [oldest] = issued.keys();
      if (issued.size >= MAX_ROUTES && oldest !== undefined) issued.delete(oldest);
      issued.set(found.checksum, found.summary);
      return swapsJson(200, found.body);
    }
    if (chain !== undefined && operation === "POST api/v1/route/build")
      return swapsJson(200, buildRoute(chain, { text: body.toString("utf8"), issued }));
    return new SwapRefusal(404, { message: "not found", status: 404 }).toAnswer();
  };
  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      if (error instanceof SwapRefusal) return error.toAnswer();
      throw error;
    }
  };
}
