import { describe, expect, test } from "vitest";
import { parseConfig } from "../../src/config/config.ts";
import { parseDiscoverySetting } from "../../src/config/discovery-setting.ts";
import { AppError } from "../../src/errors.ts";

const bindings = {
  DATABASE_URL: "postgres://user:pa55word@db.example/causeway",
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  UPSTASH_REDIS_REST_TOKEN: "redis-t0ken",
  PUBLIC_URL: "https://causeway.example",
} as const;

const complete = {
  ...bindings,
  DATABASE_HTTP_URL: "http://127.0.0.1:4444/sql",
  REDIS_KEY_PREFIX: "staging",
  ADMIN_TOKEN: "a".repeat(32),
  CHAINS: JSON.stringify([{ chain_id: 1, rpc_urls: ["https://node.example/k3y"] }]),
  MAX_ORDERS_IN_PROGRESS: "10",
  SERVER_TIMING: "off",
  PROVIDERS: JSON.stringify({
    lifi: { integrator: "causeway", api_key: "lifi-k3y" },
    across: { api_url: "https://bridge.example/api", integrator_id: "0xAB12" },
  }),
  DISCOVERY: JSON.stringify({ assets: [`1:0x${"ab".repeat(20)}`], min_tvl_usd: 5 }),
  RATE_LIMITS: JSON.stringify({
    quote: 7,
    key_factor: 3,
    partners: { [`0x${"AB".repeat(20)}`]: { reads: 9 } },
  }),
  AUTHORIZATIONS: JSON.stringify({
    "31337": [
      {
        token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
        name: "USD Coin",
        version: "2",
        separator: `0x${"ab".repeat(32)}`,
        permit: true,
        erc3009: true,
        checks: "code",
      },
    ],
  }),
  PRICES: JSON.stringify({
    api_url: "https://prices.example",
    feeds: {
      31337: {
        tokens: [
          {
            token: `0x${"11".repeat(20)}`,
            unit: "USD",
            feeds: [{ proxy: `0x${"22".repeat(20)}`, decimals: 8, pair: "USDC/USD", heartbeat_s: 3600 }],
          },
        ],
      },
    },
  }),
  PARTNER_PEPPERS: JSON.stringify({ 2: `second${"x".repeat(32)}`, 10: `tenth${"x".repeat(32)}` }),
};
/** The default limits, in requests per minute. */
const limits = {
  quote: 60,
  build: 60,
  user_build: 20,
  nonce: 10,
  register: 10,
  login: 10,
  positions: 120,
  status: 120,
  reads: 600,
};
type Variable = keyof typeof complete;

function refusalOf(env: unknown): string {
  try {
    parseConfig(env);
  } catch (error) {
    if (error instanceof AppError && error.code === "internal") return error.message;
    throw error;
  }
  throw new Error("it was accepted");
}

/** No part of any value, whatever is wrong. */
function expectNoValue(message: string): void {
  for (const secret of ["pa55word", "t0ken", "k3y", "aaaa", "127.0.0.1", "example", "wr0ng", "tenth"]) {
    expect(message).not.toContain(secret);
  }
}

