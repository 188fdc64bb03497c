import { describe, expect, test } from "vitest";
import { composeApp } from "../../src/app.ts";
import { knownChains } from "../../src/chains/chain-definitions.ts";
import type { Context } from "../../src/context.ts";
import { testContext } from "../support/context.ts";

/** A deployment that serves one chain and reaches nothing. */
function context(): Context {
  const definitions = new Map(
    knownChains.filter(({ chainId }) => chainId === 8453).map((chain) => [chain.chainId, chain]),
  );
  return { ...testContext(), chains: { definitions, client: () => null } };
}
const app = composeApp(context);
const execution = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };

const VAULT = `8453:0x${"2".repeat(40)}`;
const USER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const order = {
  from_chain_id: 8453,
  from_token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  from_amount: "1000000",
  vault_id: VAULT,
  user_address: USER,
};
const ORDER = JSON.stringify(order);
const JSON_TYPE = { "content-type": "application/json" };

async function send(path: string, init?: RequestInit): Promise<string> {
  const request = new Request(`https://causeway.example${path}`, init);
  const response = await app.fetch(request, {}, execution as unknown as ExecutionContext);
  return told(response.status, await response.json());
}
const sendText = (body: string, headers: Record<string, string> = JSON_TYPE): Promise<string> =>
  send("/v1/quote/build", { method: "POST", headers, body });
/** The text of an order with one more member, written as it stands. */
const orderWith = (member: string): string => `${ORDER.slice(0, -1)},${member}}`;

/** Says in one line what an answer tells the user. */
function told(status: number, answer: unknown): string {
  const { code, detail } = answer as { code?: string; detail: string | { loc: string[]; msg: string }[] };
  if (typeof detail === "string") return `${status} ${code}: ${detail}`;
  return `${status} ${detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")}`;
}

describe("a value of an odd form is answered with what to send", () => {
  test.each<[string, object, RegExp]>([
    ["an amount with its unit", { from_amount: "100 USDC" }, /^422 body\.from_amount: .*the digits 0 to 9/],
    ["an amount in other digits", { from_amount: "１００" }, /^422 body\.from_amount: .*the digits 0 to 9/],
    ["an amount as a list", { from_amount: ["1"] }, /^422 body\.from_amount: .*as a decimal string$/],
    ["an amount with a line break", { from_amount: "1\n" }, /^422 body\.from_amount: .*without spaces/],
    [
      "2^256",
      { from_amount: (2n ** 256n).toString() },
      /^422 body\.from_amount: does not fit uint256: must be less than 2\^256$/,
    ],
    [
      "a chain with its namespace",
      { from_chain_id: "eip155:8453" },
      /^422 body\.from_chain_id: .*\/v1\/chains/,
    ],
    [
      "a chain beyond 2^53",
      { from_chain_id: 2 ** 53 },
      /^422 body\.from_chain_id: is too large for a chain id/,
    ],
    [
      "a bridged symbol",
      { from_token: "USDC.e" },
      /^422 body\.from_token: is a name or a symbol, not an address/,
    ],
    [
      "a token with its chain",
      { from_token: `8453:${order.from_token}` },
      /^422 body\.from_token: must be an/,
    ],
    [
      "a look-alike letter",
      { from_token: `0x${"а".repeat(40)}` },
      /^422 body\.from_token: must be an address/,
    ],
    ["the native token as user", { user_address: NATIVE }, /^422 body\.user_address: .*the native currency$/],
    [
      "a name as user",
      { user_address: "alice" },
      /^422 body\.user_address: is a name or a symbol, not an address/,
    ],
    ["a public key", { user_address: `0x04${"ab".repeat(64)}` }, /^422 body\.user_address: .*it has 130$/],
    [
      "a vault with a chain in hexadecimal",
      { vault_id: VAULT.replace("8453", "0x2105") },
      /^422 body\.vault_id: must be <chain_id>:<vault address>/,
    ],
    ["half a character", { referrer_handle: "\ud800" }, /^422 body\.referrer_handle: .*unpaired surrogates$/],
  ])("%s", async (_what, change, answer) => {
    expect(await sendText(JSON.stringify({ ...order, ...change }))).toMatch(answer);
  });
});

