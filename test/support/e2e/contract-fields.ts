/** Table of the fields that the API guarantees. It is written independently of the service's schemas. */

const VAULT_TYPES = ["custom", "morpho", "veda", "midas", "lido", "ipor", "accountable"];
const STATES = [
  ["built", "expired", "abandoned", "submitted", "bridging", "awaiting_deposit"],
  ["requested", "claimable", "completed", "partial", "refunded", "failed"],
].flat();

const text = (value: unknown): boolean => typeof value === "string";
const matching = (pattern: RegExp) => (value: unknown) => typeof value === "string" && pattern.test(value);
const oneOf = (values: readonly unknown[]) => (value: unknown) => values.includes(value);

/** Kinds of values. In the table below, a `?` after a kind means that null is allowed. */
const kinds = {
  text,
  boolean: (value: unknown) => typeof value === "boolean",
  integer: (value: unknown) => Number.isSafeInteger(value),
  amount: matching(/^(0|[1-9][0-9]{0,77})$/),
  signed: matching(/^(0|-?[1-9][0-9]{0,77})$/),
  address: matching(/^0x(?=.*[0-9])[0-9a-fA-F]{40}$/),
  data: matching(/^0x([0-9a-fA-F]{2})*$/),
  quantity: matching(/^0x(0|[1-9a-f][0-9a-f]*)$/),
  hash: matching(/^0x[0-9a-f]{64}$/),
  vault_id: matching(/^[1-9][0-9]*:0x[0-9a-f]{40}$/),
  time: matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  upper: matching(/^[^a-z]+$/),
  vault_type: oneOf(VAULT_TYPES),
  state: oneOf(STATES),
  status: oneOf(["NOT_FOUND", "INVALID", "PENDING", "DONE", "FAILED"]),
  quote_type: oneOf(["direct", "same_chain_swap", "cross_chain"]),
  step_kind: oneOf(["deposit", "claim"]),
};
type Kind = keyof typeof kinds;

/** A kind, a list of one shape, an object of shapes, or `{ null: shape }` for an object that may be null. */
export type Shape = Kind | `${Kind}?` | readonly [Shape] | { readonly [name: string]: Shape } | OrNull;
class OrNull {
  readonly shape: Shape;
  constructor(shape: Shape) {
    this.shape = shape;
  }
}
const orNull = (shape: Shape): OrNull => new OrNull(shape);

const asset = { address: "address", symbol: "text", decimals: "integer" } as const;

export const vault = {
  vault_id: "vault_id",
  name: "text",
  address: "address",
  chain_id: "integer",
  chain_name: "text",
  asset,
  accepted_assets: [asset],
  deposit_router: "address",
  type: "vault_type",
  min_deposit: "amount?",
  no_minimum: "boolean",
  curator: "text",
  paused: "boolean",
  paused_reason: "text",
  external_router: "boolean",
} as const satisfies Shape;

export const vaultDetail = {
  ...vault,
  total_assets: "amount?",
  total_supply: "amount?",
  share_price: "amount?",
  share_token: "address",
  share_decimals: "integer",
  max_deposit: "amount?",
  read_at: orNull({ block_number: "integer", block_timestamp: "time" }),
  stale: "boolean",
} as const satisfies Shape;

const transactionRequest = {
  to: "address",
  data: "data",
  value: "amount",
  chain_id: "integer",
  gas_limit: "amount?",
} as const;
const approval = { token_address: "address", spender_address: "address", amount: "amount" } as const;
const calls = [{ to: "address", data: "data", value: "quantity", chain_id: "quantity" }] as const;
const next = orNull({
  kind: "step_kind",
  transaction_request: transactionRequest,
  approval: orNull(approval),
  calls,
});
const leg = { block_number: "integer", gas_used: "amount", shares: "amount?" } as const;

