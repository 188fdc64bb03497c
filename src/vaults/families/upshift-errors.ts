import { ownErrors } from "../own-errors.ts";

/** What Upshift's vaults of both generations revert with. Source: the published ABIs of August Digital. */
export const explainUpshift = ownErrors({
  errors: {
    "error DepositsPaused()": "vault_paused",
    "error MaxDepositAmountReached()": "above_maximum",
    "error DepositCapReached()": "above_maximum",
    "error SenderNotWhitelisted()": "not_allowed",
    "error AccountNotWhitelisted()": "not_allowed",
    "error AmountTooLow()": "below_minimum",
    "error AssetNotWhitelisted()": null,
  },
});
