import { describe, expect, inject, test } from "vitest";
import { type HttpAnswer, type HttpRequest, sendRequest } from "../../../scripts/smoke/http-request.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";

const vault = vaultNamed("Local Prime USDC");
const address = vault.vault_id.split(":")[1] ?? "";
const USER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const OTHER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const HASH = `0x${"ab".repeat(32)}`;
const TRACKING = `trk_${"0".repeat(32)}`;
const UNKNOWN_VAULT = `31337:0x${"12".repeat(20)}`;
const deposit = {
  from_chain_id: 31337,
  from_token: tokenOn(chainOf(chainIds.one), "USDC"),
  from_amount: "1000000",
  vault_id: vault.vault_id,
  user_address: USER,
};

const send = (path: string, request?: HttpRequest): Promise<HttpAnswer> =>
  sendRequest(`${inject("stack").api}${path}`, request);

/** Says in one line what an answer tells the user. */
function told({ status, json, text }: HttpAnswer): string {
  const { code, detail } = (json ?? {}) as {
    code?: string;
    detail?: string | { loc: string[]; msg: string }[];
  };
  if (detail === undefined) return `${status} ${text.slice(0, 80)}`;
  if (typeof detail === "string") return `${status} ${code}: ${detail}`;
  return `${status} ${detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")}`;
}