export const built = {
  transaction_request: transactionRequest,
  tracking: { from_chain_id: "integer", to_chain_id: "integer", bridge: "text?", router_explorer: "text?" },
  approval: orNull(approval),
  tracking_id: "text",
  two_step: "boolean",
  deposit_tx: orNull({ transaction_request: transactionRequest, approval: orNull(approval) }),
  estimate: {
    to_amount: "amount",
    to_amount_min: "amount",
    deposit_amount: "amount",
    estimated_shares: "amount",
    min_shares: "amount?",
  },
  expires_at: "time",
  simulation: {
    ...leg,
    balance_sufficient: "boolean",
    allowance_sufficient: "boolean",
    destination: orNull(leg),
  },
  calls,
} as const satisfies Shape;

const amounts = { to_amount: "amount", to_amount_min: "amount", deposit_amount: "amount" } as const;

export const quote = {
  quote_type: "quote_type",
  vault,
  estimate: {
    from_amount: "amount",
    from_amount_usd: "text?",
    ...amounts,
    estimated_shares: "amount",
    min_shares: "amount?",
    price_impact: "text?",
    estimated_time: "integer?",
    gas_cost_usd: "text?",
    steps: [{}],
  },
  approval: orNull(approval),
  route_options: [
    {
      provider: "text?",
      bridge: "text?",
      bridge_name: "text?",
      bridge_logo: "text?",
      ...amounts,
      estimated_time: "integer?",
      gas_cost_usd: "text?",
      tags: ["text"],
    },
  ],
  reasons: [{ code: "text", detail: "text" }],
} as const satisfies Shape;

const side = orNull({ tx_hash: "hash?", tx_link: "text?", amount: "amount?", chain_id: "integer?" });

export const transferStatus = {
  status: "status",
  substatus: "text?",
  sending: side,
  receiving: side,
  bridge: "text?",
  router_explorer: "text?",
  deposit: orNull({ tracking_id: "text", state: "state", shares: "amount?", next }),
} as const satisfies Shape;

const position = {
  vault_id: "vault_id",
  vault_name: "text",
  vault_address: "address",
  chain_id: "integer",
  asset_symbol: "upper",
  asset_address: "address",
  asset_decimals: "integer",
  share_balance: "amount",
  share_decimals: "integer",
  vault_type: "vault_type",
  current_assets: "amount?",
  deposited_assets: "signed?",
  yield_assets: "signed?",
} as const;

export const positions = {
  user_address: "address",
  positions: [position],
  pending: [{ vault_id: "vault_id", pending_assets: "amount?", claimable_shares: "amount?", next }],
  chains: [
    {
      chain_id: "integer",
      ok: "boolean",
      block_number: "integer?",
      block_timestamp: "time?",
      indexed_from: "integer?",
      indexed_to: "integer?",
    },
  ],
} as const satisfies Shape;

export const bridge = { key: "text", name: "text", providers: ["text"], chains: ["integer"] } as const;

export const token = {
  chain_id: "integer",
  address: "address",
  symbol: "text",
  name: "text",
  decimals: "integer",
} as const;

export const chain = {
  chain_id: "integer",
  name: "text",
  key: "text",
  explorer: "text",
  native_symbol: "text",
  deposit_router: "address?",
  router_code_hash: "hash?",
} as const satisfies Shape;

/** Returns a line for each field of a value that is missing or does not match its shape. */
export function differences(value: unknown, shape: Shape, at = ""): string[] {
  if (typeof shape === "string") {
    const nullable = shape.endsWith("?");
    const kind = (nullable ? shape.slice(0, -1) : shape) as Kind;
    return (nullable && value === null) || kinds[kind](value)
      ? []
      : [`${at}: ${JSON.stringify(value)} is no ${shape}`];
  }
  if (shape instanceof OrNull) return value === null ? [] : differences(value, shape.shape, at);
  if (isList(shape)) {
    if (!Array.isArray(value)) return [`${at}: not a list`];
    return value.flatMap((item, index) => differences(item, shape[0], `${at}[${index}]`));
  }
  if (typeof value !== "object" || value === null) return [`${at}: not an object`];
  return Object.entries(shape).flatMap(([name, member]) =>
    name in value
      ? differences((value as Record<string, unknown>)[name], member, `${at}.${name}`)
      : [`${at}.${name} is missing`],
  );
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