describe("parseConfig()", () => {
  test("fills in defaults for a minimal deployment", () => {
    expect(parseConfig(bindings)).toEqual({
      databaseUrl: "postgres://user:pa55word@db.example/causeway",
      databaseHttpUrl: null,
      redisUrl: "https://redis.example",
      redisToken: "redis-t0ken",
      redisKeyPrefix: "cw",
      publicUrl: "https://causeway.example",
      adminToken: null,
      chains: null,
      providers: {},
      prices: { apiUrl: "https://coins.llama.fi", feeds: new Map() },
      signingTokens: new Map(),
      discovery: parseDiscoverySetting(undefined, { addIssue: () => undefined }),
      serverTiming: true,
      limits,
      maxOrders: 64,
      keyFactor: 10,
      partnerLimits: new Map(),
      platformLimiters: new Map(),
      flowsQueue: null,
      followingQueue: null,
      assets: null,
      partnerPeppers: [],
    });
  });

  test("parses every variable", () => {
    expect(parseConfig({ ...complete, PUBLIC_URL: "https://causeway.example/" })).toEqual({
      databaseUrl: "postgres://user:pa55word@db.example/causeway",
      databaseHttpUrl: "http://127.0.0.1:4444/sql",
      redisUrl: "https://redis.example",
      redisToken: "redis-t0ken",
      redisKeyPrefix: "staging",
      publicUrl: "https://causeway.example",
      adminToken: "a".repeat(32),
      chains: [{ chain_id: 1, rpc_urls: ["https://node.example/k3y"] }],
      providers: {
        lifi: {
          api_url: "https://li.quest/v1",
          api_key: "lifi-k3y",
          integrator: "causeway",
          deployments: [],
        },
        across: { api_url: "https://bridge.example/api", integrator_id: "0xab12", deployments: [] },
      },
      discovery: {
        ...parseDiscoverySetting(undefined, { addIssue: () => undefined }),
        ...{ assets: [`1:0x${"ab".repeat(20)}`], min_tvl_usd: 5 },
      },
      signingTokens: new Map([
        [
          31_337,
          new Map([
            [
              "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
              {
                domain: {
                  name: "USD Coin",
                  version: "2",
                  chainId: 31_337,
                  verifyingContract: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
                },
                separator: `0x${"ab".repeat(32)}`,
                permit: true,
                erc3009: true,
                checks: "code",
              },
            ],
          ]),
        ],
      ]),
      prices: {
        apiUrl: "https://prices.example",
        feeds: new Map([
          [
            31337,
            {
              sequencer: null,
              tokens: [
                {
                  token: `0x${"11".repeat(20)}`,
                  unit: "USD",
                  feeds: [
                    {
                      proxy: `0x${"22".repeat(20)}`,
                      decimals: 8,
                      pairs: ["USDC/USD"],
                      heartbeatS: 3600,
                      deviationBps: 50,
                    },
                  ],
                },
              ],
            },
          ],
        ]),
      },
      serverTiming: false,
      limits: { ...limits, quote: 7 },
      maxOrders: 10,
      keyFactor: 3,
      partnerLimits: new Map([[`0x${"ab".repeat(20)}`, { reads: 9 }]]),
      platformLimiters: new Map(),
      flowsQueue: null,
      followingQueue: null,
      assets: null,
      partnerPeppers: [
        { version: 10, secret: `tenth${"x".repeat(32)}` },
        { version: 2, secret: `second${"x".repeat(32)}` },
      ],
    });
  });

  test("takes platform limiters by the limit in their name", () => {
    const limiter = { limit: async () => ({ success: true }) };
    const env = {
      ...bindings,
      LIMIT_600: limiter,
      LIMIT_0: limiter,
      LIMIT_120: {},
      LIMIT_60: "x",
      limit_10: limiter,
    };
    expect(parseConfig(env).platformLimiters).toEqual(new Map([[600, limiter]]));
  });

  test("takes static files from a binding that can fetch", () => {
    const assets = { fetch: async () => new Response() };
    expect(parseConfig({ ...bindings, ASSETS: assets }).assets).toBe(assets);
  });

  test("ignores bindings that are not its own", () => {
    expect(parseConfig({ ...bindings, ASSETS: {}, OTHER: "x" })).toEqual(parseConfig(bindings));
  });
});

describe("parseConfig() with a missing variable", () => {
  test.each(Object.keys(bindings) as (keyof typeof bindings)[])("names %s and no value", (name) => {
    const { [name]: _removed, ...rest } = complete;
    const message = refusalOf(rest);
    expect(message).toBe(`configuration: missing or invalid: ${name}`);
    expectNoValue(message);
  });

  test("names all missing variables at once", () => {
    expect(refusalOf({})).toBe(
      "configuration: missing or invalid: DATABASE_URL, UPSTASH_REDIS_REST_URL, UPSTASH_REDIS_REST_TOKEN, PUBLIC_URL",
    );
  });

  test.each([undefined, null, "text", 5])("parseConfig() refuses bindings that are no object (%s)", (env) => {
    expect(refusalOf(env)).toBe("configuration: missing or invalid: bindings");
  });
});

