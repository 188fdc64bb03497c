import {
  type Address,
  encodeAbiParameters,
  encodePacked,
  getAddress,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  parseAbiParameters,
  slice,
} from "viem";
import { createQuery, type Query } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import { isHexOfBytes } from "../../vault-params.ts";
import type { RequestFlow } from "../../vault-request-flow.ts";
import { isAtomicRequest } from "./veda-atomic-queue.ts";

const requestParameters = once(() =>
  parseAbiParameters(
    "(uint96 nonce, address user, address assetOut, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
  ),
);
/** Size in bytes of the request ids that this service uses. */
const PACKED_SIZE = 75;

/** A request as the queue hashes it. The queue stores only the hash. */
export interface QueueRequest {
  nonce: bigint;
  user: Address;
  assetOut: Address;
  amountOfShares: bigint;
  amountOfAssets: bigint;
  creationTime: number;
  secondsToMaturity: number;
  secondsToDeadline: number;
}

/**
 * Packs all fields of a request except the user into the id that this service stores. The queue stores only a hash of
 * them, but a cancellation needs the fields. Null if a field does not fit its type, which viem's decoders do not check.
 */
export function packRequest(request: QueueRequest): Hex | null {
  const { nonce, assetOut, amountOfShares, amountOfAssets } = request;
  const { creationTime, secondsToMaturity, secondsToDeadline } = request;
  try {
    return encodePacked(
      ["uint96", "address", "uint128", "uint128", "uint40", "uint24", "uint24"],
      [nonce, assetOut, amountOfShares, amountOfAssets, creationTime, secondsToMaturity, secondsToDeadline],
    );
  } catch {
    return null;
  }
}

export function unpackRequest(id: string, user: Address): QueueRequest | null {
  if (!isHexOfBytes(id, PACKED_SIZE)) return null;
  return {
    nonce: hexToBigInt(slice(id, 0, 12)),
    user,
    assetOut: getAddress(slice(id, 12, 32)),
    amountOfShares: hexToBigInt(slice(id, 32, 48)),
    amountOfAssets: hexToBigInt(slice(id, 48, 64)),
    creationTime: hexToNumber(slice(id, 64, 69)),
    secondsToMaturity: hexToNumber(slice(id, 69, 72)),
    secondsToDeadline: hexToNumber(slice(id, 72, 75)),
  };
}

export const hashRequest = (request: QueueRequest): Hex =>
  keccak256(encodeAbiParameters(requestParameters(), [request]));

/**
 * Returns a query without reads for the total assets of a user's requests in the queue that were not cancelled and of
 * the payments by AtomicQueues, in the asset's smallest unit; null if one is unknown. Other ids are ignored.
 */
export function takenByQueue(
  _vault: Vault,
  of: { user: Address; flows: readonly RequestFlow[] },
): Query<bigint | null> {
  return createQuery({}, () => sumOf(takenBy(of), ({ assets }) => assets));
}

/** Returns the total shares of these requests, open ones in the queue included, and payments; see `takenByQueue`. */
export const sharesTakenByQueue = (
  _vault: Vault,
  of: { user: Address; flows: readonly RequestFlow[] },
): bigint | null => sumOf(takenBy(of), ({ shares }) => shares);

type Taken = Pick<RequestFlow, "assets" | "shares">;

/** Returns a user's requests in the queue that were not cancelled, and the payments by AtomicQueues. */
function takenBy({ user, flows }: { user: Address; flows: readonly RequestFlow[] }): Taken[] {
  const back = new Set(flows.flatMap(({ kind, requestId }) => (kind === "deposit" ? requestId : [])));
  return flows.flatMap(({ kind, requestId, assets, shares }): Taken[] => {
    if (kind !== "withdrawal") return [];
    if (isAtomicRequest(requestId)) return [{ assets, shares }];
    const request = unpackRequest(requestId, user);
    return request === null || back.has(hashRequest(request))
      ? []
      : [{ assets, shares: request.amountOfShares }];
  });
}

const sumOf = (all: readonly Taken[], amountOf: (one: Taken) => bigint | null): bigint | null =>
  all.reduce<bigint | null>((sum, one) => {
    const amount = amountOf(one);
    return sum === null || amount === null ? null : sum + amount;
  }, 0n);
