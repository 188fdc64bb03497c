import { type Address, encodeFunctionData, type Hex, hashTypedData, parseAbi, size, sliceHex } from "viem";
import type { ChainClient } from "../../chains/chain-client.ts";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { Context } from "../../context.ts";
import { failure } from "../../errors.ts";
import type { BlockTime } from "../../lib/block-ranges.ts";
import { once } from "../../lib/once.ts";
import { permit2Address, toCancelMessage } from "../../router/router-signature-messages.ts";
import type { Step } from "../../schemas/step-schema.ts";
import type { TransactionRequest } from "../../schemas/transaction-schema.ts";
import { type StepLeg, signatureStep, transactionStep } from "../order-steps.ts";
import { toTransactionRequest, type UserCall } from "../order-wallet-calls.ts";
import { INCLUSION_DELAY_S } from "../simulate-order-payment.ts";
import { checkedSignature, clientOf, type GivenSignature, readOrderState } from "./authorize-order.ts";
import {
  orderNonce,
  orderOf,
  type PlannedAuthorization,
  permit2NonceBit,
  toTypedData,
} from "./planned-authorization.ts";

const cancelAbi = once(() =>
  parseAbi([
    "function invalidateUnorderedNonces(uint256 word, uint256 mask)",
    "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
    "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  ]),
);

/**
 * A signed order to cancel, with the leg that it pays for. `signature` is that of the ERC-3009 cancellation message, or
 * null until the user has signed it; Permit2 needs none.
 */
export interface OrderCancellation extends Pick<GivenSignature, "planned" | "spent"> {
  leg: Pick<StepLeg, "slot" | "chainId" | "token" | "amount">;
  signature: Hex | null;
}

/**
 * Returns the next step that cancels a signed order: a transaction, or, for ERC-3009 without `signature`, the message
 * to sign. Throws the code in `spent` for a permit and a used or cancelled order, `quote_expired` after the deadline,
 * `signature_invalid`, `would_revert`, or another AppError; errors of the RPC nodes propagate.
 */
export async function cancelAuthorization(ctx: Context, given: OrderCancellation): Promise<Step> {
  const { planned, spent, leg, signature } = given;
  if (planned.kind === "permit")
    throw failure(spent, "only the user can send this order, so there is nothing to cancel");
  const client = clientOf(ctx, planned);
  const message = planned.kind === "erc3009" ? cancelMessageOf(planned) : null;
  const { owner: address } = planned;
  const signed =
    message === null || signature === null ? null : { address, hash: hashTypedData(message), signature };
  const state = await readOrderState(client, { planned, signed });
  const { block } = state;
  if (state.used) throw failure(spent, "the order was already sent or cancelled");
  const { order } = orderOf(planned);
  if (BigInt(block.timestamp) > order.deadline)
    throw failure("quote_expired", "the order's deadline has passed, so it can no longer be submitted");
  if (message === null)
    return toStep(leg, await simulateCancel(client, { planned, block, call: invalidation(planned) }));
  if (signed === null)
    return signatureStep(leg, { purpose: "cancel", typedData: toTypedData(message), state: "required" });
  const checked = await checkedSignature(signed, state);
  const call = cancellation(planned, { token: order.tokenIn, signature: checked });
  return toStep(leg, await simulateCancel(client, { planned, block, call }));
}

function cancelMessageOf(planned: PlannedAuthorization) {
  const { owner, domain } = planned;
  if (domain === null) throw new TypeError("a token's signature needs its domain");
  return toCancelMessage({ owner, domain, nonce: orderNonce(planned) });
}

/** Returns the owner's call that invalidates the order's Permit2 nonce. Source: Permit2, `SignatureTransfer`. */
function invalidation(planned: PlannedAuthorization): UserCall {
  const { word, mask } = permit2NonceBit(planned);
  const functionName = "invalidateUnorderedNonces";
  const data = encodeFunctionData({ abi: cancelAbi(), functionName, args: [word, mask] });
  return { target: permit2Address, value: 0n, data };
}

/** Returns the call that cancels an ERC-3009 authorisation with its owner's signature. Source: EIP-3009. */
function cancellation(
  planned: PlannedAuthorization,
  { token, signature }: { token: Address; signature: Hex },
): UserCall {
  const common = [planned.owner, orderNonce(planned)] as const;
  const functionName = "cancelAuthorization";
  const parts = size(signature) === 65 ? partsOf(signature) : ([signature] as const);
  const data = encodeFunctionData({ abi: cancelAbi(), functionName, args: [...common, ...parts] });
  return { target: token, value: 0n, data };
}

const partsOf = (signature: Hex) =>
  [Number(sliceHex(signature, 64, 65)), sliceHex(signature, 0, 32), sliceHex(signature, 32, 64)] as const;

async function simulateCancel(
  client: ChainClient,
  of: { planned: PlannedAuthorization; block: BlockTime; call: UserCall },
): Promise<TransactionRequest> {
  const { planned, block, call } = of;
  const { calls, failedAt } = await runSimulation(client, {
    user: planned.owner,
    calls: [call],
    reads: [],
    overrides: [],
    time: block.timestamp + INCLUSION_DELAY_S,
    standsAlone: true,
    keepsCode: true,
  });
  const [made] = calls;
  if (failedAt !== null || made === undefined)
    throw failure("would_revert", "the cancellation would revert", { revert: null });
  return toTransactionRequest(call, { chainId: planned.chainId, gasUsed: made.gasUsed });
}

const toStep = (leg: OrderCancellation["leg"], request: TransactionRequest): Step =>
  transactionStep({ ...leg, spender: null }, { purpose: "cancel", request, state: "required", txHash: null });
