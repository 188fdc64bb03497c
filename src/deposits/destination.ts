import type { Context } from "../context.ts";
import { fractionToParts, lessParts, MAX_UINT256 } from "../lib/amount.ts";
import { DAY_S } from "../lib/durations.ts";
import type { DestinationCall, MoveOption } from "../providers/provider.ts";
import { encodeRouterDeposit } from "../router/encode.ts";
import type { Token } from "../vaults/vault.ts";
import { type CheckedDeposit, checkDeposit } from "./check.ts";
import { type Floors, routerCall } from "./encode.ts";
import { allowedLoss, minimumShares } from "./floors.ts";
import type { Intent } from "./intent.ts";
import type { Order } from "./order.ts";
import { verifyRouterCall } from "./verify.ts";

/** The deposit that a bridge makes with what it delivers. Amounts in smallest units of what arrives. */
export interface Destination {
  /** For the amount that is expected. */
  intent: Intent;
  checked: CheckedDeposit;
  floors: Floors & { minShares: bigint };
  call: DestinationCall;
}

/** The longest that a delivery is waited for: relayers have up to a day. Seconds. */
const DELIVERY_S = DAY_S;
/** Several times what a deposit takes through the Router; a bridge that is paid for gas is paid for this. */
const GAS_LIMIT = 1_000_000n;

/**
 * Checks the vault for the expected amount and encodes the Router call that takes whatever arrives: no less than
 * the guaranteed amount less the allowed loss, for no fewer shares than the expected ones less the allowed loss.
 * Throws the refusals of `checkDeposit`.
 */
export async function planDestination(
  ctx: Context,
  input: { order: Order; token: Token; option: MoveOption },
): Promise<Destination> {
  const { order, token, option } = input;
  const intent: Intent = { ...order, token, amount: option.toAmount };
  const checked = await checkDeposit(ctx, { intent, amount: option.toAmount });
  const least = lessParts(option.toAmountMin, fractionToParts(order.slippage));
  const floors = {
    minIn: least > 0n ? least : 1n,
    minShares: minimumShares(checked.previewShares, allowedLoss(order.slippage, true)),
    deadline: BigInt(checked.block.timestamp + DELIVERY_S),
  };
  const meant = routerCall(intent, floors);
  const expected = { ...meant, deposit: { ...meant.deposit, amount: MAX_UINT256 } };
  const data = encodeRouterDeposit(expected);
  verifyRouterCall(intent, { data, expected });
  const call = { target: order.entry.address, data, minIn: floors.minIn, gasLimit: GAS_LIMIT };
  return { intent, checked, floors, call };
}
