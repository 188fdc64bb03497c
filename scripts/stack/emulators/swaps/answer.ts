import type { BridgeChain, BridgeChains } from "../../bridge/bridge-chains.ts";
import { headOf } from "../../bridge/node-requests.ts";
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
    if (chain !== undefined && operation === "POST api/v1/route/build") {
      const text = body.toString("utf8");
      return swapsJson(200, buildRoute(chain, { text, issued, aheadSeconds: await secondsAhead(chain) }));
    }
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

/** Returns by how many seconds the chain's clock is ahead of the wall clock: the relayer moves it for each refund. */
async function secondsAhead({ url }: BridgeChain): Promise<number> {
  const { timestamp } = await headOf(url);
  return Math.max(0, timestamp - Math.floor(Date.now() / 1000));
}