describe("parseConfig() with an invalid variable", () => {
  test.each<[Variable, unknown]>([
    ["DATABASE_URL", "mysql://user:pa55word@db.example"],
    ["DATABASE_URL", 5],
    ["DATABASE_HTTP_URL", "wr0ng"],
    ["UPSTASH_REDIS_REST_URL", "redis://default:t0ken@redis.example"],
    ["UPSTASH_REDIS_REST_TOKEN", ""],
    ["REDIS_KEY_PREFIX", "wr0ng".repeat(20)],
    ["PUBLIC_URL", "causeway.example"],
    ["PUBLIC_URL", "ftp://causeway.example"],
    ["ADMIN_TOKEN", "wr0ng"],
    ["SERVER_TIMING", "wr0ng"],
    ["MAX_ORDERS_IN_PROGRESS", "0"],
    ["MAX_ORDERS_IN_PROGRESS", "many"],
    ["CHAINS", "wr0ng"],
    ["CHAINS", "{"],
    ["CHAINS", "[]"],
    ["CHAINS", "null"],
    ["CHAINS", '{"chain_id":1}'],
    ["CHAINS", '[{"rpc_urls":["https://node.example/k3y"]}]'],
    ["CHAINS", '[{"chain_id":0}]'],
    ["CHAINS", '[{"chain_id":1.5}]'],
    ["CHAINS", '[{"chain_id":"1"}]'],
    ["CHAINS", '[{"chain_id":1,"rpc_urls":[]}]'],
    ["CHAINS", '[{"chain_id":1,"rpc_urls":["wss://node.example/k3y"]}]'],
    ["CHAINS", '[{"chain_id":1,"rpc_urls":["k3y"]}]'],
    ["CHAINS", '[{"chain_id":5,"confirmations":0}]'],
    ["CHAINS", '[{"chain_id":5,"native":{"symbol":"ETH","decimals":-1}}]'],
    ["CHAINS", '[{"chain_id":5,"wrapped_native":"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"}]'],
    ["PROVIDERS", "wr0ng"],
    ["PROVIDERS", '{"relay":{}}'],
    ["PROVIDERS", '{"lifi":{}}'],
    ["PROVIDERS", '{"lifi":{"integrator":"a name with blanks"}}'],
    ["PROVIDERS", '{"lifi":{"integrator":"wr0ng","api_url":"wr0ng"}}'],
    ["PROVIDERS", '{"lifi":{"integrator":"wr0ng","apikey":"k3y"}}'],
    ["PROVIDERS", '{"across":{"integrator_id":"0x123"}}'],
    ["PROVIDERS", '{"across":{"deployments":{"0":{}}}}'],
    ["PROVIDERS", `{"across":{"deployments":{"31337":{"spoke_pool":"wr0ng"}}}}`],
    ["DISCOVERY", '{"assets":["USDC"]}'],
    ["DISCOVERY", '{"min_tvl":5}'],
    ["RATE_LIMITS", "wr0ng"],
    ["RATE_LIMITS", '{"quote":0}'],
    ["RATE_LIMITS", '{"quote":"60"}'],
    ["RATE_LIMITS", '{"qoute":60}'],
    ["RATE_LIMITS", '{"key_factor":0}'],
    ["RATE_LIMITS", '{"partners":{"ann":{"quote":1}}}'],
    ["RATE_LIMITS", `{"partners":{"0x${"ab".repeat(20)}":{"qoute":1}}}`],
    ["PARTNER_PEPPERS", "wr0ng"],
    ["PARTNER_PEPPERS", '{"1":"wr0ng"}'],
    ["PARTNER_PEPPERS", `{"0":"${"wr0ng".repeat(8)}"}`],
    ["PARTNER_PEPPERS", `{"first":"${"wr0ng".repeat(8)}"}`],
  ])("names the variable of %s=%s, not the value", (name, value) => {
    const message = refusalOf({ ...complete, [name]: value });
    expect(message).toBe(`configuration: missing or invalid: ${name}`);
    expectNoValue(message);
  });

  test("names a variable once, however many parts are invalid", () => {
    const CHAINS = '[{"chain_id":0,"rpc_urls":["x","y"]},{"chain_id":-1}]';
    expect(refusalOf({ ...complete, CHAINS })).toBe("configuration: missing or invalid: CHAINS");
  });
});

test("parseConfig() treats empty JSON as absent", () => {
  const env = { ...bindings, CHAINS: "", PROVIDERS: "", RATE_LIMITS: "", PARTNER_PEPPERS: "" };
  expect(parseConfig(env)).toEqual(parseConfig(bindings));
});
