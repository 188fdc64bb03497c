import * as z from "zod";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import { type AnyRoute, defineRoute, Reply } from "../http/define-route.ts";
import { ValidationFailure } from "../http/validate-request.ts";
import { BUILD_DEADLINE_MS } from "../lib/durations.ts";
import { listBridges } from "../listings/list-bridges.ts";
import { buildDepositOrMoveOnce, OwnShareError, quoteDepositOrMove } from "../moves/build-move.ts";
import { BuildInput } from "../schemas/build-input-schema.ts";
import { BuiltDeposit, Quote } from "../schemas/quote-schema.ts";

/** Error codes that are documented for both quoting and building a deposit. */
const buildErrors: readonly ErrorCode[] = [
  "chain_unsupported",
  "token_unsupported",
  "no_route",
  "zero_shares",
  "price_unsafe",
  "price_stale",
  "would_revert",
  "authorization_unsupported",
  "not_allowed",
  "share_locked",
  "below_minimum",
  "above_maximum",
  "no_liquidity",
  "cooldown",
  "exits_paused",
  "nothing_to_withdraw",
  "request_pending",
  "mode_unsupported",
  "partner_mismatch",
  "key_forbidden",
  "vault_not_enrolled",
  "vault_not_found",
  "deposit_not_found",
  "vault_paused",
  "upstream_unavailable",
  "upstream_rejected",
  "store_unavailable",
  "simulation_unavailable",
  "upstream_timeout",
];

/** Throws a ValidationFailure if the preferred bridge of a request is not one that `GET /v1/bridges` lists. */
export async function assertListedBridge(
  ctx: Context,
  input: Pick<BuildInput, "preferred_bridge">,
): Promise<void> {
  const { preferred_bridge: preferred } = input;
  if (preferred === undefined) return;
  const keys = (await listBridges(ctx)).map(({ key }) => key);
  if (keys.includes(preferred)) return;
  const msg = `must be a key of GET /v1/bridges: ${keys.join(", ")}`;
  throw new ValidationFailure([{ loc: ["body", "preferred_bridge"], msg, type: "invalid_value" }]);
}

/** Rethrows an error, converted to invalid input if the deposit is paid with the vault's own share. */
function refuseOwnShare(error: unknown): never {
  if (!(error instanceof OwnShareError)) throw error;
  const msg = "must not be the share token of the vault itself";
  throw new ValidationFailure([{ loc: ["body", "from_token"], msg, type: "invalid_value" }]);
}

const quotesGet = defineRoute({
  operationId: "quotes.get",
  method: "post",
  path: "/v1/quote",
  summary: "Quote a deposit",
  description:
    "Returns the expected result of a deposit from a simulation at the latest block. The quote is not stored.",
  tag: "Deposits",
  access: "public",
  limit: "quote",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  body: BuildInput,
  response: { schema: Quote, description: "The quote" },
  errors: buildErrors,
  handler: async (ctx, { body }) => {
    await assertListedBridge(ctx, body);
    return quoteDepositOrMove(ctx, body).catch(refuseOwnShare);
  },
});

const quotesBuild = defineRoute({
  operationId: "quotes.build",
  method: "post",
  path: "/v1/quote/build",
  summary: "Build a deposit",
  description:
    "Returns the deposit transaction, which has been simulated from the user's address, and starts to track the deposit. Without authentication, builds for one user address from one client address have a limit of their own (20 per minute by default). A deposit without a transaction on a chain is deleted 30 days after its quote has expired, or later; a later transaction is recognised by its receipt.",
  tag: "Deposits",
  access: "public",
  limit: "build",
  userLimit: "user_build",
  cache: "no-store",
  deadlineMs: BUILD_DEADLINE_MS,
  headers: z.object({
    "idempotency-key": z.string().min(1).max(255).optional().meta({
      description:
        "Idempotency key, kept for a day. The same request with the same key returns the stored response while its quote is valid.",
      example: "9f1c2d3e-4b5a-6978-8a9b-0c1d2e3f4a5b",
    }),
  }),
  body: BuildInput,
  response: {
    schema: BuiltDeposit,
    description: "The transaction to sign, the approval that it needs and the tracking id of the deposit",
  },
  errors: [...buildErrors, "idempotency_conflict", "quote_expired"],
  handler: async (ctx, { headers, body }) => {
    await assertListedBridge(ctx, body);
    const key = headers["idempotency-key"] ?? null;
    const { built, replayed } = await buildDepositOrMoveOnce(ctx, { input: body, key }).catch(refuseOwnShare);
    return replayed ? new Reply(built, { headers: { "idempotent-replayed": "true" } }) : built;
  },
});

/** Routes that quote and build deposits, including moves between vaults (deposits paid with shares). */
export const quoteRoutes: readonly AnyRoute[] = [quotesGet, quotesBuild];
