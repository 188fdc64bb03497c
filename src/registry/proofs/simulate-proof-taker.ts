import { type Address, getAddress, type Hex, isAddressEqual, size, slice } from "viem";
import { simulatedLogs } from "../../chains/chain-transaction.ts";
import { runSimulation } from "../../chains/simulator/run-simulation.ts";
import type { Context } from "../../context.ts";
import type { UserCall } from "../../orders/order-wallet-calls.ts";
import {
  INCLUSION_DELAY_S,
  paymentOverrides,
  type TokenPayment,
} from "../../orders/simulate-order-payment.ts";
import { nullIfUnavailable } from "./simulate-proof-exit.ts";

/**
 * Code of a token that answers every call with 1 and, in `transferFrom`, logs two topics: its caller and the account
 * that it takes from. It makes no calls and keeps nothing.
 */
const WITNESS_CODE: Hex = "0x6323b872dd3d3560e01c1415601657600435333d3da25b60013d5260203df3";

/**
 * Finds the contract, other than the spender that the payment approves, that takes the asset from the payer in a deposit
 * which reverts: where every transfer of the asset succeeds, the deposit succeeds, and only this contract asks for one.
 * Null if the deposit fails then too, or if the simulation does not show it. Errors of the RPC nodes propagate.
 */
export async function findOtherTaker(
  ctx: Context,
  { payment, call }: { payment: TokenPayment; call: UserCall },
): Promise<Address | null> {
  const { client, payer: user, token, spender, block, setting = null } = payment;
  const made = await nullIfUnavailable(
    runSimulation(client, {
      ...{ user, calls: [call], reads: [], standsAlone: false, setting },
      overrides: [...(await paymentOverrides(ctx, payment)), { address: token, code: WITNESS_CODE }],
      time: block.timestamp + INCLUSION_DELAY_S,
    }),
  );
  const logs = made?.failedAt === null ? made.calls.at(-1)?.logs : null;
  const takers = simulatedLogs(logs ?? []).flatMap(({ address, topics }) => {
    const [taker, from] = topics.map((topic) => getAddress(slice(topic, size(topic) - 20)));
    const takes = isAddressEqual(address, token) && from !== undefined && isAddressEqual(from, user);
    return takes && taker !== undefined ? [taker] : [];
  });
  const [first] = takers;
  return first !== undefined &&
    takers.every((taker) => isAddressEqual(taker, first)) &&
    first !== getAddress(spender)
    ? first
    : null;
}
