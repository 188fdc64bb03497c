import * as z from "zod";
import { AppError } from "../errors.ts";
import {
  type AssetFiles,
  assetsOf,
  type MessageQueue,
  type PlatformLimiter,
  platformLimitersOf,
  queueOf,
} from "./cloudflare-bindings.ts";
import { type DiscoverySetting, parseDiscoverySetting } from "./discovery-setting.ts";
import { byChain, ContractAddress, jsonVariable, Url, wholeNumber } from "./environment-value-schemas.ts";
import { parseSigningTokens, type SigningTokens } from "./signing-token-setting.ts";

/**
 * Schema of one entry of `CHAINS`. For a chain that is defined in code, only `rpc_urls` is used, if it is given. Any
 * other chain needs `rpc_urls`, `name`, `key` and `native`.
 */
const ChainSetting = z.object({
  chain_id: z.int().positive(),
  rpc_urls: z.array(Url).min(1).max(8).optional(),
  name: z.string().min(1).optional(),
  key: z.string().min(1).optional(),
  explorer: z.union([Url, z.literal("")]).optional(),
  native: z.object({ symbol: z.string().min(1), decimals: z.int().min(0).max(36) }).optional(),
  wrapped_native: ContractAddress.nullable().optional(),
  confirmations: z.int().min(1).max(1000).optional(),
});
/** One entry of `CHAINS`: the settings of a chain. */
export type ChainSetting = z.infer<typeof ChainSetting>;

/** Default rate limits by name: the number of requests that one caller may make per minute. */
const limitDefaults = {
  quote: 60,
  build: 60,
  user_build: 20,
  nonce: 10,
  register: 10,
  login: 10,
  positions: 120,
  status: 120,
  reads: 600,
} as const;
/** Name of a rate limit: the kind of requests that it counts. */
export type LimitName = keyof typeof limitDefaults;
/** Rate limits by name, in requests per minute. */
export type Limits = Readonly<Record<LimitName, number>>;

const PerMinute = z.int().min(1).max(100_000_000);
const SomeLimits = z.partialRecord(z.enum(Object.keys(limitDefaults) as LimitName[]), PerMinute);
/**
 * Schema of `RATE_LIMITS`: requests per minute by name, the factor for partners' requests, and limits of individual
 * partners.
 */
const RateLimits = z
  .looseObject({
    key_factor: PerMinute.optional(),
    partners: z.record(z.string().regex(/^0x[0-9a-fA-F]{40}$/), SomeLimits).optional(),
  })
  .transform(({ key_factor: keyFactor = 10, partners = {}, ...limits }, context) => {
    const parsed = SomeLimits.safeParse(limits);
    if (parsed.success) return { keyFactor, partners: Object.entries(partners), limits: parsed.data };
    context.addIssue({ code: "custom", message: "not limits" });
    return z.NEVER;
  });

/**
 * Schema of `PARTNER_PEPPERS`: the secrets that API keys are hashed with, by version. New keys use the highest version.
 */
const Peppers = z.record(z.string().regex(/^[1-9][0-9]{0,3}$/), z.string().min(32));

