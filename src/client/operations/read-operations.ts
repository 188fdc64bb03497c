import type { operations } from "../api-types.generated.ts";
import type { ApiRequest, CausewayClient } from "../causeway-client.ts";
import { CausewayError } from "../causeway-client-error.ts";
import type { Model } from "../client-wire-format.ts";
import { requireOrder } from "../execution/execution-guards.ts";

type Id = keyof operations;
/**
 * Type of the response body (status 200) of an API operation, as the client returns it: names in `camelCase`, amounts
 * as `bigint`.
 */
export type Answer<Name extends Id> = operations[Name]["responses"] extends {
  200: { content: { "application/json": infer Body } };
}
  ? Model<Body>
  : never;
/**
 * Type of the request body of an API operation, with names in `camelCase` and amounts as `bigint`. The client converts
 * only names at the top level.
 */
export type Body<Name extends Id> = operations[Name] extends {
  requestBody?: { content: { "application/json": infer Input } };
}
  ? Model<Input>
  : never;
/** Type of the query parameters of an API operation, as callers of the client pass them, with names in `camelCase`. */
export type Query<Name extends Id> = Model<NonNullable<operations[Name]["parameters"]["query"]>>;

/** Options that every action accepts. */
export interface ActionOptions {
  /** Aborts the action with the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/**
 * A vault in a list. Token amounts are in the token's smallest unit; `sharePrice` is assets per share, both in whole
 * tokens, times 10^18. Figures are null where they are unknown or do not apply.
 */
export type Vault = Answer<"vaults.list">[number];
/** A vault with its on-chain state: totals, share price and limits, null where they are unknown. */
export type VaultDetail = Answer<"vaults.get">;
/** A quote of a deposit: the expected shares, the possible routes, and why other routes were rejected. */
export type Quote = Answer<"quotes.get">;
/** A built deposit: the user's steps and the tracking id. */
export type BuiltDeposit = Answer<"quotes.build">;
/** A tracked deposit with its state and the user's steps. */
export type Deposit = Answer<"deposits.get">;
/** A user's shares in vaults and open requests for deposits and redemptions, with the coverage of each chain. */
export type Positions = Answer<"positions.get">;
/** The status of a transfer, with what was sent and received. */
export type TransferStatus = Answer<"status.get">;
/** What a user can do at a vault now, with the open requests. */
export type Actions = Answer<"actions.get">;
/** One step that the user takes for a deposit or withdrawal: a transaction to send, or a message to sign. */
export type Step = Deposit["steps"][number];
/** A deposit to quote or to build. `fromAmount` is in the paid token's smallest unit. */
export type DepositInput = Body<"quotes.build">;

/** A tracked withdrawal with its state and the user's steps. */
export type Withdrawal = Answer<"withdrawals.get">;
/** A quote of a withdrawal in every requested mode of the vault. */
export type WithdrawalQuote = Answer<"withdrawals.quote">;
/** A built withdrawal: the user's steps and the tracking id. */
export type BuiltWithdrawal = Answer<"withdrawals.build">;
/** A withdrawal to quote or to build: a number of shares in the share token's smallest unit, or `all`. */
export type WithdrawalInput = Omit<Body<"withdrawals.build">, "shares"> & { shares: bigint | "all" };
/**
 * Sends a request and returns its response, typed as that of the operation `Name`. The type is not checked at run time.
 * Throws CausewayError, like `CausewayClient.request`.
 */
export async function ask<Name extends Id>(
  client: CausewayClient,
  request: ApiRequest,
): Promise<Answer<Name>> {
  return (await client.request(request)) as Answer<Name>;
}

/**
 * Reads a list page by page from the request's `cursor` on, each page when the one before has been taken. Throws
 * CausewayError, `network` if the API names a page twice, which would never end.
 */
async function* readPages<Name extends Id>(
  client: CausewayClient,
  request: ApiRequest,
): AsyncGenerator<Answer<Name>, void, undefined> {
  const seen = new Set<string>();
  let { query } = request;
  for (;;) {
    const { body, next } = await client.requestPage({
      ...request,
      ...(query === undefined ? {} : { query }),
    });
    yield body as Answer<Name>;
    if (next === null) return;
    if (seen.has(next)) throw new CausewayError("network", "the API named a page of the list twice");
    seen.add(next);
    query = { ...query, cursor: next };
  }
}

/**
 * Lists one page of the vaults that match the filters (100 by default, at most 500), by id or in the order of `sort`.
 * `vaultPages` reads further ones. Throws CausewayError. Source: `GET /v1/vaults`.
 */
export function getVaults(client: CausewayClient, query: Query<"vaults.list"> & ActionOptions = {}) {
  const { signal, ...filters } = query;
  return ask<"vaults.list">(client, { path: "/v1/vaults", query: filters, signal });
}

/**
 * Reads the vaults that match the filters, page by page (`for await`), 100 in a page unless `limit` says otherwise. A
 * vault whose place in the order changes meanwhile may be on two pages or on none. Throws CausewayError.
 */
export function vaultPages(client: CausewayClient, query: Query<"vaults.list"> & ActionOptions = {}) {
  const { signal, ...filters } = query;
  return readPages<"vaults.list">(client, { path: "/v1/vaults", query: filters, signal });
}

/**
 * Returns a vault with its on-chain state. Throws CausewayError, `vault_not_found` for an unknown vault. Source:
 * `GET /v1/vaults/{vault_id}`.
 */
export function getVault(client: CausewayClient, { vaultId, signal }: { vaultId: string } & ActionOptions) {
  return ask<"vaults.get">(client, { path: `/v1/vaults/${encodeURIComponent(vaultId)}`, signal });
}

/**
 * Returns a user's positions, pending deposits and open requests in all vaults that are paused, or are or were open for
 * deposits, or in those of one chain. `chains` names the chains (`ok` false) and vaults (`unread`) that could not be
 * read. Throws CausewayError. Source: `GET /v1/positions/{user_address}`.
 */
export function getPositions(
  client: CausewayClient,
  { userAddress, chainId, signal }: { userAddress: `0x${string}`; chainId?: number } & ActionOptions,
) {
  return ask<"positions.get">(client, { path: `/v1/positions/${userAddress}`, query: { chainId }, signal });
}

/**
 * Returns a quote of a deposit, without building or storing it. Throws CausewayError, for example `no_route` or
 * `below_minimum`. Source: `POST /v1/quote`.
 */
export function quoteDeposit(client: CausewayClient, input: DepositInput & ActionOptions) {
  const { signal, ...body } = input;
  return ask<"quotes.get">(client, { method: "POST", path: "/v1/quote", body, signal });
}

/**
 * Builds a deposit: the user's steps and the tracking id. For a day, an `idempotencyKey` (1 to 255 characters) repeated
 * from the same IP address for the same user returns the same deposit; it throws `quote_expired` if its quote has
 * expired, and `idempotency_conflict` for another input. Throws CausewayError. Source: `POST /v1/quote/build`.
 */
export function buildDeposit(
  client: CausewayClient,
  input: DepositInput & ActionOptions & { idempotencyKey?: string },
) {
  const { signal, idempotencyKey, ...body } = input;
  const headers = idempotencyHeaders(idempotencyKey);
  return ask<"quotes.build">(client, { method: "POST", path: "/v1/quote/build", body, headers, signal });
}

const idempotencyHeaders = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { "idempotency-key": key };

/**
 * Returns a deposit with its steps. Throws CausewayError, `deposit_not_found` for an unknown tracking id, and `network`
 * for a response that is not this deposit. Source: `GET /v1/deposits/{tracking_id}`.
 */
export async function getDeposit(
  client: CausewayClient,
  { trackingId, signal }: { trackingId: string } & ActionOptions,
) {
  const path = `/v1/deposits/${encodeURIComponent(trackingId)}`;
  return requireOrder(await ask<"deposits.get">(client, { path, signal }), trackingId);
}

/**
 * Lists one page of a user's deposits (20 by default, at most 100), newest first; `depositPages` reads older ones.
 * Without `state`, only those with a transaction on a chain. Throws CausewayError. Source: `GET /v1/deposits`.
 */
export function getDeposits(client: CausewayClient, query: Query<"deposits.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return ask<"deposits.list">(client, { path: "/v1/deposits", query: filters, signal });
}

/**
 * Reads a user's deposits that match the filters, page by page (`for await`), newest first. Without `state`, only those
 * with a transaction on a chain. Throws CausewayError.
 */
export function depositPages(client: CausewayClient, query: Query<"deposits.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return readPages<"deposits.list">(client, { path: "/v1/deposits", query: filters, signal });
}

/**
 * Returns a quote of a withdrawal in every requested mode of the vault, without building or storing it. Throws
 * CausewayError. Source: `POST /v1/withdraw/quote`.
 */
export function quoteWithdrawal(client: CausewayClient, input: WithdrawalInput & ActionOptions) {
  const { signal, ...body } = input;
  return ask<"withdrawals.quote">(client, { method: "POST", path: "/v1/withdraw/quote", body, signal });
}

/**
 * Builds a withdrawal: the user's steps and the tracking id. An `idempotencyKey` works as in `buildDeposit`. Throws
 * CausewayError, for example `no_liquidity` or `would_revert`. Source: `POST /v1/withdraw/build`.
 */
export function buildWithdrawal(
  client: CausewayClient,
  input: WithdrawalInput & ActionOptions & { idempotencyKey?: string },
) {
  const { signal, idempotencyKey, ...body } = input;
  const headers = idempotencyHeaders(idempotencyKey);
  return ask<"withdrawals.build">(client, {
    ...{ method: "POST", path: "/v1/withdraw/build" },
    ...{ body, headers, signal },
  });
}

/**
 * Returns a withdrawal with its steps. Throws CausewayError, `withdrawal_not_found` for an unknown tracking id, and
 * `network` for a response that is not this withdrawal. Source: `GET /v1/withdrawals/{tracking_id}`.
 */
export async function getWithdrawal(
  client: CausewayClient,
  { trackingId, signal }: { trackingId: string } & ActionOptions,
) {
  const path = `/v1/withdrawals/${encodeURIComponent(trackingId)}`;
  return requireOrder(await ask<"withdrawals.get">(client, { path, signal }), trackingId);
}

/**
 * Lists one page of a user's withdrawals (20 by default, at most 100), newest first; `withdrawalPages` reads older
 * ones. Without `state`, only those with a transaction on a chain. Throws CausewayError. Source: `GET /v1/withdrawals`.
 */
export function getWithdrawals(client: CausewayClient, query: Query<"withdrawals.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return ask<"withdrawals.list">(client, { path: "/v1/withdrawals", query: filters, signal });
}

/**
 * Reads a user's withdrawals that match the filters, page by page (`for await`), newest first. Without `state`, only
 * those with a transaction on a chain. Throws CausewayError.
 */
export function withdrawalPages(client: CausewayClient, query: Query<"withdrawals.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return readPages<"withdrawals.list">(client, { path: "/v1/withdrawals", query: filters, signal });
}

/**
 * Returns what a user can do at a vault now, with the largest known amounts or the reasons against it, and the user's
 * open requests. Throws CausewayError. Source: `GET /v1/actions/{user_address}/{vault_id}`.
 */
export function getActions(
  client: CausewayClient,
  { userAddress, vaultId, signal }: { userAddress: `0x${string}`; vaultId: string } & ActionOptions,
) {
  const path = `/v1/actions/${userAddress}/${encodeURIComponent(vaultId)}`;
  return ask<"actions.get">(client, { path, signal });
}

/**
 * Returns the status of a transfer by the hash of its source transaction, delivery or second step, or of a recent user
 * operation (ERC-4337). An unknown hash is no error: its status is `NOT_FOUND`. Throws CausewayError. Source:
 * `GET /v1/status`.
 */
export function getStatus(client: CausewayClient, query: Query<"status.get"> & ActionOptions) {
  const { signal, ...rest } = query;
  return ask<"status.get">(client, { path: "/v1/status", query: rest, signal });
}

/** Lists the chains that the API serves. Throws CausewayError. Source: `GET /v1/chains`. */
export function getChains(client: CausewayClient, { signal }: ActionOptions = {}) {
  return ask<"chains.list">(client, { path: "/v1/chains", signal });
}

/**
 * Lists the tokens that a user can pay with on a chain, the native currency first. Throws CausewayError,
 * `chain_unsupported` for a chain that is not served. Source: `GET /v1/tokens`.
 */
export async function getTokens(
  client: CausewayClient,
  query: Omit<Query<"tokens.list">, "format"> & ActionOptions,
): Promise<Extract<Answer<"tokens.list">, readonly unknown[]>> {
  const { signal, ...rest } = query;
  const tokens = await ask<"tokens.list">(client, { path: "/v1/tokens", query: rest, signal });
  return Array.isArray(tokens) ? tokens : [];
}

/** Lists the bridges that the API can use. Throws CausewayError. Source: `GET /v1/bridges`. */
export function getBridges(client: CausewayClient, { signal }: ActionOptions = {}) {
  return ask<"bridges.list">(client, { path: "/v1/bridges", signal });
}
