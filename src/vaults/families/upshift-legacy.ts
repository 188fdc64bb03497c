import { parseAbi } from "viem";
import { describe, read, valueOrNull } from "../../chains/read.ts";
import { once } from "../../lib/once.ts";
import type { Vault } from "../vault.ts";
import { defineErc4626 } from "./erc4626.ts";
import type { OwnViews } from "./own-views.ts";
import { explainUpshift } from "./upshift-errors.ts";

const limitsAbi = once(() =>
  parseAbi([
    "function depositsPaused() view returns (bool)",
    "function maxDepositAmount() view returns (uint256)",
  ]),
);

/** A switch of deposits alone, and the most that one deposit may bring. */
function limits(vault: Vault) {
  const on = { to: vault.entryPoint, abi: limitsAbi() } as const;
  return describe(
    {
      paused: read({ ...on, name: "depositsPaused" }),
      perDeposit: read({ ...on, name: "maxDepositAmount" }),
    },
    ({ paused, perDeposit }): OwnViews => ({
      paused: valueOrNull(paused) === true,
      maxDeposit: valueOrNull(perDeposit),
    }),
  );
}

/**
 * Upshift's older vaults, the lending pools and tokenized accounts: deposits as in ERC-4626; withdrawals are
 * requested. Source: the published ABIs of August Digital.
 */
export const upshiftLegacy = defineErc4626({
  name: "upshift_legacy",
  views: limits,
  explain: explainUpshift,
});
