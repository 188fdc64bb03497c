import { isAddressEqual } from "viem";
import type { Context } from "../context.ts";
import { isNative } from "../lib/address.ts";
import { searchRoutes } from "../orders/order-route-search.ts";
import type { Token } from "../vaults/vault.ts";
import type { DepositOrder } from "./deposit-intent.ts";
import { isTokenRefusal } from "./deposit-preflight.ts";
import { assertSignable, signRoute, toSigningFailure } from "./deposit-route-authorization.ts";
import { findTargetTokens } from "./deposit-target-tokens.ts";
import { buildOneStep } from "./one-step-deposit.ts";
import type { RoutedDeposit } from "./prepared-deposit.ts";
import { buildTwoStep } from "./two-step-deposit.ts";

/**
 * Finds, builds, verifies and simulates a route for a deposit that starts with a swap or bridge. `without` is an
 * accepted token that no route may deliver. Errors of `findTargetTokens` propagate, those of `searchRoutes` as
 * `toSigningFailure` converts them.
 */
export async function prepareRouted(
  ctx: Context,
  { order, without = null }: { order: DepositOrder; without?: Token | null },
): Promise<RoutedDeposit> {
  const targets = (await findTargetTokens(ctx, order)).filter(
    ({ address }) => without === null || !isAddressEqual(address, without.address),
  );
  const { built, ...route } = await searchRoutes(ctx, {
    order,
    targets,
    callable: ({ address }) => order.entry.via === "router" && !isNative(address),
    isTargetRefusal: isTokenRefusal,
    build: async (scope, found) => {
      const attempt = { ...found, order };
      assertSignable(attempt);
      const made = attempt.ends === "one_step" ? buildOneStep(scope, attempt) : buildTwoStep(scope, attempt);
      return signRoute(scope, { attempt, built: await made });
    },
  }).catch((error: unknown) => {
    throw toSigningFailure(error);
  });
  return { ...built, ...route };
}
