/** `/robots.txt`: pages may be indexed; API responses may not, because they change too often. */
const ROBOTS = `User-agent: *
Allow: /$
Allow: /docs
Allow: /llms.txt
Allow: /openapi.json
Disallow: /v1/
`;

/** `/llms.txt`: a description of the API, with links to its documents, for language models. */
const LLMS = `# Causeway

> An HTTP API that builds, simulates and tracks deposits of any token on any served chain into yield vaults on any other. It never holds keys or funds: the user signs every transaction.

- All amounts are decimal integer strings in the token's smallest unit. Addresses are checksummed; vault ids are \`<chain_id>:<lowercase address>\`.
- \`POST /v1/quote/build\` takes from_chain_id, from_token, from_amount, vault_id and user_address. Its \`steps\` are all that the user does, in order.
- One loop serves every kind of deposit: send the first step whose state is \`required\`, report its hash with \`PATCH /v1/deposits/{tracking_id}/tx\` (step: its step_id), read \`GET /v1/deposits/{tracking_id}\` again after \`poll_after_ms\`, and go on until no step is \`required\` or \`waiting\`.
- The way back is the same loop: \`POST /v1/withdraw/build\` takes vault_id, user_address and shares (an amount, or \`"all"\`); report to \`PATCH /v1/withdrawals/{tracking_id}/tx\` and read \`GET /v1/withdrawals/{tracking_id}\`.
- Errors are problem documents (RFC 9457) with a stable \`code\`; invalid input is 422 with a list in \`detail\`. Unknown fields are refused with the name that was probably meant.

## Documents

- [OpenAPI 3.1](/openapi.json): every operation, field and error
- [Getting started](/docs/guide): one deposit in ten minutes, and the loop over \`steps\`
- [How deposits work](/docs/guide/deposits): amounts, approvals, two steps, asynchronous vaults, status, slippage, errors
- [Withdrawals and signatures](/docs/guide/withdrawals): what is possible now, quote, build, signing in place of an approval
- [Partners](/docs/guide/partners): wallet sign-in, keys, rights, attribution
- [Going to production](/docs/guide/production): limits, retries, idempotency, caching
- [Changelog and versions](/docs/guide/changelog)
- [API reference](/docs)
- [Errors](/docs/errors): cause, remedy and example of every code

## Where to start

- [Vaults](/v1/vaults)
- [Chains](/v1/chains)
`;

/** Plain texts that are the same in every deployment, by path: `/robots.txt` and `/llms.txt`. */
export const textPages: Readonly<Record<string, string>> = {
  "/robots.txt": ROBOTS,
  "/llms.txt": LLMS,
};
