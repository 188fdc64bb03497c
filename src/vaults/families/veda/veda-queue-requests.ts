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
import { once } from "../../../lib/once.ts";
import {
  acceptedRequestId,
  contractOfRequest,
  contractsOf,
  idAtContract,
  requestContracts,
} from "../../accepted-contracts.ts";
import type { Vault } from "../../vault.ts";
import { isHexOfBytes } from "../../vault-params.ts";

const requestParameters = once(() =>
  parseAbiParameters(
    "(uint96 nonce, address user, address assetOut, uint128 amountOfShares, uint128 amountOfAssets, uint40 creationTime, uint24 secondsToMaturity, uint24 secondsToDeadline)",
  ),
);
/** Size in bytes of a packed request. */
const PACKED_SIZE = 75;

/** Returns the vault's queues; see `contractsOf`. Throws an Error if a parameter is invalid. */
export const queuesOf = (vault: Vault): Address[] => contractsOf(vault, requestContracts.queues);

/** Returns the queue that holds a request by its id, or null if the vault has none. */
export const queueOfRequest = (vault: Vault, requestId: string): Address | null =>
  contractOfRequest(queuesOf(vault), requestId);

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
 * Packs all fields of a request except the user into the id that this service stores (`acceptedRequestId`). The queue stores
 * only a hash of them, but a cancellation needs the fields. Null if a field does not fit its type, which viem's decoders
 * do not check.
 */
export function queueRequestId(
  vault: Vault,
  { queue, request }: { queue: Address; request: Omit<QueueRequest, "user"> },
): string | null {
  const { nonce, assetOut, amountOfShares, amountOfAssets } = request;
  const { creationTime, secondsToMaturity, secondsToDeadline } = request;
  try {
    const id = encodePacked(
      ["uint96", "address", "uint128", "uint128", "uint40", "uint24", "uint24"],
      [nonce, assetOut, amountOfShares, amountOfAssets, creationTime, secondsToMaturity, secondsToDeadline],
    );
    return acceptedRequestId(queuesOf(vault), { contract: queue, id });
  } catch {
    return null;
  }
}

/** Returns a user's request by its id, or null if the id is not that of a request in a queue. */
export function unpackRequest(requestId: string, user: Address): QueueRequest | null {
  const id = idAtContract(requestId);
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

/** Returns the hash by which the queue knows a request. */
export const hashRequest = (request: QueueRequest): Hex =>
  keccak256(encodeAbiParameters(requestParameters(), [request]));
