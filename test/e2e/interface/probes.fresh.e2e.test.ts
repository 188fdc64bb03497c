import { describe, expect, inject, test } from "vitest";
import { type HttpAnswer, type HttpRequest, sendRequest } from "../../../scripts/smoke/http-request.ts";
import { chainIds, chainOf, tokenOn, vaultNamed } from "../../support/e2e/chain.ts";

const vault = vaultNamed("Local Prime USDC");
const address = vault.vault_id.split(":")[1] ?? "";
const USER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const HASH = `0x${"ab".repeat(32)}`;
const USDC = tokenOn(chainOf(chainIds.one), "USDC");
const deposit = {
  ...{ from_chain_id: 31337, from_token: USDC, from_amount: "1000000" },
  ...{ vault_id: vault.vault_id, user_address: USER },
};

const send = (path: string, request?: HttpRequest): Promise<HttpAnswer> =>
  sendRequest(`${inject("stack").api}${path}`, request);

/** Says in one line what a refusal tells the user. */
function told({ status, json }: HttpAnswer): string {
  const { code, detail } = json as { code?: string; detail: string | { loc: string[]; msg: string }[] };
  if (typeof detail === "string") return `${status} ${code}: ${detail}`;
  return `${status} ${detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")}`;
}

describe("another mistake in a build's body is answered with what to do", () => {
  test.each<[string, object, RegExp]>([
    [
      "separators of programmers",
      { from_amount: "1_000_000" },
      /from_amount: .*without spaces and separators/,
    ],
    [
      "separators of bankers",
      { from_amount: "1.000.000,50" },
      /from_amount: .*without spaces and separators/,
    ],
    ["an amount with its symbol", { from_amount: "25 USDC" }, /from_amount: .*the digits 0 to 9 and nothing/],
    [
      "an amount with a currency",
      { from_amount: "$25" },
      /from_amount: .*the digits 0 to 9 and nothing else/,
    ],
    ["too many decimals", { from_amount: "25.0000001" }, /1\.5 of a token with 6 decimals is "1500000"/],
    ["a BigInt's literal", { from_amount: "1000000n" }, /from_amount: .*the digits 0 to 9 and nothing else/],
    ["a plus sign", { from_amount: "+1000000" }, /from_amount: .*the digits 0 to 9 and nothing else/],
    ["digits of another script", { from_amount: "١٢٣" }, /from_amount: .*the digits 0 to 9 and nothing else/],
    ["leading zeros", { from_amount: "01000000" }, /from_amount: .*without leading zeros/],
    ["an amount as an object", { from_amount: { amount: "1" } }, /from_amount: .*as a decimal string/],
    ["a chain in hexadecimal", { from_chain_id: "0x7a69" }, /a JSON integer such as 8453: GET \/v1\/chains/],
    ["a chain with its namespace", { from_chain_id: "eip155:31337" }, /a JSON integer such as 8453: GET/],
    ["native", { from_token: "native" }, /is a name or a symbol, not an address: .*GET \/v1\/tokens/],
    [
      "a token with its namespace",
      { from_token: `eip155:31337/erc20:${USDC}` },
      /0x and 40 hexadecimal digits/,
    ],
    ["a token with its chain", { from_token: `31337:${USDC}` }, /0x and 40 hexadecimal digits/],
    ["a large X", { from_token: `0X${USDC.slice(2)}` }, /write 0x in front with a small x/],
    ["slippage in basis points", { slippage: 50 }, /slippage: .*0\.01 = 1 %/],
    ["slippage below zero", { slippage: -0.01 }, /slippage: .*0\.01 = 1 %/],
    ["all for slippage", { slippage: 1 }, /slippage: .*at most 0\.5/],
    ["slippage by its unit", { slippage_bps: 50 }, /unknown field "slippage_bps": did you mean slippage\?/],
    ["a recipient", { recipient: USER }, /unknown field "recipient": accepted: .*user_address/],
    ["a deadline", { deadline: 1 }, /unknown field "deadline": accepted: from_chain_id/],
    ["a vault by its name", { vault_id: "Local Prime USDC" }, /as GET \/v1\/vaults lists it/],
    ["a vault with a slash", { vault_id: `31337/${address}` }, /with a colon between the two/],
    ["a vault as a number", { vault_id: 31337 }, /vault_id: must be a string, in quotes/],
    ["a hash for the user", { user_address: HASH }, /must have 40 hexadecimal digits after 0x; it has 64/],
    [
      "an address of another system",
      { user_address: "bc1qar0srrr7xfkvy5l643" },
      /0x and 40 hexadecimal digits/,
    ],
    ["a token as user", { user_address: USDC }, /user_address: is the token: send the address of the wallet/],
  ])("%s", async (_what, change, answer) => {
    expect(told(await send("/v1/quote/build", { body: { ...deposit, ...change } }))).toMatch(answer);
  });

  test.each<[string, string, HttpRequest, RegExp]>([
    ["JSON in JSON", "/v1/quote", { body: JSON.stringify(deposit) }, /^422 body: must be a JSON object/],
    [
      "a wrapped body",
      "/v1/quote",
      { body: { data: deposit } },
      /unknown field "data": accepted: from_chain_id/,
    ],
    [
      "a query beside the body",
      "/v1/quote?slippage=0.01",
      { body: deposit },
      /^422 query\.slippage: unknown/,
    ],
    ["PUT", "/v1/quote/build", { method: "PUT", body: deposit }, /^405 .*this path allows POST/],
    ["another name of the path", "/v1/deposit", { body: deposit }, /did you mean POST \/v1\/quote\/build\?/],
    ["a path of other services", "/api/v1/quote", { body: deposit }, /did you mean POST \/v1\/quote\?/],
  ])("%s", async (_what, path, request, answer) => {
    expect(told(await send(path, request))).toMatch(answer);
  });

  test("an idempotency key for another order", async () => {
    const headers = { "idempotency-key": crypto.randomUUID() };
    expect((await send("/v1/quote/build", { body: deposit, headers })).status).toBe(200);
    const other = { ...deposit, from_amount: "2000000" };
    expect(told(await send("/v1/quote/build", { body: other, headers }))).toMatch(
      /^409 idempotency_conflict: .*use a new key for each order/,
    );
  });
});

