import { getAddress, type Hex, zeroAddress } from "viem";
import { AWAY, HOME, SPOKE_POOL, USDC } from "./contracts.ts";

/** Across' response about a transfer; absent fields are unknown. */
export interface AcrossWord {
  status: "pending" | "filled" | "refunded" | "expired" | "slowFillRequested" | "slowFilled";
  actionsSucceeded?: boolean;
  originChainId?: number;
  destinationChainId?: number;
  fillTx?: Hex;
  depositRefundTxHash?: Hex;
}

/** Emulated Across API. Quotes are honest; the status of a transfer is whatever the test sets. */
export class SimulatedAcrossApi {
  /** Returns the response about a source transaction, or null for an unknown one. */
  readonly say: (sourceHash: Hex) => AcrossWord | null;

  constructor(say: (sourceHash: Hex) => AcrossWord | null) {
    this.say = say;
  }

  respond(url: URL): Response {
    if (url.pathname.endsWith("/suggested-fees")) return Response.json(feesOf(url.searchParams));
    if (url.pathname.endsWith("/deposit/status")) {
      const word = this.say(url.searchParams.get("depositTxnRef") as Hex);
      if (word === null) {
        const error = {
          error: "DepositNotFoundException",
          message: "Deposit not found given the constraints",
        };
        return Response.json(error, { status: 404 });
      }
      return Response.json({ originChainId: AWAY, destinationChainId: HOME, ...word });
    }
    return Response.json({ error: "NotFound", message: "no such path" }, { status: 404 });
  }
}

function feesOf(query: URLSearchParams): Record<string, unknown> {
  const at = Math.floor(Date.now() / 1000);
  const amount = BigInt(query.get("amount") ?? "0");
  const [from, to] = [Number(query.get("originChainId")), Number(query.get("destinationChainId"))];
  const fee = amount / 1_000n;
  const part = { pct: "1000000000000000", total: fee.toString() };
  const token = (chainId: number) => ({ address: USDC[chainId], decimals: 6, symbol: "USDC", chainId });
  return {
    estimatedFillTimeSec: 3,
    timestamp: String(at),
    isAmountTooLow: false,
    quoteBlock: "1",
    exclusiveRelayer: zeroAddress,
    exclusivityDeadline: 0,
    spokePoolAddress: getAddress(SPOKE_POOL[from] ?? zeroAddress),
    destinationSpokePoolAddress: getAddress(SPOKE_POOL[to] ?? zeroAddress),
    totalRelayFee: part,
    lpFee: { pct: "0", total: "0" },
    limits: {
      minDeposit: "1000",
      maxDeposit: "1661211802629989209324",
      maxDepositInstant: "231397155893653",
    },
    fillDeadline: String(at + FILL_WINDOW_S),
    outputAmount: (amount - fee).toString(),
    inputToken: token(from),
    outputToken: token(to),
    id: "aaaaa-1700000000000-bbbbbbbbbbbb",
  };
}

/** Time in seconds after which an unfilled transfer is refunded. */
export const FILL_WINDOW_S = 7_140;
