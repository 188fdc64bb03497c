import { type ErrorCode, type ErrorMembers, errorTable } from "../errors.ts";

/** Explanation of an error code on the page /docs/errors: its cause, and the action that the caller can take. */
export interface ErrorHelp {
  cause: string;
  remedy: string;
}

/** Cause and remedy of every error code, in full sentences. On the page /docs/errors, text in backticks is code. */
export const errorHelp: Readonly<Record<ErrorCode, ErrorHelp>> = {
  route_not_found: {
    cause: "No endpoint has this path.",
    remedy: "Compare the path with the API reference.",
  },
  vault_not_found: {
    cause: "The vault id is unknown, or this service does not list the vault.",
    remedy: "Take the id from `GET /v1/vaults`.",
  },
  deposit_not_found: {
    cause: "No deposit has this tracking id.",
    remedy: "Take the tracking id from the response of `POST /v1/quote/build`.",
  },
  signal_not_found: {
    cause: "No signal has this id, or its vault is not listed.",
    remedy: "Take the id from `GET /v1/intel/feed`.",
  },
  application_not_found: {
    cause: "This address has not applied to become a partner, or no partner application has this id.",
    remedy: "Submit a partner application with `POST /v1/applications/wallet`.",
  },
  partner_not_found: {
    cause: "This address has not registered as a partner.",
    remedy: "Register with `POST /v1/partners/register` once the partner application is approved.",
  },
  webhook_not_found: {
    cause: "The partner has no webhook with this id. Reserved: this version has no webhooks.",
    remedy: "Read deposits and withdrawals again after `poll_after_ms` instead.",
  },
  key_not_found: {
    cause: "The partner has no API key with this id, or it was revoked.",
    remedy: "Take the id from `GET /v1/partners/api-keys`.",
  },
  withdrawal_not_found: {
    cause: "No withdrawal has this tracking id.",
    remedy: "Take the tracking id from the response of `POST /v1/withdraw/build`.",
  },
  method_not_allowed: {
    cause: "The path exists, but not with this HTTP method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  body_too_large: {
    cause: "The request body is larger than 64 KiB (256 KiB where administrators add vaults).",
    remedy: "Send a smaller body.",
  },
  chain_unsupported: {
    cause: "This deployment does not serve the chain.",
    remedy: "Use one of the chains that `GET /v1/chains` lists.",
  },
  token_unsupported: {
    cause:
      "The token does not exist on the chain, or the vault does not take or pay it, or a withdrawal to another chain names no `to_token`.",
    remedy:
      "Use a token that `GET /v1/tokens` lists. To be paid the vault's asset, leave out `to_token` and `to_chain_id`.",
  },
  no_route: {
    cause:
      "No bridge or swap turns this amount into a token that the vault accepts, or its payment into the requested token; `reasons` says why for each provider.",
    remedy:
      "Try another amount, token, chain or slippage, or repeat the request later. A withdrawal to the token that the vault pays needs no route.",
  },
  zero_shares: {
    cause: "The amount is worth less than one smallest unit of the vault's share token.",
    remedy: "Deposit a larger amount.",
  },
  price_unsafe: {
    cause:
      "The shares (`subject: vault`) or all routes (`route`) lose more than slippage or fee limits allow, or have no price; or the vault misprices a token.",
    remedy:
      "Pay or withdraw the vault's asset instead, try later, or choose another vault. Of a quote or build, raise the slippage tolerance if you accept the loss.",
  },
  would_revert: {
    cause:
      "The transaction would revert, by its simulation or a balance. `revert` contains the reason if it is known.",
    remedy:
      "Check the balance and allowance of `user_address`, and what `GET /v1/actions` allows; then repeat the request.",
  },
  not_allowed: {
    cause:
      "The vault or its token refuses this account: it is not on a list, is blocked, or its shares secure a loan.",
    remedy:
      "Ask the vault's curator for access, or choose another vault. Repay a loan before its collateral is withdrawn.",
  },
  share_locked: {
    cause:
      "The vault locks shares for a time after a deposit, or forbids their transfer, which the DepositRouter needs.",
    remedy:
      "Repeat a withdrawal after the time in the text, or in `until` of `withdraw` in `GET /v1/actions`. To deposit, choose another vault.",
  },
  below_minimum: {
    cause:
      "The amount is below the vault's minimum deposit (`min_deposit`, if known), or the shares are too few to be redeemed, swapped or bridged.",
    remedy: "Deposit at least `min_deposit`, or withdraw more.",
  },
  above_maximum: {
    cause:
      "The amount is above the vault's remaining deposit capacity, which `max_deposit` contains if it is known.",
    remedy: "Deposit at most `max_deposit`, or repeat the request when the vault has capacity.",
  },
  price_stale: {
    cause:
      "The vault's price source is out of date, and the vault rejects deposits or instant withdrawals until it is updated.",
    remedy:
      "Repeat the request after the next price update, or withdraw with `mode` `request` where the vault takes requests.",
  },
  no_liquidity: {
    cause:
      "The vault cannot pay this amount now; `available` is what it can pay, in the smallest unit of that token, if it is known.",
    remedy:
      "Withdraw fewer shares: `max` of `withdraw` in `GET /v1/actions` says how many. Or set `mode` to `request`, if the vault takes requests.",
  },
  cooldown: {
    cause: "The vault pays only after a cooldown, which ends at `until`, if that is known.",
    remedy: "Repeat the request after `until`, or later if that is `null`.",
  },
  exits_paused: {
    cause: "The vault's contract has paused withdrawals.",
    remedy: "Repeat the request once the vault allows withdrawals again.",
  },
  nothing_to_withdraw: {
    cause: "The account holds no shares of this vault, or nothing is ready to be claimed.",
    remedy: "Read the account's positions with `GET /v1/positions/{user_address}`.",
  },
  authorization_unsupported: {
    cause:
      "The token, the account, Permit2 or the route does not support a signature in place of an approval.",
    remedy:
      "Build again with `authorize` set to `approve`, or to `auto`, which takes the first that works; without `submitter`, the user sends it.",
  },
  request_pending: {
    cause:
      "An earlier request of this account is still open: it has nothing to claim yet, and some vaults accept no second one.",
    remedy: "Wait until the vault settles the request, or cancel it where the vault allows that.",
  },
  mode_unsupported: {
    cause:
      "The vault does not support the requested mode or action, or the two vaults of a move allow none in one transaction.",
    remedy:
      "Set `mode` to `auto`, or to a mode that `POST /v1/withdraw/quote` offers (`request` for a cooldown). In place of a move, withdraw first, then deposit.",
  },
  credentials_required: {
    cause: "The endpoint requires a session token, an API key with its secret, or the administrator's token.",
    remedy: "Send the credentials that the API reference lists for this endpoint.",
  },
  credentials_invalid: {
    cause:
      "The credentials are malformed, unknown or revoked, or were replaced when the API key was rotated.",
    remedy: "Check the credentials; sign in again for new ones.",
  },
  session_expired: {
    cause: "The session has expired, was signed out or was revoked.",
    remedy: "Sign in again with `POST /v1/partners/login`.",
  },
  nonce_invalid: {
    cause: "The nonce is unknown, expired or used, or was issued for another address or purpose.",
    remedy: "Request a new nonce and sign its message.",
  },
  signature_invalid: {
    cause:
      "The signature is not one of this address over the nonce's message, or over the `typed_data` of the order.",
    remedy:
      "Sign the message unchanged with the wallet of this address; for a sign-in request a new nonce first.",
  },
  application_required: {
    cause: "This address has not applied to become a partner.",
    remedy: "Submit a partner application with `POST /v1/applications/wallet`.",
  },
  application_pending: {
    cause: "The partner application has not been decided yet.",
    remedy: "Wait for the decision. `GET /v1/applications/{address}` returns the status.",
  },
  application_rejected: {
    cause: "The partner application of this address was rejected.",
    remedy: "Submit another partner application with `POST /v1/applications/wallet`.",
  },
  application_revoked: {
    cause: "The approval of this address as a partner was revoked.",
    remedy: "Contact the operator of this service.",
  },
  vault_not_enrolled: {
    cause: "The partner has restricted its API key to other vaults.",
    remedy: "Enroll the vault with `PUT /v1/partners/vaults`, or choose an enrolled vault.",
  },
  partner_mismatch: {
    cause: "`partner_id` belongs to a different partner than the API key.",
    remedy: "Omit `partner_id`, or send the id that belongs to the API key.",
  },
  key_forbidden: {
    cause: "The API key lacks the right for this operation, or the client address is not in its allow list.",
    remedy: "Use a key with this right, or change the key with `PATCH /v1/partners/api-keys/{key_id}`.",
  },
  partner_exists: {
    cause: "This address is already registered as a partner.",
    remedy: "Sign in with `POST /v1/partners/login`.",
  },
  application_exists: {
    cause: "A partner application of this address is already pending or approved.",
    remedy: "Read its status with `GET /v1/applications/{address}`.",
  },
  vault_paused: {
    cause:
      "The vault's contract or this service has paused or closed deposits. `reason` says why, if it is known.",
    remedy: "Repeat the request when the vault is no longer paused, or choose another vault.",
  },
  idempotency_conflict: {
    cause: "The `Idempotency-Key` was already used with a different request.",
    remedy: "Send a new `Idempotency-Key` with each new request.",
  },
  quote_expired: {
    cause: "The quote of the stored response, or of the order to be signed or cancelled, has expired.",
    remedy: "Build again, with a new `Idempotency-Key` if you send one.",
  },
  deposit_state: {
    cause: "The deposit is in a state in which this operation is not possible.",
    remedy: "Read the deposit with `GET /v1/deposits/{tracking_id}` before you decide what to do.",
  },
  withdrawal_state: {
    cause: "The withdrawal, or the request at the vault, is in a state in which this is not possible.",
    remedy:
      "Read the withdrawal with `GET /v1/withdrawals/{tracking_id}`, or a request with `GET /v1/positions/{user_address}`, before you decide what to do.",
  },
  limit_reached: {
    cause: "The partner has five API keys, which is the maximum.",
    remedy:
      "Revoke one that is no longer used (`DELETE /v1/partners/api-keys/{key_id}`), then repeat the request.",
  },
  cursor_expired: {
    cause: "The cursor points to events that are no longer kept. Reserved: this version has no event feed.",
    remedy: "Read the current state of your objects, then start again without a cursor.",
  },
  rate_limited: {
    cause: "The rate limit of this client address, API key or partner is exceeded.",
    remedy: "Wait for the number of seconds in `Retry-After`, then repeat the request.",
  },
  upstream_unavailable: {
    cause: "The nodes of a chain, or a bridge or swap provider, are unavailable.",
    remedy: "Repeat the request after a few seconds.",
  },
  upstream_rejected: {
    cause: "A response of a node, provider or vault contract failed a safety check.",
    remedy: "Repeat the request later, or choose another token, bridge or vault.",
  },
  store_unavailable: {
    cause: "The database or the cache of this service is unavailable.",
    remedy: "Repeat the request after a few seconds.",
  },
  simulation_unavailable: {
    cause:
      "No node of the chain could simulate the transaction, verify a smart account's signature, or read the account's shares or requests.",
    remedy: "Repeat the request after a few seconds.",
  },
  overloaded: {
    cause:
      "The server already works on as many quotes and builds as its memory allows. Reads are not affected.",
    remedy: "Repeat the request after the seconds in `Retry-After`: nothing of it was done.",
  },
  upstream_timeout: {
    cause: "A node or provider did not respond in time.",
    remedy: "Repeat the request after a few seconds.",
  },
  internal: {
    cause: "An unexpected error occurred in this service.",
    remedy: "Repeat the request; report the `request_id` to the operator if the error persists.",
  },
};