describe("another mistake in a read is answered with what to do", () => {
  test.each<[string, RegExp]>([
    ["/v1/vaults?page=2", /unknown field "page": did you mean cursor\?/],
    ["/v1/vaults?chain_id=1,8453", /chain_id: must be an integer in decimal digits/],
    ["/v1/vaults?chain_id[]=1", /unknown field "chain_id\[\]": did you mean chain_id\?/],
    ["/v1/vaults?sort=-tvl_usd", /sort: must be one of "tvl_usd"/],
    ["/v1/vaults?order=desc", /order: needs `sort`/],
    ["/v1/vaults?min_tvl_usd=1m", /min_tvl_usd: must be an amount of US dollars in decimal digits/],
    [`/v1/vaults/${vault.vault_id}/history?metric=apy_7d`, /metric: must be one of .*"apy"/],
    [`/v1/vaults/${vault.vault_id}/history?metric=apy&from=1d&to=30d`, /from: must not be after `to`/],
    [`/v1/status/${HASH}`, /^404 .*did you mean GET \/v1\/status\?/],
    [`/v1/positions?user_address=${USER}`, /^404 .*did you mean GET \/v1\/positions\/\{user_address\}\?/],
    [`/v1/positions/${USER}?chains=31337`, /unknown field "chains": did you mean chain_id\?/],
    ["/v1/prices?ids=USDC", /must be <chain_id>:<address>, separated by commas/],
    ["/swagger.json", /^404 .*\/docs and \/openapi\.json describe all of them/],
  ])("GET %s", async (path, answer) => {
    expect(told(await send(path))).toMatch(answer);
  });
});