describe("a body of an odd form is answered with what to send", () => {
  test.each<[string, string, RegExp]>([
    ["NaN", orderWith('"slippage":NaN'), /^422 body: the body must be valid JSON: /],
    [
      "a comment",
      `/* first */ ${ORDER}`,
      /^422 body: the body must be valid JSON: unexpected character "\/"/,
    ],
    [
      "a comma too many",
      `${ORDER.slice(0, -1)},}`,
      /^422 body: the body must be valid JSON: look at character/,
    ],
    ["two documents", `${ORDER}${ORDER}`, /^422 body: the body must be valid JSON: look at character/],
    ["10,000 open brackets", "[".repeat(10_000), /^422 body: the body must be valid JSON/],
    ["10,000 nested lists", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, /^422 body: must be a JSON object/],
    [
      "10,000 nested lists in a member",
      orderWith(`"x":${"[".repeat(10_000)}${"]".repeat(10_000)}`),
      /^422 body\.x: unknown field/,
    ],
    [
      "a member given twice, once by its escapes",
      orderWith('"slippage":0.01,"slippag\\u0065":0.5'),
      /^422 body\.slippage: is given more than once/,
    ],
    ["a prototype", orderWith('"__proto__":{"slippage":0.5}'), /^422 body\.__proto__: unknown field/],
    ["a member without a name", orderWith('"":1'), /^422 body\.: unknown field ""/],
    ["a document in a text", JSON.stringify(ORDER), /^422 body: must be a JSON object/],
  ])("%s", async (_what, raw, answer) => {
    expect(await sendText(raw)).toMatch(answer);
  });

  test("a byte order mark is skipped, and a type with parameters is taken", async () => {
    const elsewhere = ORDER.replace("8453,", "5,");
    expect(await sendText(`\ufeff${elsewhere}`)).toMatch(/^400 chain_unsupported/);
    const type = { "content-type": "APPLICATION/JSON ; charset=UTF-8" };
    expect(await sendText(elsewhere, type)).toMatch(/^400 chain_unsupported/);
  });

  test.each(["text/json", "application/x-ndjson", "application/json, text/html", "application/octet-stream"])(
    "%s is another type",
    async (type) => {
      expect(await sendText(ORDER, { "content-type": type })).toBe(
        "422 body: the content type must be application/json: send the header Content-Type",
      );
    },
  );

  test("other compression is refused", async () => {
    const answer = await sendText(ORDER, { ...JSON_TYPE, "content-encoding": "br" });
    expect(answer).toMatch(/^422 body: the body must not be compressed/);
  });
});

describe("an odd address of a resource is answered with what to do", () => {
  test.each<[string, string, RegExp]>([
    ["GET", "/v1/chains//", /^404 route_not_found: .*did you mean GET \/v1\/chains\?$/],
    ["GET", "/v1/Chains", /^404 route_not_found: .*did you mean GET \/v1\/chains\?$/],
    ["GET", "/swagger.json", /^404 route_not_found: .*\/docs and \/openapi\.json/],
    ["GET", "/v1", /^404 route_not_found: .*\/docs and \/openapi\.json/],
    ["POST", "/v1/deposit", /^404 route_not_found: .*did you mean POST \/v1\/quote\/build\?$/],
    ["POST", "/v1/redeem", /^404 route_not_found: .*did you mean POST \/v1\/withdraw\/build\?$/],
    ["PROPFIND", "/v1/vaults", /^405 method_not_allowed: this path allows GET, HEAD, OPTIONS/],
    ["GET", "/v1/chains?=1", /^422 query\.: unknown field ""/],
    ["GET", "/v1/chains?source[]=true", /^422 query\.source\[\]: .*did you mean source\?/],
    ["GET", "/v1/vaults?chain_id=8453,31338", /^422 query\.chain_id: .*GET \/v1\/chains lists/],
    ["GET", "/v1/vaults?chain_id=99999999999999999999", /^422 query\.chain_id: must be at most/],
    ["GET", "/v1/vaults?limit=010", /^422 query\.limit: .*without leading zeros/],
    ["GET", "/v1/vaults?asset=", /^422 query\.asset: must not be empty/],
    ["GET", `/v1/deposits?user_address=${USER}&from=24h&to=48h`, /^422 query\.from: must not be after `to`/],
    ["GET", `/v1/withdrawals?user_address=${USER}&from=1700000000`, /^422 query\.from: .*RFC 3339/],
    ["GET", "/v1/applications/me", /^422 path\.address: is a name or a symbol, not an address/],
    ["GET", "/v1/positions/%E0%A4%A", /^422 path\.user_address: must be an address/],
    ["DELETE", "/v1/partners/api-keys/nope", /^401 credentials_required/],
  ])("%s %s", async (method, path, answer) => {
    expect(await send(path, { method })).toMatch(answer);
  });
});

test("an empty or a long request id says so", async () => {
  const body = { vault_id: VAULT, user_address: USER };
  const claim = (request_id: string) =>
    send("/v1/withdraw/claim", {
      method: "POST",
      headers: JSON_TYPE,
      body: JSON.stringify({ ...body, request_id }),
    });
  expect(await claim("")).toBe("422 body.request_id: must not be empty");
  expect(await claim("1".repeat(257))).toBe("422 body.request_id: must have at most 256 characters");
});
