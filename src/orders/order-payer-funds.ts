import { type Address, erc20Abi, zeroAddress } from "viem";
import {
  accountCodeRead,
  nativeBalanceRead,
  readNativeBalance,
  runQuery,
} from "../chains/aggregator/aggregate-reads.ts";
import type { ChainClient } from "../chains/chain-client.ts";
import { createQuery, type Query, queryAll, read, valueOrNull } from "../chains/chain-reads.ts";
import type { Context } from "../context.ts";
import { failure } from "../errors.ts";
import { isNative } from "../lib/address.ts";
import type { BlockTime } from "../lib/block-ranges.ts";
import { readWithFeeds } from "../prices/read-prices.ts";
import type { Warning } from "../schemas/step-schema.ts";
import { notAToken } from "../vaults/vault-token-metadata.ts";
import {
  type AccountKind,
  type AuthorizationFacts,
  accountKindOf,
  authorizationQuery,
} from "./authorization/authorization-facts.ts";
import { type AuthorizationWish, asksForSignature } from "./authorization/choose-authorization.ts";

/**
 * A user, and the token that the user pays with on the source chain. The zero address stands for the native currency.
 */
export interface Payer {
  from: { client: ChainClient; chainId: number; token: Address };
  user: Address;
  /** Authorization that the user requests; absent if no signature can pay for the route. */
  authorize?: AuthorizationWish;
}

/**
 * A payer's token balance and allowances, in the token's smallest unit, read at one block; only the balance of a
 * payment in the native currency is read separately.
 */
export interface Funds {
  /** Null if unknown. */
  balance: bigint | null;
  /**
   * The submitter's balance of the native currency, in wei, or null if it could not be read. For a payment in the
   * native currency, the user's.
   */
  nativeBalance: bigint | null;
  /** Decimals of the token, or null if unknown. */
  decimals: number | null;
  /**
   * Allowance by spender address in lowercase; empty for the native currency. An allowance is null if it could not be
   * read.
   */
  allowances: ReadonlyMap<string, bigint | null>;
  /** State that decides which signatures can pay; null if none was requested, or for the native currency. */
  authorization: AuthorizationFacts | null;
  /** The kind of the user's account on the source chain. Null if unknown, and if the order stays on one chain. */
  account: AccountKind | null;
  block: BlockTime;
}

/**
 * Reads a payer's balances, allowances and signing state, the token's decimals, and the price feeds of the token, the
 * native currency and the tokens in `priced`. Throws `token_unsupported` if the token's balance cannot be read; errors
 * of the RPC nodes propagate.
 */
export async function readFunds(
  ctx: Context,
  input: { payer: Payer; spenders: readonly Address[]; priced?: readonly Address[]; crosses?: boolean },
): Promise<Funds> {
  const { from, user, authorize } = input.payer;
  const native = isNative(from.token);
  const described = native ? noReads : tokenFundsQuery(input.payer, input.spenders);
  const signs = !native && authorize !== undefined && asksForSignature(authorize);
  const asked = { chainId: from.chainId, token: from.token, owner: user };
  const [{ value, block }, balance] = await Promise.all([
    readWithFeeds(ctx, {
      chainId: from.chainId,
      tokens: [from.token, zeroAddress, ...(input.priced ?? [])],
      query: queryAll({
        funds: described,
        authorization: signs ? authorizationQuery(ctx, asked) : unsigned,
        account: input.crosses === true ? accountQuery(user) : unasked,
      }),
    }),
    native ? readNativeBalance(from.client, user) : null,
  ]);
  const { decimals } = from.client.definition.native;
  const { funds, ...facts } = value;
  if (native) return { balance, nativeBalance: balance, decimals, allowances: new Map(), ...facts, block };
  if (funds.balance === null) throw notAToken({ chainId: from.chainId, address: from.token });
  return { ...funds, ...facts, block };
}

/**
 * Returns the warning `receiver_without_code` if the user's account is a contract on the source chain and has no code on
 * the destination chain, or none that could be read: the user may not control the same address there.
 */
export async function receiverWarnings(
  { from, client, user }: Payer & { client: ChainClient },
  { account }: Pick<Funds, "account">,
): Promise<Warning[]> {
  if (account !== "contract") return [];
  const there = await runQuery(client, accountQuery(user)).catch(() => null);
  if (there !== null && there.value !== null && there.value !== "plain") return [];
  const [source, target] = [from.client.definition.name, client.definition.name];
  const detail = `the account is a contract on ${source}, and no code of it was found on ${target}, where this order pays: make sure that you control the address there`;
  return [{ code: "receiver_without_code", detail }];
}

const WRAPPED =
  "the bridge pays an account with code, such as a contract, the wrapped token instead of native currency: ask for the wrapped token";

/**
 * Throws `no_route` with the reason `recipient_unsupported` if the user's account has code on the destination chain, or
 * if its code could not be read: some bridges do not deliver native currency to it.
 */
export async function assertTakesNative({
  client,
  user,
}: {
  client: ChainClient;
  user: Address;
}): Promise<void> {
  const there = await runQuery(client, accountQuery(user)).catch(() => null);
  if (there?.value === "plain") return;
  throw failure("no_route", WRAPPED, { reasons: [{ code: "recipient_unsupported", detail: WRAPPED }] });
}

const accountQuery = (account: Address): Query<AccountKind | null> =>
  createQuery({ code: accountCodeRead(account) }, ({ code }) => (code.ok ? accountKindOf(code.value) : null));

/**
 * Returns true if a balance covers a payment. Throws `upstream_unavailable` if the balance is null, because it could
 * not be read.
 */
export function isCovered({ balance, amount }: { balance: bigint | null; amount: bigint }): boolean {
  if (balance !== null) return balance >= amount;
  throw failure("upstream_unavailable", "the account's balance could not be read; try again later");
}

type TokenFunds = Omit<Funds, "block" | "authorization" | "account">;

const unasked = createQuery({}, (): AccountKind | null => null);
const unsigned = createQuery({}, (): AuthorizationFacts | null => null);

const noReads = createQuery(
  {},
  (): TokenFunds => ({ balance: null, nativeBalance: null, decimals: null, allowances: new Map() }),
);

function tokenFundsQuery({ from, user, authorize }: Payer, spenders: readonly Address[]) {
  const onToken = { to: from.token, abi: erc20Abi } as const;
  const allowance = (spender: Address) =>
    [`allowance/${spender}`, read({ ...onToken, name: "allowance", args: [user, spender] })] as const;
  const balance = read({ ...onToken, name: "balanceOf", args: [user] });
  const decimals = read({ ...onToken, name: "decimals" });
  return createQuery(
    {
      balance,
      decimals,
      gas: nativeBalanceRead(authorize?.submitter ?? user),
      ...Object.fromEntries(spenders.map(allowance)),
    },
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