describe("a mistake in a build's body is answered with what to do", () => {
  test.each<[string, object, RegExp]>([
    [
      "the vault as user",
      { user_address: address },
      /user_address: is the vault: send the address of the wallet/,
    ],
    [
      "a space behind an address",
      { user_address: `${USER} ` },
      /user_address: .*remove the spaces around it/,
    ],
    [
      "a chain in quotes",
      { from_chain_id: "31337" },
      /from_chain_id: must be a JSON integer, without quotes/,
    ],
    ["chain 0", { from_chain_id: 0 }, /from_chain_id: must be a positive integer: GET \/v1\/chains/],
    ["a chain by its name", { from_chain_id: "base" }, /a JSON integer such as 8453: GET \/v1\/chains/],
    ["half a chain", { from_chain_id: 1.5 }, /from_chain_id: must be a positive integer: GET \/v1\/chains/],
    ["a chain that is not served", { from_chain_id: 1 }, /^400 chain_unsupported: .*served are: Local One/],
    ["an amount as a number", { from_amount: 1_000_000 }, /in quotes, not a JSON number/],
    ["an amount with decimals", { from_amount: "1.5" }, /without a decimal point: 1\.5 of a token/],
    ["an amount with an exponent", { from_amount: "1e6" }, /write all digits, without an exponent/],
    ["a negative amount", { from_amount: "-1" }, /without a minus sign/],
    ["nothing", { from_amount: "0" }, /it must be more than zero/],
    ["no digits", { from_amount: "" }, /from_amount: must be a positive integer in the smallest unit/],
    ["an amount with separators", { from_amount: "1,000,000" }, /without spaces and separators/],
    ["an amount with a space", { from_amount: " 1000000" }, /without spaces and separators/],
    ["an amount in hexadecimal", { from_amount: "0x10" }, /in decimal digits and not in hexadecimal/],
    ["everything", { from_amount: "max" }, /send the balance itself/],
    ["more than uint256", { from_amount: "9".repeat(78) }, /does not fit uint256/],
    ["ETH by its symbol", { from_token: "ETH" }, /is a name or a symbol, not an address: .*GET \/v1\/tokens/],
    ["an account for a token", { from_token: OTHER }, /^400 token_unsupported: .*GET \/v1\/tokens/],
    ["a token of another chain", { from_chain_id: 31338 }, /^400 token_unsupported: .*GET \/v1\/tokens/],
    ["the vault's own share", { from_token: address }, /must not be the share token of the vault itself/],
    ["an account without 0x", { user_address: USER.slice(2) }, /the 0x in front is missing/],
    ["a vault with its namespace", { vault_id: `eip155:${vault.vault_id}` }, /as GET \/v1\/vaults lists it/],
    ["an unknown vault", { vault_id: UNKNOWN_VAULT }, /^404 vault_not_found: .*GET \/v1\/vaults lists/],
    ["no slippage", { slippage: 0 }, /0\.01 = 1 %/],
    ["slippage in percent", { slippage: "0.5%" }, /0\.01 = 1 %/],
    ["a referrer by name", { referrer: "me" }, /send 0x and 40 hexadecimal digits/],
    ["a long handle", { referrer_handle: "x".repeat(65) }, /must have at most 64 characters/],
    ["a parent of another form", { parent_tracking_id: "abc" }, /must be a tracking id: trk_/],
    [
      "an unknown parent",
      { parent_tracking_id: TRACKING },
      /^404 deposit_not_found: parent_tracking_id is not/,
    ],
    [
      "an unknown kind of partner",
      { partner_type: 3 },
      /must be 0 \(direct\), 1 \(creator\) or 2 \(wallet\)/,
    ],
    ["a kind of partner by name", { partner_type: "wallet" }, /must be 0 \(direct\), 1 \(creator\)/],
    ["a bridge in capitals", { preferred_bridge: "Across" }, /must be one of "across"\|"stargate"/],
    ["an unknown authorization", { authorize: "permit3" }, /must be one of "approve"\|"erc3009"/],
    ["another submitter", { submitter: OTHER }, /only `user_address` can send an order/],
    ["a name in camel case", { chainId: 1 }, /unknown field "chainId": did you mean from_chain_id\?/],
  ])("%s", async (_what, change, answer) => {
    expect(told(await send("/v1/quote/build", { body: { ...deposit, ...change } }))).toMatch(answer);
  });

  test.each<[string, HttpRequest, RegExp]>([
    ["nothing", { raw: "", method: "POST" }, /^422 body: a JSON body is required/],
    ["an empty object", { body: {} }, /^422 body\.from_chain_id: is required; body\.from_token: is required/],
    ["a list", { body: [] }, /^422 body: must be a JSON object/],
    [
      "null",
      { raw: "null", headers: { "content-type": "application/json" } },
      /^422 body: must be a JSON object/,
    ],
    [
      "text",
      { raw: "hello", headers: { "content-type": "application/json" } },
      /^422 body: the body must be valid/,
    ],
    [
      "a form",
      { raw: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
      /must be application\/json/,
    ],
    ["another type", { raw: "<a/>", headers: { "content-type": "text/xml" } }, /must be application\/json/],
    [
      "70,000 characters",
      { body: { ...deposit, referrer_handle: "x".repeat(70_000) } },
      /^413 body_too_large: .*65536/,
    ],
    [
      "a wrong key",
      { body: deposit, headers: { "x-api-key": "abc" } },
      /^401 credentials_invalid: .*cw_live_/,
    ],
    [
      "a key as a bearer token",
      { body: deposit, headers: { authorization: "Bearer cw_live_abc" } },
      /^401 credentials_invalid: .*an API key goes into X-API-Key and its secret into X-API-Secret/,
    ],
    [
      "a secret alone",
      { body: deposit, headers: { "x-api-secret": "abc" } },
      /^401 credentials_invalid: .*cw_live_/,
    ],
    [
      "a long idempotency key",
      { body: deposit, headers: { "idempotency-key": "x".repeat(256) } },
      /at most 255 characters/,
    ],
    [
      "an empty idempotency key",
      { body: deposit, headers: { "idempotency-key": "" } },
      /idempotency-key: must not be empty/,
    ],
  ])("%s", async (_what, request, answer) => {
    expect(told(await send("/v1/quote/build", request))).toMatch(answer);
  });
});

describe("a mistake in a read is answered with what to do", () => {
  test.each<[string, RegExp]>([
    ["/v1/vaults?chain_id=ethereum", /chain_id: must be an integer in decimal digits/],
    ["/v1/vaults?chainId=1", /did you mean chain_id\?/],
    ["/v1/vaults?limit=0", /must be at least 1/],
    ["/v1/vaults?limit=501", /must be at most 500/],
    ["/v1/vaults?page=2", /unknown field "page": did you mean cursor\?/],
    ["/v1/vaults?sort=apy", /must be one of "tvl_usd"\|"apy_7d"/],
    ["/v1/vaults?order=desc", /order: needs `sort`/],
    ["/v1/vaults?cursor=abc", /take it from the `Link` header/],
    ["/v1/vaults?paused=1", /must be one of "true"\|"false"/],
    ["/v1/vaults?min_tvl_usd=1e6", /an amount of US dollars in decimal digits/],
    ["/v1/vaults?ids=abc", /<chain_id>:<vault address>/],
    [`/v1/vaults/${UNKNOWN_VAULT}`, /^404 vault_not_found: .*GET \/v1\/vaults lists/],
    [`/v1/vaults/${address}`, /the chain id is missing/],
    [`/v1/vaults/${vault.vault_id}/history`, /metric: is required: must be one of "share_price"/],
    [
      `/v1/vaults/${vault.vault_id}/history?metric=apy&from=yesterday`,
      /<n>m, h, d or w, or an RFC 3339 time/,
    ],
    ["/v1/status", /tx_hash: is required; query\.from_chain_id: is required/],
    [`/v1/status?tx_hash=${TRACKING}&from_chain_id=31337`, /GET \/v1\/deposits\/\{tracking_id\}/],
    [`/v1/status?tx_hash=${HASH}&from_chain_id=1`, /^400 chain_unsupported: .*served are/],
    ["/v1/positions/vitalik.eth", /resolve the ENS name/],
    ["/v1/positions", /^404 route_not_found: .*did you mean GET \/v1\/positions\/\{user_address\}/],
    [`/v1/deposits?user_address=${USER}&state=done`, /must be one or more of built, expired/],
    [`/v1/deposits/${TRACKING}`, /withdrawals are at \/v1\/withdrawals/],
    [`/v1/actions/${USER}/${address}`, /the chain id is missing/],
    ["/v1/intel/notable?since=91d", /at most 90 days back/],
    ["/v1/intel/notable?dimension=yield", /must be one of "capital"\|"performance"/],
    ["/v1/intel/signals/abc", /as GET \/v1\/intel\/feed lists it/],
    ["/v1/tokens?chain_id=1", /^400 chain_unsupported: .*served are/],
    ["/v1/tokens?chain_id=31337&format=uniswap", /must be "tokenlist", or absent/],
    [`/v1/prices?ids=${deposit.from_token}`, /<chain_id>:<address>, separated by commas/],
    ["/v1/bridges?chain=1", /unknown field "chain": none is accepted here/],
    ["/v1/vaults?asset=0x1234", /asset: must have 40 hexadecimal digits after 0x; it has 4/],
    ["/v1/vaults?limit=1&limit=2", /limit: is given more than once: send it once/],
    [`/v1/deposits/${HASH}`, /this is a transaction hash, which GET \/v1\/status takes/],
    [`/v1/status?txHash=${HASH}&from_chain_id=31337`, /tx_hash: is required: .*not "txHash"/],
    ["/v1//vaults", /^404 route_not_found: .*did you mean GET \/v1\/vaults\?/],
    ["/v1/partners/me", /^401 credentials_required: .*a session, or an API key with its secret/],
    ["/v1/admin/vaults", /^401 credentials_required: .*the administrator's token/],
    ["/v2/quote/build", /^404 route_not_found: .*did you mean POST \/v1\/quote\/build/],
    ["/v1/quote/build", /^405 method_not_allowed: this path allows POST, OPTIONS/],
  ])("GET %s", async (path, answer) => {
    expect(told(await send(path))).toMatch(answer);
  });

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "a session of another form",
      { authorization: "Bearer x" },
      /`session_token` of POST \/v1\/partners\/login/,
    ],
    [
      "a password",
      { authorization: "Basic eDp5" },
      /must be `Bearer <token>`; an API key goes into X-API-Key/,
    ],
    ["a key in a header of another name", { "api-key": "cw_live_x" }, /or X-API-Key and X-API-Secret$/],
    ["a key without its secret", { "x-api-key": "cw_live_x" }, /X-API-Secret is cw_secret_/],
  ])("%s", async (_what, headers, answer) => {
    expect(told(await send("/v1/partners/me", { headers }))).toMatch(answer);
  });
});

