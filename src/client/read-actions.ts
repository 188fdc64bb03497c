import type { operations } from "./api-types.generated.ts";
import type { ApiRequest, CausewayClient } from "./causeway-client.ts";
import type { Model } from "./wire-format.ts";

type Id = keyof operations;
/** Type of the response of an API operation. */
export type Answer<Name extends Id> = operations[Name]["responses"] extends {
  200: { content: { "application/json": infer Body } };
}
  ? Model<Body>
  : never;
/** Type of the request body of an API operation. */
export type Body<Name extends Id> = operations[Name] extends {
  requestBody?: { content: { "application/json": infer Input } };
}
  ? Model<Input>
  : never;
/** Type of the query parameters of an API operation. */
export type Query<Name extends Id> = Model<NonNullable<operations[Name]["parameters"]["query"]>>;

/** Options that every action accepts. */
export interface ActionOptions {
  /** Aborts the action with the error `aborted`. */
  signal?: AbortSignal | undefined;
}

/** Objects of the API in the form that the actions return. */
export type Vault = Answer<"vaults.list">[number];
export type VaultDetail = Answer<"vaults.get">;
export type Quote = Answer<"quotes.get">;
export type BuiltDeposit = Answer<"quotes.build">;
export type Deposit = Answer<"deposits.get">;
export type Positions = Answer<"positions.get">;
export type TransferStatus = Answer<"status.get">;
export type Actions = Answer<"actions.get">;
export type Step = Deposit["steps"][number];
/** A deposit to quote or to build. */
export type DepositInput = Body<"quotes.build">;

/** A withdrawal, its quote and its build in the form that the actions return. */
export type Withdrawal = Answer<"withdrawals.get">;
export type WithdrawalQuote = Answer<"withdrawals.quote">;
export type BuiltWithdrawal = Answer<"withdrawals.build">;
/** A withdrawal to quote or to build: a number of shares in the share token's smallest unit, or `all`. */
export type WithdrawalInput = Omit<Body<"withdrawals.build">, "shares"> & { shares: bigint | "all" };
/**
 * Sends a request and returns its response, typed as that of the operation `Name`. The type is not checked at run time.
 * Throws CausewayError.
 */
export async function ask<Name extends Id>(
  client: CausewayClient,
  request: ApiRequest,
): Promise<Answer<Name>> {
  return (await client.request(request)) as Answer<Name>;
}

/** Lists vaults. Source: `GET /v1/vaults`. */
export function getVaults(client: CausewayClient, query: Query<"vaults.list"> & ActionOptions = {}) {
  const { signal, ...filters } = query;
  return ask<"vaults.list">(client, { path: "/v1/vaults", query: filters, signal });
}

/** Returns a vault. Throws `vault_not_found`. Source: `GET /v1/vaults/{vault_id}`. */
export function getVault(client: CausewayClient, { vaultId, signal }: { vaultId: string } & ActionOptions) {
  return ask<"vaults.get">(client, { path: `/v1/vaults/${encodeURIComponent(vaultId)}`, signal });
}

/** Returns a user's positions in all vaults, or in those of one chain. Source: `GET /v1/positions/{user_address}`. */
export function getPositions(
  client: CausewayClient,
  { userAddress, chainId, signal }: { userAddress: `0x${string}`; chainId?: number } & ActionOptions,
) {
  return ask<"positions.get">(client, { path: `/v1/positions/${userAddress}`, query: { chainId }, signal });
}

/** Quotes a deposit without building it. Source: `POST /v1/quote`. */
export function quoteDeposit(client: CausewayClient, input: DepositInput & ActionOptions) {
  const { signal, ...body } = input;
  return ask<"quotes.get">(client, { method: "POST", path: "/v1/quote", body, signal });
}

/**
 * Builds a deposit: the simulated transactions to sign, and the tracking id. The same `idempotencyKey` returns the same
 * deposit. Source: `POST /v1/quote/build`.
 */
