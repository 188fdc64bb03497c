import { familyErrors } from "../../vault-reverts.ts";

/**
 * Explains revert data of a deposit into one of Upshift's vaults, or returns null for errors that it does not know.
 * Sources: the published ABIs of August Digital, TimelockedERC4626.
 */
export const explainUpshift = familyErrors({
  errors: {
    "error DepositsPaused()": "vault_paused",
    "error PoolNotConfigured()": "vault_paused",
    "error NotConfigured()": "vault_paused",
    "error MaxDepositAmountReached()": "above_maximum",
    "error DepositLimitReached()": "above_maximum",
    "error DepositCapReached()": "above_maximum",
    "error MaxSupplyLimitReached()": "above_maximum",
    "error AllocationExceeded(uint256 requested, uint256 deposited, uint256 most)": "above_maximum",
    "error SenderNotWhitelisted()": "not_allowed",
    "error ReceiverNotWhitelisted()": "not_allowed",
    "error AccountNotWhitelisted()": "not_allowed",
    "error AddressBlacklisted()": "not_allowed",
    "error AmountTooLow()": "below_minimum",
    "error SharesAmountRequired()": "zero_shares",
    "error StalePrice()": "price_stale",
    "error InvalidOraclePrice()": "price_stale",
    "error InvalidOracleTimestamp()": "price_stale",
    "error RoundNotComplete()": "price_stale",
    "error AssetNotWhitelisted()": null,
  },
});