const AssetSetting = z.strictObject({
  asset: z.string().min(1).max(32),
  address: ContractAddress,
  decimals: z.int().min(0).max(36),
});
const LifiSetting = z.strictObject({
  api_url: Url.default("https://li.quest/v1"),
  api_key: z.string().min(1).optional(),
  integrator: z.string().regex(/^[A-Za-z0-9._-]{1,23}$/),
  deployments: byChain(() =>
    z.strictObject({
      diamond: ContractAddress,
      executor: ContractAddress,
      erc20_proxy: ContractAddress,
      receiver_across: ContractAddress.nullable(),
      receiver_stargate: ContractAddress.nullable(),
      fee_forwarders: z.array(ContractAddress).max(8),
      max_native_fee: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,20})$/)
        .transform(BigInt),
      bridges: z.array(z.enum(["across", "stargate", "celer", "polymer"])),
      wrapped_native: ContractAddress.nullable(),
      assets: z.array(AssetSetting),
      stargate: z
        .strictObject({
          endpoint_id: z.int().min(1),
          endpoint: ContractAddress,
          token_messaging: ContractAddress.optional(),
          pools: z.array(
            z.strictObject({
              asset_id: z.int().min(1),
              pool: ContractAddress,
              token: ContractAddress,
              decimals: z.int().min(0).max(36),
            }),
          ),
        })
        .optional(),
      circle: z
        .strictObject({ domain: z.int().min(0), transmitter: ContractAddress, usdc: ContractAddress })
        .optional(),
    }),
  ).default([]),
});
/** The settings of the provider LI.FI in `PROVIDERS`. */
export type LifiSetting = z.output<typeof LifiSetting>;
const AcrossSetting = z.strictObject({
  api_url: Url.default("https://app.across.to/api"),
  api_key: z.string().min(1).optional(),
  integrator_id: z
    .string()
    .regex(/^0x[0-9a-fA-F]{4}$/)
    .transform((text): `0x${string}` => `0x${text.slice(2).toLowerCase()}`)
    .optional(),
  deployments: byChain(() =>
    z.strictObject({
      spoke_pool: ContractAddress,
      multicall_handler: ContractAddress.nullable(),
      wrapped_native: ContractAddress.nullable(),
      tokens: z.array(AssetSetting),
    }),
  ).default([]),
});
/** The settings of the provider Across in `PROVIDERS`. */
export type AcrossSetting = z.output<typeof AcrossSetting>;
// Lazy, because an isolate without exchanges need not build them at its start.
const KyberSetting = z.lazy(() =>
  z.strictObject({
    api_url: Url.default("https://aggregator-api.kyberswap.com"),
    client_id: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,64}$/)
      .default("causeway"),
    deployments: byChain(() =>
      z.strictObject({ slug: z.string().regex(/^[a-z0-9-]{1,32}$/), router: ContractAddress }),
    ).default([]),
  }),
);
/** The settings of the provider KyberSwap in `PROVIDERS`. */
export type KyberSetting = z.output<typeof KyberSetting>;
const VeloraSetting = z.lazy(() =>
  z.strictObject({
    api_url: Url.default("https://api.paraswap.io"),
    deployments: byChain(() => z.strictObject({ router: ContractAddress })).default([]),
  }),
);
/** The settings of the provider Velora in `PROVIDERS`. */
export type VeloraSetting = z.output<typeof VeloraSetting>;

/**
 * Schema of `PROVIDERS`: the services that swap and bridge tokens. Only the providers that it names are used.
 * `deployments` adds a provider's contracts on chains for which the code has none.
 */
const ProviderSettings = z.strictObject({
  lifi: LifiSetting.optional(),
  across: AcrossSetting.optional(),
  kyber: KyberSetting.optional(),
  velora: VeloraSetting.optional(),
});
/** The settings of all providers in `PROVIDERS`. A provider that is absent is not used. */
export type ProviderSettings = z.output<typeof ProviderSettings>;

/** Returns the schema of one feed in `PRICES`. */
const makeFeedSetting = () =>
  z
    .strictObject({
      proxy: ContractAddress,
      decimals: z.int().min(0).max(36),
      pair: z.string().regex(/^[A-Z0-9.]+\/[A-Z0-9.]+$/),
      heartbeat_s: z.int().min(1).max(604_800),
      deviation_bps: z.int().min(0).max(10_000).default(50),
    })
    .transform(({ pair, heartbeat_s: heartbeatS, deviation_bps: deviationBps, ...feed }) => {
      return { ...feed, pairs: [pair], heartbeatS, deviationBps };
    });
