import { describe, expect, test } from "vitest";
import { composeApp } from "../../src/app.ts";
import { testContext } from "../support/context.ts";

const USER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const HASH = `0x${"ab".repeat(32)}`;
const TRACKING = `trk_${"0".repeat(32)}`;
const VAULT_ADDRESS = `0x${"12".repeat(20)}`;
const order = {
  ...{ from_chain_id: 1, from_token: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", from_amount: "1000000" },
  ...{ vault_id: `1:${VAULT_ADDRESS}`, user_address: USER },
};
const claim = { vault_id: `1:${VAULT_ADDRESS}`, user_address: USER };
const app = composeApp((_bindings, { requestId }) => testContext({ requestId: requestId() }));
const executionCtx = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} };

/** Sends a request and returns its answer in one line: status, code or places, and the texts. */
async function told(path: string, body?: unknown): Promise<string> {
  const init = {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json" },
    body: body === undefined ? null : JSON.stringify(body),
  };
  const request = new Request(`https://causeway.example${path}`, init);
  const response = await app.fetch(request, {}, executionCtx as unknown as ExecutionContext);
  const answer: { code?: string; detail: string | { loc: string[]; msg: string }[] } = await response.json();
  const { code, detail } = answer;
  if (typeof detail === "string") return `${response.status} ${code}: ${detail}`;
  return `${response.status} ${detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; ")}`;
}

describe("a mistake in a query is answered with what to do", () => {
  test.each<[string, string, RegExp]>([
    [
      "a tracking id for a transaction hash",
      `/v1/status?tracking_id=${TRACKING}`,
      /^422 query\.tx_hash: is required; a tracking id goes to GET \/v1\/deposits\/\{tracking_id\} or .*; query\.from_chain_id: is required$/,
    ],
    ["a tracking id as the hash", `/v1/status?tx_hash=${TRACKING}&from_chain_id=1`, /GET \/v1\/deposits/],
    ["chain_id", `/v1/status?tx_hash=${HASH}&chain_id=1`, /from_chain_id: .*this name, and not "chain_id"$/],
    ["a chain's name", `/v1/status?tx_hash=${HASH}&from_chain_id=base`, /decimal digits: GET \/v1\/chains/],
    ["a chain id in hexadecimal", `/v1/status?tx_hash=${HASH}&from_chain_id=0x1`, /decimal digits/],
    [
      "a hash without 0x",
      `/v1/status?tx_hash=${HASH.slice(2)}&from_chain_id=1`,
      /the 0x in front is missing$/,
    ],
    ["an address as the hash", `/v1/status?tx_hash=${USER}&from_chain_id=1`, /digits: this is an address$/],
    [
      "an encoded equals sign",
      `/v1/deposits?user_address%3D${USER}`,
      /write user_address=… without encoding/,
    ],
    ["a list in brackets", `/v1/deposits?user_address[]=${USER}`, /did you mean user_address\?/],
    [
      "a date without a time",
      `/v1/deposits?user_address=${USER}&from=2026-11-01`,
      /such as 2026-11-01T00:00:00Z/,
    ],
    ["seconds for a time", `/v1/deposits?user_address=${USER}&from=1700000000`, /RFC 3339/],
    ["a page number", `/v1/deposits?user_address=${USER}&page=2`, /did you mean cursor\?/],
    ["tokens of prices", "/v1/prices?tokens=USDC", /did you mean ids\?.*not "tokens"/],
    ["a name of a chain", "/v1/vaults?chain=1", /did you mean chain_id\?/],
    ["a name for positions", "/v1/positions/alice.eth", /resolve the ENS name/],
    ["a trailing slash", `/v1/deposits/${TRACKING.slice(0, 9)}/`, /^422 path\.tracking_id: .*trk_ and 32/],
  ])("%s", async (_what, path, answer) => {
    expect(await told(path)).toMatch(answer);
  });
});

describe("a mistake in a body is answered with what to do", () => {
  test.each<[string, object, RegExp]>([
    ["a number with separators", { from_amount: "1,000,000" }, /without spaces and separators$/],
    ["scientific notation", { from_amount: "1e6" }, /without an exponent$/],
    ["a list of amounts", { from_amount: ["1000"] }, /from_amount: must be a positive integer/],
    ["an amount with its symbol", { from_amount: "1 USDC" }, /of the digits 0 to 9 and nothing else$/],
    ["a chain's CAIP-2 name", { from_chain_id: "eip155:1" }, /a JSON integer such as 8453: GET \/v1\/chains/],
    ["a vault with the chain behind", { vault_id: `${VAULT_ADDRESS}:1` }, /the chain id stands first$/],
    [
      "a vault with a chain's name",
      { vault_id: `ethereum:${VAULT_ADDRESS}` },
      /by its id alone, as in 8453:0x…$/,
    ],
    ["a CAIP-10 vault", { vault_id: `eip155:1:${VAULT_ADDRESS}` }, /by its id alone, as in 8453:0x…$/],
    [
      "a tracking id for the vault",
      { vault_id: TRACKING },
      /GET \/v1\/vaults lists it; this is a tracking id$/,
    ],
    ["a CAIP-10 account", { user_address: `eip155:1:${USER}` }, /digits, without a chain in front$/],
    ["a vault id for the user", { user_address: `1:${USER}` }, /digits, without a chain in front$/],
    ["a list of users", { user_address: [USER] }, /user_address: must be a string, in quotes$/],
    ["the chain's native currency by name", { from_token: "native" }, /send the zero address/],
    ["basis points", { slippage_bps: 50 }, /did you mean slippage\?$/],
  ])("%s", async (_what, change, answer) => {
    expect(await told("/v1/quote/build", { ...order, ...change })).toMatch(answer);
  });

  test.each<[string, unknown, RegExp]>([
    ["a list of orders", [order], /^422 body: must be a JSON object, not a list: send a request for each$/],
    ["JSON within JSON", JSON.stringify(order), /^422 body: .*not a string: encode the object once$/],
    ["null", null, /^422 body: must be a JSON object$/],
  ])("%s", async (_what, body, answer) => {
    expect(await told("/v1/quote/build", body)).toMatch(answer);
  });

  test.each(["claim", "cancel"])("a %s without its request", async (action) => {
    const hint = "is required: take it from `requests` in GET /v1/actions/{user_address}/{vault_id}";
    expect(await told(`/v1/withdraw/${action}`, claim)).toContain(`body.request_id: ${hint}`);
    expect(await told(`/v1/withdraw/${action}`, { ...claim, tracking_id: TRACKING })).toContain(
      'body.tracking_id: unknown field "tracking_id": a tracking id goes to GET /v1/deposits/{tracking_id}',
    );
  });

  test("another name for an address", async () => {
    expect(await told("/v1/partners/nonce", { wallet: USER })).toContain('not "wallet"');
  });
});
