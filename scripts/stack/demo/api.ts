import { z } from "zod";

const Amount = z.string().regex(/^\d+$/).transform(BigInt);
const Hex = z.templateLiteral(["0x", z.string()]);
const Asset = z.object({ address: Hex, symbol: z.string(), decimals: z.int() });

/** The fields of a vault that the demonstration uses. */
export const Vault = z.object({
  vault_id: z.string(),
  name: z.string(),
  address: Hex,
  chain_id: z.int(),
  chain_name: z.string(),
  asset: Asset,
  paused: z.boolean(),
  external_router: z.boolean(),
});
/** A vault as the demonstration reads it. */
export type Vault = z.infer<typeof Vault>;

/** One call to sign; quantities are hex. */
const Call = z.object({ to: Hex, data: Hex, value: Hex });

/** The fields of a build's response that the demonstration uses. */
export const Built = z.object({
  transaction_request: z.object({
    to: Hex,
    data: Hex,
    value: Amount,
    chain_id: z.int(),
    gas_limit: Amount.nullable(),
  }),
  approval: z.object({ token_address: Hex, spender_address: Hex, amount: Amount }).nullable(),
  tracking_id: z.string(),
  tracking: z.object({ bridge: z.string().nullable() }),
  estimate: z.object({ to_amount: Amount, estimated_shares: Amount, min_shares: Amount.nullable() }),
  calls: z.array(Call),
});
/** A build's response as the demonstration reads it. */
export type Built = z.infer<typeof Built>;

/** The fields of a deposit's status that the demonstration uses. */
export const Status = z.object({
  status: z.string(),
  substatus: z.string().nullable(),
  deposit: z
    .object({
      shares: Amount.nullable(),
      next: z.object({ kind: z.string(), calls: z.array(Call) }).nullable(),
    })
    .nullable(),
});
/** A deposit's status as the demonstration reads it. */
export type Status = z.infer<typeof Status>;

/** The fields of a position that the demonstration uses. */
export const Position = z.object({
  vault_id: z.string(),
  asset_symbol: z.string(),
  asset_decimals: z.int(),
  share_balance: Amount,
  share_decimals: z.int(),
  current_assets: Amount.nullable(),
});
/** A position as the demonstration reads it. */
export type Position = z.infer<typeof Position>;

/**
 * Requests the API, by POST if there is a body, and parses its response. Throws an Error with status and text for an
 * error status, and with the first field that does not match `schema`.
 */
export async function requestApi<T>(
  url: string,
  request: { schema: z.ZodType<T>; body?: Record<string, unknown> },
): Promise<T> {
  const init =
    request.body === undefined
      ? {}
      : {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(request.body),
        };
  const response = await fetch(url, init);
  const text = await response.text();
  const path = new URL(url).pathname;
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
  const parsed = request.schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Error(`${path}: ${issue?.path.join(".")}: ${issue?.message}`);
}

/** Returns a user's position in a vault; null when there is none. */
export async function readPosition(
  api: string,
  { user, vault }: { user: string; vault: Vault },
): Promise<Position | null> {
  const url = `${api}/v1/positions/${user}?chain_id=${vault.chain_id}`;
  const { positions } = await requestApi(url, { schema: z.object({ positions: z.array(Position) }) });
  return positions.find(({ vault_id }) => vault_id === vault.vault_id) ?? null;
}