/** Schema of `PRICES`: the URL of the public price API, and feeds by chain id for chains without feeds in code. */
const PriceSettings = z.strictObject({
  api_url: Url.nullable().default("https://coins.llama.fi"),
  feeds: byChain(() =>
    z.strictObject({
      sequencer: ContractAddress.nullable().default(null),
      tokens: z.array(
        z.strictObject({
          token: ContractAddress,
          unit: z.string().nullable().default(null),
          feeds: z.array(makeFeedSetting()).min(1).max(3),
        }),
      ),
    }),
  ).default([]),
});
type PriceSettings = z.output<typeof PriceSettings>;

const flag = (fallback: boolean) =>
  z
    .enum(["on", "off"])
    .optional()
    .transform((text) => (text === undefined ? fallback : text === "on"));

/**
 * Schema of `CHAINS`, a JSON list of the chains to serve. The result is undefined if the variable is not set; all
 * supported chains are then served on public nodes.
 */
export const ChainsVariable = jsonVariable(z.array(ChainSetting).min(1));

const Variables = z.object({
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//),
  /** URL of Neon's SQL-over-HTTP endpoint, if the connection string does not imply it. */
  DATABASE_HTTP_URL: Url.optional(),
  UPSTASH_REDIS_REST_URL: Url,
  UPSTASH_REDIS_REST_TOKEN: z.string().min(1),
  /** Prefix of this deployment's keys in a shared Redis database. */
  REDIS_KEY_PREFIX: z.string().max(64).default("cw"),
  /** The deployment's own origin, which sign-in messages are bound to. */
  PUBLIC_URL: Url,
  ADMIN_TOKEN: z.string().min(32).optional(),
  CHAINS: ChainsVariable,
  PROVIDERS: jsonVariable(ProviderSettings),
  PRICES: jsonVariable(PriceSettings).transform((prices) => prices ?? PriceSettings.parse({})),
  AUTHORIZATIONS: jsonVariable(z.unknown()).transform(parseSigningTokens),
  DISCOVERY: jsonVariable(z.unknown()).transform(parseDiscoverySetting),
  RATE_LIMITS: jsonVariable(RateLimits),
  /** Secrets that API keys are hashed with; without them, creating and verifying API keys fails. */
  PARTNER_PEPPERS: jsonVariable(Peppers),
  /**
   * Maximum number of orders in progress in an isolate. An order holds some 20 responses of at most about 30 KiB, and
   * what was parsed from them: less than one MiB by estimate. The platform gives an isolate 128 MB.
   */
  MAX_ORDERS_IN_PROGRESS: wholeNumber.default(64),
  SERVER_TIMING: flag(true),
});

/** The deployment's settings, parsed from the Worker's bindings. */
export interface Config {
  databaseUrl: string;
  /** URL of Neon's SQL-over-HTTP endpoint, or null if the connection string implies it. */
  databaseHttpUrl: string | null;
  redisUrl: string;
  redisToken: string;
  /** Prefix of this deployment's keys in a shared Redis database. */
  redisKeyPrefix: string;
  /** The deployment's own origin, as `PUBLIC_URL` states it, less one trailing slash. */
  publicUrl: string;
  /**
   * Token of the administrator, or null if the deployment has none: then no request is authorized as the administrator.
   */
  adminToken: string | null;
  /** The chains to serve, or null for all supported chains on public nodes. */
  chains: readonly ChainSetting[] | null;
  /** Settings of the providers to use; empty for none. */
  providers: ProviderSettings;
  /** URL of the public price API, or null for none, and price feeds by chain id, for chains without feeds in code. */
  prices: { apiUrl: string | null; feeds: ReadonlyMap<number, PriceSettings["feeds"][number][1]> };
  /** Settings of vault discovery: registers, and conditions of the admission gate. */
  discovery: DiscoverySetting;
  /** Tokens that accept signed authorizations, by chain id; used for chains without such tokens in code. */
  signingTokens: ReadonlyMap<number, SigningTokens>;
  /** False if no response may carry the `Server-Timing` header. Default: true. */
  serverTiming: boolean;
  /** Rate limits of requests without an API key, and of all requests to operations that are not public. */
  limits: Limits;
  /** Number of slots (`WorkSlots`) that an isolate has for quotes, builds and other requests for orders. */
  maxOrders: number;
  /** Factor by which the rate limits are multiplied for requests with an API key to public operations. Default: 10. */
  keyFactor: number;
  /** Rate limits of individual partners by lowercase address, in place of the multiplied ones. */
  partnerLimits: ReadonlyMap<string, Partial<Limits>>;
  /** Cloudflare's rate limiters by their limit per minute: the binding `LIMIT_600` has the key 600. */
  platformLimiters: ReadonlyMap<number, PlatformLimiter>;
  /** Queue for backfill messages, or null if none is bound. */
  flowsQueue: MessageQueue | null;
  /** Queue for tracking deposits and withdrawals and for vault proofs, or null if none is bound. */
  followingQueue: MessageQueue | null;
  /** Static files of the site, or null if the deployment has none. */
  assets: AssetFiles | null;
  /**
   * Secrets that API keys are hashed with, the highest version first; empty if none are set: creating and verifying API
   * keys then fails.
   */
  partnerPeppers: readonly Pepper[];
}

