import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, isAddress, pad } from "viem";
import { augustusV6Abi } from "#stand-ins/velora";
import { type BridgeChain, type BridgeChains, isNative } from "../../bridge/bridge-chains.ts";
import type { EmulatorAnswer } from "../faults.ts";
import { GAS_PRICE } from "../lifi/costs.ts";
import type { Answerer, EmulatorRequest } from "../server.ts";
import { VeloraRefusal, veloraJson } from "./errors.ts";
import { type FoundPrice, findPrice, nameOf } from "./find-price.ts";

const BPS = 10_000n;
/** Flag of `partnerAndFee` that the service sets by default: the router keeps at most 1% of surplus. */
const CAP_SURPLUS = 1n << 92n;

/** Returns the request handler of Velora's Market API. */
export function answerVelora(bridgeChains: BridgeChains): Answerer {
  const answer = ({ method, path }: EmulatorRequest): EmulatorAnswer => {
    const { pathname, searchParams: query } = new URL(path, "http://velora");
    if (method !== "GET" || !["/prices", "/swap"].includes(pathname))
      return new VeloraRefusal("Not Found", 404).toAnswer();
    const chain = bridgeChains.get(Number(query.get("network") ?? "1"));
    if (chain === undefined) throw new VeloraRefusal("Unsupported network", 422);
    const found = findPrice(chain, query);
    const { priceRoute } = found;
    if (pathname === "/prices") return veloraJson(200, { priceRoute });
    return veloraJson(200, { priceRoute, txParams: buildSwap(chain, { found, query }) });
  };
  return async (request) => {
    try {
      return answer(request);
    } catch (error) {
      if (error instanceof VeloraRefusal) return error.toAnswer();
      throw error;
    }
  };
}

/** Encodes the transaction of a price. Throws the API's errors. Source: `GET /swap`. */
function buildSwap(chain: BridgeChain, { found, query }: { found: FoundPrice; query: URLSearchParams }) {
  const user = accountIn(query, "userAddress");
  const receiver = query.has("receiver") ? accountIn(query, "receiver") : user;
  const slippage = query.get("slippage") ?? "";
  if (!/^\d{1,4}$/.test(slippage)) throw new VeloraRefusal("Validation failed: slippage");
  const { from, to, amountIn, amountOut } = found;
  const swapData = {
    srcToken: nameOf(from),
    destToken: nameOf(to),
    fromAmount: amountIn,
    toAmount: (amountOut * (BPS - BigInt(slippage))) / BPS,
    quotedAmount: amountOut,
    metadata: pad("0x01", { size: 32 }),
    beneficiary: receiver,
  };
  const executorData: Hex = encodeAbiParameters(
    [{ type: "address" }, { type: "address" }],
    [from.address, to.address],
  );
  const data = encodeFunctionData({
    abi: augustusV6Abi,
    functionName: "swapExactAmountIn",
    args: [chain.contracts.veloraExecutor, swapData, CAP_SURPLUS, "0x", executorData],
  });
  const value = isNative(from) ? amountIn.toString() : "0";
  const { veloraRouter: router } = chain.contracts;
  return { from: user, to: router, value, data, gasPrice: GAS_PRICE.toString(), chainId: chain.chainId };
}

function accountIn(query: URLSearchParams, name: string): Address {
  const text = query.get(name) ?? "";
  if (!isAddress(text, { strict: false })) throw new VeloraRefusal(`Validation failed: ${name}`);
  return text;
}