/** Additional fields in the example problem documents of some error codes. */
export const errorExamples: { readonly [C in keyof ErrorMembers]: ErrorMembers[C] } = {
  vault_paused: { reason: "The vault is being migrated" },
  no_route: { reasons: [{ code: "amount_too_low", detail: "the amount is too low for this bridge" }] },
  would_revert: { revert: "ERC20: transfer amount exceeds balance" },
  below_minimum: { min_deposit: "1000000" },
  above_maximum: { max_deposit: "250000000000" },
  no_liquidity: { available: "1000000" },
  cooldown: { until: "2026-01-02T03:04:05.678Z" },
  rate_limited: { retry_after: 12 },
  price_unsafe: { subject: "route" },
  price_stale: { subject: "vault" },
};

/** Returns the example problem document of an error code, with its cause as the detail. */
export function problemExample(code: ErrorCode): Readonly<Record<string, unknown>> {
  const { status, title } = errorTable[code];
  const members = code in errorExamples ? errorExamples[code as keyof typeof errorExamples] : {};
  return {
    ...{ type: `/docs/errors#${code}`, title, status, detail: errorHelp[code].cause, code },
    ...{ request_id: "5f0c8d0e-3b1a-4a57-9c39-0f6f3a1f7c11", ...members },
  };
}