/**
 * A pepper: a secret of the deployment that API keys and their secrets are hashed with. New keys use the highest
 * version.
 */
export interface Pepper {
  version: number;
  secret: string;
}

/**
 * Parses the Worker's bindings into the deployment's settings. Throws `internal` with the names, never the values, of
 * all variables that are missing or invalid.
 */
export function parseConfig(env: unknown): Config {
  const parsed = Variables.safeParse(env);
  if (!parsed.success) {
    const names = [...new Set(parsed.error.issues.map((issue) => String(issue.path[0] ?? "bindings")))];
    throw new AppError("internal", `configuration: missing or invalid: ${names.join(", ")}`);
  }
  const variables = parsed.data;
  return {
    databaseUrl: variables.DATABASE_URL,
    databaseHttpUrl: variables.DATABASE_HTTP_URL ?? null,
    redisUrl: variables.UPSTASH_REDIS_REST_URL,
    redisToken: variables.UPSTASH_REDIS_REST_TOKEN,
    redisKeyPrefix: variables.REDIS_KEY_PREFIX,
    publicUrl: variables.PUBLIC_URL.replace(/\/$/, ""),
    adminToken: variables.ADMIN_TOKEN ?? null,
    chains: variables.CHAINS ?? null,
    providers: variables.PROVIDERS ?? {},
    prices: { apiUrl: variables.PRICES.api_url, feeds: new Map(variables.PRICES.feeds) },
    discovery: variables.DISCOVERY,
    signingTokens: variables.AUTHORIZATIONS,
    serverTiming: variables.SERVER_TIMING,
    limits: { ...limitDefaults, ...definedOf(variables.RATE_LIMITS?.limits) },
    maxOrders: variables.MAX_ORDERS_IN_PROGRESS,
    keyFactor: variables.RATE_LIMITS?.keyFactor ?? 10,
    partnerLimits: new Map(
      variables.RATE_LIMITS?.partners.map(([address, limits]) => [address.toLowerCase(), definedOf(limits)]),
    ),
    platformLimiters: platformLimitersOf(env),
    flowsQueue: queueOf(env, "FLOWS"),
    followingQueue: queueOf(env, "FOLLOWING"),
    assets: assetsOf(env),
    partnerPeppers: Object.entries(variables.PARTNER_PEPPERS ?? {})
      .map(([version, secret]) => ({ version: Number(version), secret }))
      .sort((a, b) => b.version - a.version),
  };
}

/** Returns the rate limits without undefined members. */
function definedOf(limits: Partial<Record<LimitName, number | undefined>> = {}): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
