import {
  type Address,
  domainSeparator,
  encodeAbiParameters,
  encodeFunctionData,
  getAbiItem,
  type Hex,
  hashTypedData,
  hexToBigInt,
  keccak256,
} from "viem";
import { depositRouterAbi } from "./deposit-router-artifact.ts";
import { depositRouterAddress } from "./router-address.ts";
import type { RouterCall } from "./router-codec.ts";

/** Canonical address of Permit2, Uniswap's contract for signed token transfers. */
export const permit2Address: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3";

/** Returns Permit2's EIP-712 domain separator on a chain; the domain has no version. Source: Permit2, `EIP712.sol`. */
export function hashPermit2Domain(chainId: number): Hex {
  return domainSeparator({ domain: { name: "Permit2", chainId, verifyingContract: permit2Address } });
}

/** The kinds of signature that can pay for an order: ERC-3009, Permit2, and an ERC-2612 permit. */
export type AuthorizationKind = "erc3009" | "permit2" | "permit";

/**
 * The EIP-712 domain of a token. Its hash must equal the token's `DOMAIN_SEPARATOR`. `name` and `version` are absent if
 * the token's domain does not contain them, as is the case for some share tokens.
 */
export interface TokenDomain {
  name?: string;
  version?: string;
  chainId: number;
  verifyingContract: Address;
}

/** EIP-712 fields of an order, as DepositRouter.sol hashes them. */
const ORDER_FIELDS = [
  { name: "tokenIn", type: "address" },
  { name: "amountIn", type: "uint256" },
  { name: "minIn", type: "uint256" },
  { name: "nativeFee", type: "uint256" },
  { name: "tokenOut", type: "address" },
  { name: "receiver", type: "address" },
  { name: "minOut", type: "uint256" },
  { name: "minOutPerIn", type: "uint256" },
  { name: "deadline", type: "uint256" },
  { name: "direct", type: "bool" },
  { name: "refundTo", type: "address" },
  { name: "ref", type: "bytes32" },
  { name: "partnerId", type: "bytes32" },
  { name: "partnerType", type: "uint8" },
  { name: "stepsHash", type: "bytes32" },
  { name: "sweepHash", type: "bytes32" },
] as const;

/** Returns the EIP-712 message of an order: its fields, and the hashes of its ABI-encoded steps and sweep list. */
function toOrderMessage({ order, steps, sweep }: RouterCall) {
  const [, stepsType, sweepType] = getAbiItem({ abi: depositRouterAbi, name: "execute" }).inputs;
  return {
    ...order,
    stepsHash: keccak256(encodeAbiParameters([stepsType], [steps])),
    sweepHash: keccak256(encodeAbiParameters([sweepType], [sweep])),
  };
}

/**
 * Returns the EIP-712 digest of an order in the Router's domain. It is the nonce of the ERC-3009 authorization or
 * Permit2 transfer that pays for the order. Source: `_digestOf` in DepositRouter.sol.
 */
export function hashOrder(call: RouterCall, chainId: number): Hex {
  const name = "Causeway DepositRouter";
  return hashTypedData({
    domain: { name, version: "1", chainId, verifyingContract: depositRouterAddress },
    types: { Order: ORDER_FIELDS },
    primaryType: "Order",
    message: toOrderMessage(call),
  });
}

/**
 * Returns the EIP-712 message that pays for an order through ERC-3009: it lets the Router receive `amountIn` up to and
 * including the deadline, with the order's digest as the nonce. Source: EIP-3009.
 */
export function toAuthorizationMessage(call: RouterCall, by: { owner: Address; domain: TokenDomain }) {
  const { order } = call;
  return {
    domain: by.domain,
    types: {
      ReceiveWithAuthorization: [
        { name: "from", type: "address" },
        { name: "to", type: "address" },
        { name: "value", type: "uint256" },
        { name: "validAfter", type: "uint256" },
        { name: "validBefore", type: "uint256" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "ReceiveWithAuthorization",
    message: {
      from: by.owner,
      to: depositRouterAddress,
      value: order.amountIn,
      validAfter: 0n,
      validBefore: order.deadline + 1n,
      nonce: hashOrder(call, by.domain.chainId),
    },
  } as const;
}

/**
 * Returns the EIP-712 message that pays for an order through Permit2: `amountIn` for the Router until the deadline,
 * with the order as witness and its digest as nonce. Source: github.com/Uniswap/permit2, `SignatureTransfer`.
 */
export function toPermit2Message(call: RouterCall, chainId: number) {
  const { order } = call;
  return {
    domain: { name: "Permit2", chainId, verifyingContract: permit2Address },
    types: {
      PermitWitnessTransferFrom: [
        { name: "permitted", type: "TokenPermissions" },
        { name: "spender", type: "address" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
        { name: "witness", type: "Order" },
      ],
      Order: ORDER_FIELDS,
      TokenPermissions: [
        { name: "token", type: "address" },
        { name: "amount", type: "uint256" },
      ],
    },
    primaryType: "PermitWitnessTransferFrom",
    message: {
      permitted: { token: order.tokenIn, amount: order.amountIn },
      spender: depositRouterAddress,
      nonce: hexToBigInt(hashOrder(call, chainId)),
      deadline: order.deadline,
      witness: toOrderMessage(call),
    },
  } as const;
}

/**
 * Returns the EIP-712 message of an ERC-2612 permit that allows the Router `amountIn` and is usable until the deadline.
 * It does not commit to the order, which only the owner can submit with it. `nonce` is the owner's permit nonce in the
 * token. Source: EIP-2612.
 */
export function toPermitMessage(
  { order }: RouterCall,
  by: { owner: Address; domain: TokenDomain; nonce: bigint },
) {
  return {
    domain: by.domain,
    types: {
      Permit: [
        { name: "owner", type: "address" },
        { name: "spender", type: "address" },
        { name: "value", type: "uint256" },
        { name: "nonce", type: "uint256" },
        { name: "deadline", type: "uint256" },
      ],
    },
    primaryType: "Permit",
    message: {
      owner: by.owner,
      spender: depositRouterAddress,
      value: order.amountIn,
      nonce: by.nonce,
      deadline: order.deadline,
    },
  } as const;
}

/**
 * Returns the EIP-712 message that an owner signs to cancel an unused ERC-3009 authorization by its nonce. Source:
 * EIP-3009.
 */
export function toCancelMessage(by: { owner: Address; domain: TokenDomain; nonce: Hex }) {
  return {
    domain: by.domain,
    types: {
      CancelAuthorization: [
        { name: "authorizer", type: "address" },
        { name: "nonce", type: "bytes32" },
      ],
    },
    primaryType: "CancelAuthorization",
    message: { authorizer: by.owner, nonce: by.nonce },
  } as const;
}

/**
 * Encodes the Router call that executes an order with its owner's signature. Anyone may submit a call of kind `erc3009`
 * or `permit2`; only the owner may submit one of kind `permit`.
 */
export function encodeSignedCall(
  { order, steps, sweep }: RouterCall,
  by: { kind: AuthorizationKind; owner: Address; signature: Hex },
): Hex {
  const { kind, owner, signature } = by;
  if (kind === "permit")
    return encodeFunctionData({
      abi: depositRouterAbi,
      functionName: "executeWithPermit",
      args: [order, steps, sweep, signature],
    });
  return encodeFunctionData({
    abi: depositRouterAbi,
    functionName: kind === "erc3009" ? "executeWithAuthorization" : "executeWithPermit2",
    args: [order, steps, sweep, owner, signature],
  });
}
