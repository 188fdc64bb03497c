import { type Address, erc20Abi } from "viem";
import { readNativeBalance } from "../chains/aggregate.ts";
import type { ChainClient } from "../chains/client.ts";
import { createQuery, read, valueOrNull } from "../chains/query.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import type { BlockTime } from "../lib/blocks.ts";
import { readUncached } from "../vaults/vault-state.ts";

/** A user and the token of the source chain that they pay with; the zero address for native. */
export interface Payer {
  from: { client: ChainClient; chainId: number; token: Address };
  user: Address;
}

/** What a user holds of the token they pay with, all at one block. Amounts in smallest units. */
export interface Funds {
  /** Null: could not be read. */
  balance: bigint | null;
  /** What each possible spender may take, by lower-case address; null: could not be read. */
  allowances: ReadonlyMap<string, bigint | null>;
  block: BlockTime;
}

/**
 * Reads what the user holds on the source chain, and what each of the spenders may take of it, in one request.
 * Throws `token_unsupported` for what is no token there, and what reading the chain throws.
 */
export async function readFunds(
  ctx: Context,
  input: { payer: Payer; spenders: readonly Address[] },
): Promise<Funds> {
  const { from, user } = input.payer;
  const native = isNative(from.token);
  const described = native ? noReads : tokenFundsQuery(input.payer, input.spenders);
  const [{ value, block }, balance] = await Promise.all([
    readUncached(ctx, { chainId: from.chainId, query: described }),
    native ? readNativeBalance(from.client, user) : null,
  ]);
  if (native) return { balance, allowances: new Map(), block };
  if (value.balance === null) throw failure("token_unsupported", "from_token is no token on this chain");
  return { ...value, block };
}

type TokenFunds = Omit<Funds, "block">;

const noReads = createQuery({}, (): TokenFunds => ({ balance: null, allowances: new Map() }));

function tokenFundsQuery({ from, user }: Payer, spenders: readonly Address[]) {
  const onToken = { to: from.token, abi: erc20Abi } as const;
  const allowance = (spender: Address) =>
    [`allowance/${spender}`, read({ ...onToken, name: "allowance", args: [user, spender] })] as const;
  const balance = read({ ...onToken, name: "balanceOf", args: [user] });
  return createQuery(
    { balance, ...Object.fromEntries(spenders.map(allowance)) },
    ({ balance: held, ...allowances }): TokenFunds => ({
      balance: valueOrNull(held),
      allowances: new Map(
        spenders.map((spender) => {
          const result = allowances[`allowance/${spender}` as keyof typeof allowances];
          return [spender.toLowerCase(), result === undefined ? null : valueOrNull(result)];
        }),
      ),
    }),
  );
}
