import { type Address, type Hex, isAddress, isHex } from "viem";
import type { BridgeChain, BridgeChains, BridgeToken } from "../../bridge/bridge-chains.ts";
import { isNative, tokenAt } from "../../bridge/bridge-chains.ts";
import { AcrossRefusal, invalidParameter, missingParameter } from "./errors.ts";

/** Query parameters of a request. */
export type AcrossQuery = Readonly<Record<string, string>>;

/** Both ends of an enabled route. */
export interface RouteEnds {
  origin: BridgeChain;
  destination: BridgeChain;
  input: BridgeToken;
  output: BridgeToken;
}

/** Parses a request's route. Throws `MISSING_PARAM`, `INVALID_PARAM` or `ROUTE_NOT_ENABLED`. */
export function readRoute(bridgeChains: BridgeChains, query: AcrossQuery): RouteEnds {
  if (
    query["token"] === undefined &&
    (query["inputToken"] === undefined || query["outputToken"] === undefined)
  )
    throw missingParameter("Query param 'token' or 'inputToken' and 'outputToken' must be provided");
  const origin = chainOf(bridgeChains, { query, name: "originChainId" });
  const destination = chainOf(bridgeChains, { query, name: "destinationChainId" });
  if (origin === destination)
    throw invalidParameter("destinationChainId", "Origin and destination chains cannot be the same");
  const input = tokenOf(origin, addressOf(query, query["token"] === undefined ? "inputToken" : "token"));
  if (input === null) throw invalidParameter("inputToken", "Unsupported token on given origin chain");
  const output =
    query["outputToken"] === undefined
      ? (destination.tokens.find(({ asset, address }) => asset === input.asset && !isZero(address)) ?? null)
      : tokenOf(destination, addressOf(query, "outputToken"));
  if (output === null) throw invalidParameter("outputToken", "Unsupported token on given destination chain");
  if (input.asset !== output.asset)
    throw new AcrossRefusal("ROUTE_NOT_ENABLED", { message: "Route is not enabled." });
  if (input.decimals !== output.decimals && query["allowUnmatchedDecimals"] !== "true")
    throw invalidParameter("outputToken", "Input and output tokens must have the same number of decimals");
  return { origin, destination, input, output };
}

/** Parses a positive amount in decimal digits. Throws `MISSING_PARAM` or `INVALID_PARAM`. */
export function amountOf(query: AcrossQuery, name: string): bigint {
  const text = query[name];
  if (text === undefined) throw missingParameter(`Missing parameter at path '${name}'`);
  if (!/^[1-9]\d{0,77}$/.test(text))
    throw invalidParameter(
      name,
      `Invalid parameter at path '${name}'. Expected type 'positive integer string'`,
    );
  return BigInt(text);
}

/** Parses a required address. Throws `MISSING_PARAM` or `INVALID_PARAM`. */
export function addressOf(query: AcrossQuery, name: string): Address {
  const text = query[name];
  if (text === undefined) throw missingParameter(`Missing parameter at path '${name}'`);
  if (!isAddress(text, { strict: false }))
    throw invalidParameter(name, `Invalid parameter at path '${name}'. Expected type 'valid address'`);
  return text;
}

/** Parses a request's message; "0x" when it has none. Throws `INVALID_PARAM`. */
export function messageOf(query: AcrossQuery): Hex {
  const text = query["message"] ?? "0x";
  if (text === "") return "0x";
  if (!isHex(text)) throw invalidParameter("message", "Message must be a hex string");
  if (text.length % 2 !== 0) throw invalidParameter("message", "Message must be an even hex string");
  return text;
}

function chainOf(
  bridgeChains: BridgeChains,
  { query, name }: { query: AcrossQuery; name: string },
): BridgeChain {
  const text = query[name];
  if (text === undefined) throw missingParameter(`Missing parameter at path '${name}'`);
  if (!/^\d+$/.test(text))
    throw invalidParameter(
      name,
      `Invalid parameter at path '${name}'. Expected type 'positive integer string'`,
    );
  const chain = bridgeChains.get(Number(text));
  if (chain === undefined) throw invalidParameter(name, `Unsupported chain ${text}`);
  return chain;
}

/** Finds an ERC-20 token; native money has no route, because the SpokePool accepts only its wrapped form. */
function tokenOf(chain: BridgeChain, address: Address): BridgeToken | null {
  const token = tokenAt(chain, address);
  return token === null || isNative(token) ? null : token;
}

const isZero = (address: Address): boolean => /^0x0{40}$/.test(address);
