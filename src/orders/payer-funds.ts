import { type Address, erc20Abi, zeroAddress } from "viem";
import { nativeBalanceRead, readNativeBalance } from "../chains/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, read, valueOrNull } from "../chains/chain-query.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { readWithFeeds } from "../prices/read-prices.ts";

/** A user, and the token they pay with on the source chain. The zero address stands for the native currency. */
export interface Payer {
  from: { client: ChainClient; chainId: number; token: Address };
  user: Address;
}

/** A payer's token balance and allowances, read at one block. Amounts are in the token's smallest unit. */
export interface Funds {
  /** Null if the node could not read the balance. */
  balance: bigint | null;
  /** The user's balance of the native currency, in wei, or null if the node could not read it. */
  nativeBalance: bigint | null;
  /** Decimals of the token, or null if the token states none. */
  decimals: number | null;
  /** Allowance by spender address in lowercase. An allowance is null if the node could not read it. */
  allowances: ReadonlyMap<string, bigint | null>;
  block: BlockTime;
}

/**
 * Reads a payer's token balance and the allowance of each spender in one request, with the price feeds of the token, of
 * the native currency and of the tokens in `priced`, all on the source chain. For the native currency it reads the balance
 * only. Throws `token_unsupported` if the address is not a token. Errors of the RPC nodes propagate.
 */
export async function readFunds(
  ctx: Context,
  input: { payer: Payer; spenders: readonly Address[]; priced?: readonly Address[] },
): Promise<Funds> {
  const { from, user } = input.payer;
  const native = isNative(from.token);
  const described = native ? noReads : tokenFundsQuery(input.payer, input.spenders);
  const [{ value, block }, balance] = await Promise.all([
    readWithFeeds(ctx, {
      chainId: from.chainId,
      tokens: [from.token, zeroAddress, ...(input.priced ?? [])],
      query: described,
    }),
    native ? readNativeBalance(from.client, user) : null,
  ]);
  const { decimals } = from.client.definition.native;
  if (native) return { balance, nativeBalance: balance, decimals, allowances: new Map(), block };
  if (value.balance === null) throw failure("token_unsupported", "from_token is not a token on this chain");
  return { ...value, block };
}

type TokenFunds = Omit<Funds, "block">;

const noReads = createQuery(
  {},
  (): TokenFunds => ({ balance: null, nativeBalance: null, decimals: null, allowances: new Map() }),
);

function tokenFundsQuery({ from, user }: Payer, spenders: readonly Address[]) {
  const onToken = { to: from.token, abi: erc20Abi } as const;
  const allowance = (spender: Address) =>
    [`allowance/${spender}`, read({ ...onToken, name: "allowance", args: [user, spender] })] as const;
  const balance = read({ ...onToken, name: "balanceOf", args: [user] });
  const decimals = read({ ...onToken, name: "decimals" });
  return createQuery(
    { balance, decimals, gas: nativeBalanceRead(user), ...Object.fromEntries(spenders.map(allowance)) },
    ({ balance: held, decimals: stated, gas, ...allowances }): TokenFunds => ({
      balance: valueOrNull(held),
      nativeBalance: valueOrNull(gas),
      decimals: valueOrNull(stated),
      allowances: new Map(
        spenders.map((spender) => {
          const result = allowances[`allowance/${spender}` as keyof typeof allowances];
          return [spender.toLowerCase(), result === undefined ? null : valueOrNull(result)];
        }),
      ),
    }),
  );
}