describe("a mistake of a partner or an administrator is answered with what to do", () => {
  const asAdmin = () => ({ authorization: `Bearer ${inject("stack").admin_token}` });
  const claimed = { address: USER, signature: "0x12", nonce: "a".repeat(32) };

  test.each<[string, string, HttpRequest, RegExp]>([
    [
      "an unknown purpose",
      "/v1/partners/nonce",
      { body: { address: USER, purpose: "signin" } },
      /"register"\|"login"/,
    ],
    [
      "a nonce that is not ours",
      "/v1/partners/register",
      { body: claimed },
      /^401 nonce_invalid: .*get a new one/,
    ],
    [
      "an empty form",
      "/v1/applications/wallet",
      { body: { ...claimed, form: { company: "", email: "x" } } },
      /company: must not be empty; body\.form\.email: must be an email address/,
    ],
    ["no partner yet", `/v1/applications/${OTHER}`, {}, /^404 application_not_found: .*has not applied/],
  ])("%s", async (_what, path, request, answer) => {
    expect(told(await send(path, request))).toMatch(answer);
  });

  test.each<[string, string, HttpRequest, RegExp]>([
    ["an unknown state", "/v1/admin/vaults?state=open", {}, /must be one of "candidate"\|"active"/],
    [
      "no change",
      `/v1/admin/vaults/${vault.vault_id}`,
      { method: "PATCH", body: {} },
      /state: is required, unless/,
    ],
    ["no claims", "/v1/admin/vaults", { body: { vaults: [] } }, /vaults: must not be empty/],
    [
      "an unknown application",
      "/v1/admin/applications/abc/approve",
      { body: { note: "" } },
      /^404 application_not_found/,
    ],
  ])("%s", async (_what, path, request, answer) => {
    expect(told(await send(path, { ...request, headers: asAdmin() }))).toMatch(answer);
  });
});
