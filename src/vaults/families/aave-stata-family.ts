import type { VaultFamily } from "../vault-adapter.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import { erc4626Deriver } from "./erc4626/erc4626-derivation.ts";

/**
 * Aave's static tokens, version 2. `maxDeposit` follows the reserve and ignores the token's own pause. The token checks it
 * first, so a frozen reserve reverts like a full one. The reserve's own errors are named since version 3.4 of the pool and
 * numbers, as text, before. Source: aave-v3-origin StataTokenV2, Errors.
 */
export const aaveStata = defineErc4626({
  name: "aave_stata",
  pausable: true,
  ratio: true,
  explain: familyErrors({
    errors: {
      "error StaticATokenInvalidZeroShares()": "zero_shares",
      "error ReserveInactive()": "vault_paused",
      "error ReserveFrozen()": "vault_paused",
      "error ReservePaused()": "vault_paused",
      "error SupplyCapExceeded()": "above_maximum",
    },
    reasons: [
      { reason: /^(27|28|29)$/, code: "vault_paused" },
      { reason: /^51$/, code: "above_maximum" },
    ],
  }),
});

/** Aave's static tokens. The Aave pool that they wrap is governed elsewhere, so they have no governance events of their own. */
export const aaveStataFamily: VaultFamily = {
  adapter: aaveStata,
  type: "custom",
  deriver: erc4626Deriver(),
};
