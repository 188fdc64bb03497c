import * as z from "zod";
import type { TimePosition } from "../lib/pagination.ts";
import { formatVaultId, type VaultKey } from "../lib/vault-id.ts";
import { TimeCursor } from "../schemas/cursor-schema.ts";
import { limitParam, statesParam, VaultIdInput, WalletParam } from "../schemas/primitive-schemas.ts";
import { type RequestedPeriod, refuseReversedPeriod, TimeInput } from "../schemas/time-schema.ts";

/**
 * Returns the schema of the query of a user's list of deposits or withdrawals. `noun` and `example` (states) go into
 * the descriptions of its parameters; `preposition` is between the noun and the vault.
 */
export function orderListQuery<State extends string>(
  states: readonly State[],
  shown: { noun: string; preposition: "into" | "from"; example: string },
) {
  const { noun, preposition, example } = shown;
  return z
    .object({
      user_address: WalletParam,
      state: statesParam(states, { noun, example }).optional(),
      vault_id: VaultIdInput.optional().meta({
        description: `Return only ${noun} ${preposition} this vault.`,
      }),
      from: TimeInput.optional().meta({
        description: `Return only ${noun} that were built at this time or later: RFC 3339, or an age such as \`30d\`.`,
      }),
      to: TimeInput.optional().meta({
        description: `Return only ${noun} that were built before this time: RFC 3339, or an age such as \`1d\`.`,
      }),
      cursor: TimeCursor.optional(),
      limit: limitParam(100, 20),
    })
    .superRefine(refuseReversedPeriod);
}

/** A parsed query of `orderListQuery`. */
interface OrderListQuery<State extends string> extends RequestedPeriod {
  user_address: string;
  state?: readonly State[] | undefined;
  vault_id?: VaultKey | undefined;
  cursor?: TimePosition | undefined;
  limit: number;
}

/**
 * Returns the page that a query asks for, with relative times at `now` (UNIX milliseconds), and the parameters that the
 * link to the next page repeats, as they were requested.
 */
export function requestedOrders<State extends string>(query: OrderListQuery<State>, now: number) {
  const { user_address: user, limit, state: states, vault_id: vault, from, to } = query;
  const filter = { states, vault, from: from?.at(now), to: to?.at(now) };
  const repeated = {
    ...{ user_address: user, state: states?.join(","), from: from?.text, to: to?.text, limit },
    vault_id: vault === undefined ? undefined : formatVaultId(vault),
  };
  return { page: { user, limit, before: query.cursor ?? null, filter }, repeated };
}
