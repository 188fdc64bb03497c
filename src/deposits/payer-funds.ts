import { type Address, erc20Abi } from "viem";
import { nativeBalanceRead } from "../chains/aggregator/aggregate-reads.ts";
import { createQuery, type Query, read, valueOrNull } from "../chains/chain-reads.ts";

/** What a payer holds, and what the spender may take, each null if it could not be read. */
export interface PayerFunds {
  /** Balance of the paid token and the spender's allowance, in its smallest unit. */
  balance: bigint | null;
  allowance: bigint | null;
  /** The submitter's balance of the native currency, in wei. */
  nativeBalance: bigint | null;
}

/** Returns the query for the funds of a deposit's payer. `submitter` sends the transaction; absent: the user. */
export function payerFundsQuery(of: {
  token: Address;
  user: Address;
  spender: Address;
  submitter?: Address | undefined;
}): Query<PayerFunds> {
  const { token, user, spender, submitter = user } = of;
  return createQuery(
    {
      balance: read({ to: token, abi: erc20Abi, name: "balanceOf", args: [user] }),
      allowance: read({ to: token, abi: erc20Abi, name: "allowance", args: [user, spender] }),
      gas: nativeBalanceRead(submitter),
    },
    ({ balance, allowance, gas }) => ({
      balance: valueOrNull(balance),
      allowance: valueOrNull(allowance),
      nativeBalance: valueOrNull(gas),
    }),
  );
}
