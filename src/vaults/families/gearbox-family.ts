import { isAddressEqual, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import {
  addressTexts,
  changeEvent,
  formatAssetUnits,
  formatBps,
  type GovernanceEvent,
  memberTexts,
  newValue,
} from "../governance/governance-event.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, identifyByAnswers } from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";

/**
 * Adapter of Gearbox v3 lending pools: ERC-4626 vaults without virtual shares, whose deposits and withdrawals can be
 * paused. Withdrawals are instant and may incur a fee. Source: gearbox core-v3, PoolV3.
 */
export const gearbox = defineErc4626({
  name: "gearbox",
  pausable: true,
  ratio: true,
  // `previewRedeem` is net of the withdrawal fee, `convertToAssets` is not.
  exits: {
    ...erc4626Exits({ pausable: true, charges: true }),
    explain: familyErrors({ errors: { "error AmountCantBeZeroException()": "nothing_to_withdraw" } }),
  },
  explain: familyErrors({ errors: { "error AmountCantBeZeroException()": "zero_shares" } }),
});

/** Governance events of Gearbox's lending pools. Source: gearbox core-v3. */
const gearboxEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "fee", "SetWithdrawFee(uint256 fee)"], {
    what: "withdrawal fee",
    describe: newValue("fee", formatBps),
    advice: "Any fee is deducted from each withdrawal.",
  }),
  changeEvent(["address", "cap", "SetTotalDebtLimit(uint256 limit)"], {
    what: "total debt limit (borrow cap)",
    describe: newValue("limit", formatAssetUnits),
    advice: "A borrow cap limits the principal that borrowers may owe, and so the yield.",
  }),
  changeEvent(["address", "strategy", "SetInterestRateModel(address indexed newInterestRateModel)"], {
    ...addressTexts("interest rate model", {
      member: "newInterestRateModel",
      advice: "This contract sets the base interest rate that borrowers pay, which is part of the yield.",
      removed: "Find out what interest borrowers pay now: the yield depends on it.",
    }),
    tier: "medium",
  }),
  changeEvent(["address", "strategy", "AddCreditManager(address indexed creditManager)"], {
    ...memberTexts("credit manager", {
      member: "creditManager",
      added: () => true,
      advice: [
        "Users of this credit manager can borrow from the vault within its debt limit: find out which collateral it accepts.",
        "",
      ],
    }),
    tier: "medium",
  }),
];

const identificationAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function underlyingToken() view returns (address)",
    "function version() view returns (uint256)",
    "function creditManagers() view returns (address[])",
    "function poolQuotaKeeper() view returns (address)",
  ]),
);

/**
 * Returns a query that identifies a Gearbox pool of version 3 by its own views: an underlying token that is its asset,
 * credit managers, a quota keeper, and the version. Source: gearbox core-v3, IPoolV3.
 */
function identifyGearbox({ address }: DerivationSubject): Query<Identification> {
  const on = { to: address, abi: identificationAbi() } as const;
  const views = {
    creditManagers: read({ ...on, name: "creditManagers" }),
    poolQuotaKeeper: read({ ...on, name: "poolQuotaKeeper" }),
    underlyingToken: read({ ...on, name: "underlyingToken" }),
    version: read({ ...on, name: "version" }),
  };
  return identifyByAnswers("Gearbox", {
    views,
    confirm: ({ underlyingToken, version }) =>
      createQuery({ asset: read({ ...on, name: "asset" }) }, ({ asset }) => {
        const own = valueOrNull(asset);
        if (own === null || !isAddressEqual(own, underlyingToken))
          return "underlyingToken() is not its asset";
        return version >= 300n && version < 400n ? null : `its version ${version} is not 3`;
      }),
  });
}

/** Vault family of Gearbox's lending pools: its adapter, deriver and governance events. */
export const gearboxFamily: VaultFamily = {
  adapter: gearbox,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyGearbox }),
  governanceEvents: gearboxEvents,
};
