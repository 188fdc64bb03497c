import type { Hex } from "viem";
import { type AppError, failure } from "../errors.ts";
import { decodeRouterError } from "../router/decode.ts";
import type { DepositTerms } from "../vaults/adapter.ts";
import { explainVaultRevert } from "../vaults/explain-vault-revert.ts";
import { refusal } from "./check.ts";
import type { Intent } from "./intent.ts";

/**
 * The failure for a simulated deposit that reverted, whether the user or a bridge makes it: too few shares by the
 * Router's own word, else what the vault's revert stands for. `amount` in the asset's smallest unit.
 */
export function explainRevert(
  of: { intent: Intent; amount: bigint; terms: DepositTerms },
  revert: Hex,
): AppError {
  const { vault } = of.intent;
  const routers = decodeRouterError(revert);
  if (routers?.name === "SharesBelowMinimum") {
    return routers.args[0] === 0n
      ? failure("zero_shares", `${vault.name} would mint no shares for this amount`)
      : failure("price_unsafe", `${vault.name} mints fewer shares than its own preview says`);
  }
  const explained = routers === null ? explainVaultRevert(vault, revert) : { code: null, text: routers.name };
  return refusal(of, explained);
}