export function buildDeposit(
  client: CausewayClient,
  input: DepositInput & ActionOptions & { idempotencyKey?: string },
) {
  const { signal, idempotencyKey, ...body } = input;
  const headers = idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey };
  return ask<"quotes.build">(client, { method: "POST", path: "/v1/quote/build", body, headers, signal });
}

/** Returns a deposit with its steps. Throws `deposit_not_found`. Source: `GET /v1/deposits/{tracking_id}`. */
export function getDeposit(
  client: CausewayClient,
  { trackingId, signal }: { trackingId: string } & ActionOptions,
) {
  return ask<"deposits.get">(client, { path: `/v1/deposits/${trackingId}`, signal });
}

/** Lists a user's deposits with a transaction on a chain, newest first. Source: `GET /v1/deposits`. */
export function getDeposits(client: CausewayClient, query: Query<"deposits.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return ask<"deposits.list">(client, { path: "/v1/deposits", query: filters, signal });
}

/** Quotes a withdrawal in every mode of the vault. Source: `POST /v1/withdraw/quote`. */
export function quoteWithdrawal(client: CausewayClient, input: WithdrawalInput & ActionOptions) {
  const { signal, ...body } = input;
  return ask<"withdrawals.quote">(client, { method: "POST", path: "/v1/withdraw/quote", body, signal });
}

/** Builds a withdrawal: the simulated transactions to sign, and the tracking id. Source: `POST /v1/withdraw/build`. */
export function buildWithdrawal(client: CausewayClient, input: WithdrawalInput & ActionOptions) {
  const { signal, ...body } = input;
  return ask<"withdrawals.build">(client, { method: "POST", path: "/v1/withdraw/build", body, signal });
}

/** Returns a withdrawal with its steps. Throws `withdrawal_not_found`. Source: `GET /v1/withdrawals/{tracking_id}`. */
export function getWithdrawal(
  client: CausewayClient,
  { trackingId, signal }: { trackingId: string } & ActionOptions,
) {
  return ask<"withdrawals.get">(client, { path: `/v1/withdrawals/${trackingId}`, signal });
}

/** Lists a user's withdrawals with a transaction on a chain, newest first. Source: `GET /v1/withdrawals`. */
export function getWithdrawals(client: CausewayClient, query: Query<"withdrawals.list"> & ActionOptions) {
  const { signal, ...filters } = query;
  return ask<"withdrawals.list">(client, { path: "/v1/withdrawals", query: filters, signal });
}

/** Returns a user's possible actions at a vault, and the open requests. Source: `GET /v1/actions/{user}/{vault_id}`. */
export function getActions(
  client: CausewayClient,
  { userAddress, vaultId, signal }: { userAddress: `0x${string}`; vaultId: string } & ActionOptions,
) {
  const path = `/v1/actions/${userAddress}/${encodeURIComponent(vaultId)}`;
  return ask<"actions.get">(client, { path, signal });
}

/** Returns the status of a transfer by any of its transactions. Source: `GET /v1/status`. */
export function getStatus(client: CausewayClient, query: Query<"status.get"> & ActionOptions) {
  const { signal, ...rest } = query;
  return ask<"status.get">(client, { path: "/v1/status", query: rest, signal });
}

/** Lists the chains. Source: `GET /v1/chains`. */
export function getChains(client: CausewayClient, { signal }: ActionOptions = {}) {
  return ask<"chains.list">(client, { path: "/v1/chains", signal });
}

/** Lists the tokens that a user can pay with on a chain. Source: `GET /v1/tokens`. */
export async function getTokens(
  client: CausewayClient,
  query: Omit<Query<"tokens.list">, "format"> & ActionOptions,
): Promise<Extract<Answer<"tokens.list">, readonly unknown[]>> {
  const { signal, ...rest } = query;
  const tokens = await ask<"tokens.list">(client, { path: "/v1/tokens", query: rest, signal });
  return Array.isArray(tokens) ? tokens : [];
}

/** Lists the bridges. Source: `GET /v1/bridges`. */
export function getBridges(client: CausewayClient, { signal }: ActionOptions = {}) {
  return ask<"bridges.list">(client, { path: "/v1/bridges", signal });
}
