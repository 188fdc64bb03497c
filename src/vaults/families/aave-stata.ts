import { familyErrors } from "../reverts.ts";
import { defineErc4626 } from "./erc4626/index.ts";

/**
 * Aave's static tokens, version 2: `maxDeposit` follows the reserve and leaves out the token's own pause. The token
 * asks it first, so that a frozen reserve refuses as a full one does; the reserve's own errors, named since the pool's
 * version 3.4 and numbers, as words, before, come where it lets one through. Source: aave-v3-origin StataTokenV2, Errors.
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
