import type { ErrorCode } from "../errors.ts";

/** Reason for an error and the action that the caller can take, as sentences of the page /docs/errors. */
interface ErrorHelp {
  cause: string;
  remedy: string;
}

/** Cause and remedy of every error code. Text in backticks becomes code. */
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
    remedy: "Take the tracking id from the answer to the build.",
  },
  signal_not_found: {
    cause: "No signal has this id, or its vault is not listed.",
    remedy: "Take the id from `GET /v1/intel/feed`.",
  },
  application_not_found: {
    cause: "This address has not applied to become a partner, or no application has this id.",
    remedy: "File an application with `POST /v1/applications/wallet`.",
  },
  partner_not_found: {
    cause: "This address has not registered as a partner.",
    remedy: "Register with `POST /v1/partners/register` once the application is approved.",
  },
  method_not_allowed: {
    cause: "The path exists, but not with this HTTP method.",
    remedy: "Use a method that the `Allow` header lists.",
  },
  body_too_large: {
    cause: "The request body is larger than 64 KiB.",
    remedy: "Send a smaller body.",
  },
  chain_unsupported: {
    cause: "This deployment does not serve the chain.",
    remedy: "Use a chain of `GET /v1/chains`.",
  },
  token_unsupported: {
    cause: "The token does not exist on the chain, or the vault does not accept it.",
    remedy: "Use a token of `GET /v1/tokens`.",
  },
  no_route: {
    cause:
      "No bridge or swap leads from the token to the vault for this amount; `reasons` lists why for each provider.",
    remedy: "Try another amount, token, chain or slippage, or repeat the request later.",
  },
  zero_shares: {
    cause: "The amount is worth less than the smallest unit of the vault's share.",
    remedy: "Deposit a larger amount.",
  },
  price_unsafe: {
    cause:
      "The shares that the vault would mint are worth less than the deposit by more than the slippage, or the vault reports no price.",
    remedy: "Repeat the request later, or raise the slippage if you accept the loss.",
  },
  would_revert: {
    cause: "The simulation of the transaction reverted; `revert` has the reason when the contract gave one.",
    remedy: "Check the sender's balance and allowance, then repeat the request.",
  },
  not_allowed: {
    cause: "The vault accepts deposits only from accounts on its whitelist, or refuses this one.",
    remedy: "Ask the vault's curator for access, or choose another vault.",
  },
  share_locked: {
    cause:
      "The vault locks newly minted shares, or does not let them be transferred, so that they cannot be delivered.",
    remedy: "Choose another vault, or repeat the request later.",
  },
  below_minimum: {
    cause: "The amount is below the vault's minimum deposit, `min_deposit`.",
    remedy: "Deposit at least `min_deposit`.",
  },
  above_maximum: {
    cause: "The amount is above the vault's remaining deposit capacity, `max_deposit`.",
    remedy: "Deposit at most `max_deposit`, or repeat the request when the vault has capacity.",
  },
  price_stale: {
    cause:
      "The vault's price source has not been updated in time, and the vault refuses deposits until it is.",
    remedy: "Repeat the request after the next price update.",
  },
  credentials_required: {
    cause: "The endpoint needs a session, an API key with its secret, or the administrator's token.",
    remedy: "Send the credentials that the API reference lists for this endpoint.",
  },
  credentials_invalid: {
    cause: "The credentials are malformed, unknown or revoked, or were replaced by a key rotation.",
    remedy: "Check the credentials; sign in again for new ones.",
  },
  session_expired: {
    cause: "The session has expired or was ended.",
    remedy: "Sign in again with `POST /v1/partners/login`.",
  },
  nonce_invalid: {
    cause: "The nonce is unknown, expired or used, or was issued for another address or purpose.",
    remedy: "Request a new nonce and sign its message.",
  },
  signature_invalid: {
    cause: "The signature does not match the address and the message of the nonce.",
    remedy: "Request a new nonce and sign its message unchanged, with the wallet of this address.",
  },
  application_required: {
    cause: "This address has not applied to become a partner.",
    remedy: "File an application with `POST /v1/applications/wallet`.",
  },
  application_pending: {
    cause: "The application has not been decided yet.",
    remedy: "Wait for the decision; `GET /v1/applications/{address}` shows it.",
  },
  application_rejected: {
    cause: "The application was rejected.",
    remedy: "File another application with `POST /v1/applications/wallet`.",
  },
  application_revoked: {
    cause: "The approval of this address was revoked.",
    remedy: "Contact the operator of this service.",
  },
  vault_not_enrolled: {
    cause: "The partner has restricted its API key to other vaults.",
    remedy: "Enroll the vault with `PUT /v1/partners/vaults`, or choose an enrolled one.",
  },
  partner_mismatch: {
    cause: "`partner_id` names another partner than the API key.",
    remedy: "Omit `partner_id`, or send the id that belongs to the API key.",
  },
  partner_exists: {
    cause: "This address is registered as a partner.",
    remedy: "Sign in with `POST /v1/partners/login`.",
  },
  application_exists: {
    cause: "An application of this address is pending or approved.",
    remedy: "Read its status with `GET /v1/applications/{address}`.",
  },
  vault_paused: {
    cause: "The vault's contract, or an operator of this service, has paused deposits; `reason` says who.",
    remedy: "Repeat the request when the vault is no longer paused, or choose another vault.",
  },
  idempotency_conflict: {
    cause: "The `Idempotency-Key` was used before with a different request.",
    remedy: "Send a new key with each new request.",
  },
  quote_expired: {
    cause: "The answer stored under this `Idempotency-Key` has expired.",
    remedy: "Build again with a new key.",
  },
  deposit_state: {
    cause: "The deposit has reached a state in which this change is not possible.",
    remedy: "Read the deposit with `GET /v1/deposits/{tracking_id}` before you decide what to do.",
  },
  rate_limited: {
    cause: "The rate limit of this client, API key or partner is used up.",
    remedy: "Wait the seconds in `Retry-After`, then repeat the request.",
  },
  upstream_unavailable: {
    cause: "The nodes of a chain, or a bridge or swap provider, are unavailable.",
    remedy: "Repeat the request after a few seconds.",
  },
  upstream_rejected: {
    cause: "A node, provider or vault contract gave an answer that fails a safety check.",
    remedy: "Repeat the request later, or choose another token, bridge or vault.",
  },
  store_unavailable: {
    cause: "The database or the cache of this service is unavailable.",
    remedy: "Repeat the request after a few seconds.",
  },
  simulation_unavailable: {
    cause: "No node of the chain could simulate the transaction or check the contract signature.",
    remedy: "Repeat the request after a few seconds.",
  },
  upstream_timeout: {
    cause: "A node or provider did not answer in time.",
    remedy: "Repeat the request after a few seconds.",
  },
  internal: {
    cause: "An unexpected error occurred in this service.",
    remedy: "Repeat the request; report the `request_id` to the operator if the error persists.",
  },
};
