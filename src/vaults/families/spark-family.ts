import { type Address, isAddressEqual, parseAbi } from "viem";
import { createQuery, type Query, type ReadResult, read, valueOrNull } from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import { wardEvents } from "../governance/common-governance-events.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";

/**
 * Adapter of savings tokens: Sky's and Spark's, such as sDAI, sUSDS, stUSDS and Spark Vaults V2, and Gnosis's Savings
 * xDAI. Sources: sky-ecosystem/sdai, sky-ecosystem/stusds, sparkdotfi/spark-vaults-v2.
 */
export const spark = defineErc4626({
  name: "spark",
  noMinimum: true,
  ratio: true,
  // `previewRedeem` of Spark Vaults V2 reverts while the vault is short of liquidity, which the revert data says.
  exits: {
    ...erc4626Exits(),
    explain: familyErrors({
      reasons: [
        { reason: /^\w+\/insufficient-(liquidity|unused-funds)$/, code: "no_liquidity" },
        { reason: /^\w+\/psm-buy-gem-halted$/, code: "exits_paused" },
      ],
    }),
  },
  explain: familyErrors({
    reasons: [
      { reason: /^\w+\/((deposit|supply)-cap-exceeded|mint-over-supply-cap)$/, code: "above_maximum" },
      { reason: /^\w+\/psm-sell-gem-halted$/, code: "vault_paused" },
    ],
  }),
});

const identificationAbi = once(() =>
  parseAbi([
    "function asset() view returns (address)",
    "function dai() view returns (address)",
    "function usds() view returns (address)",
    "function usdc() view returns (address)",
    "function susds() view returns (address)",
    "function wxdai() view returns (address)",
    "function pot() view returns (address)",
    "function psm() view returns (address)",
    "function interestReceiver() view returns (address)",
    "function chi() view returns (uint192)",
    "function rho() view returns (uint64)",
    "function ssr() view returns (uint256)",
    "function str() view returns (uint256)",
    "function vsr() view returns (uint256)",
  ]),
);

/**
 * Returns a query that identifies a savings token by the views of its kind. Sources: sky-ecosystem/sdai,
 * sky-ecosystem/stusds, sparkdotfi/spark-vaults-v2, gnosis savings-xdai.
 */
function identifySpark({ address }: DerivationSubject): Query<Identification> {
  const on = { to: address, abi: identificationAbi() } as const;
  const reads = {
    ...{ asset: read({ ...on, name: "asset" }), dai: read({ ...on, name: "dai" }) },
    ...{ usds: read({ ...on, name: "usds" }), usdc: read({ ...on, name: "usdc" }) },
    ...{ wxdai: read({ ...on, name: "wxdai" }), susds: read({ ...on, name: "susds" }) },
    ...{ pot: read({ ...on, name: "pot" }), psm: read({ ...on, name: "psm" }) },
    ...{ receiver: read({ ...on, name: "interestReceiver" }), chi: read({ ...on, name: "chi" }) },
    ...{ rho: read({ ...on, name: "rho" }), ssr: read({ ...on, name: "ssr" }) },
    ...{ str: read({ ...on, name: "str" }), vsr: read({ ...on, name: "vsr" }) },
  };
  return createQuery(reads, ({ asset, ...views }): Identification => {
    const own = valueOrNull(asset);
    const isAsset = (result: ReadResult<Address>) =>
      own !== null && result.ok && isAddressEqual(result.value, own);
    const accumulates = views.chi.ok && views.rho.ok;
    const known =
      (isAsset(views.dai) && views.pot.ok) ||
      (isAsset(views.usds) && accumulates && (views.ssr.ok || views.str.ok)) ||
      (isAsset(views.usdc) && views.susds.ok && views.psm.ok) ||
      (isAsset(views.wxdai) && views.receiver.ok) ||
      (accumulates && views.vsr.ok);
    return known ? { ok: true } : notIdentified("Spark", "it has the views of no savings token");
  });
}

/**
 * Vault family of interest-bearing savings tokens, with the governance events of wards (accounts with full admin
 * rights).
 */
export const sparkFamily: VaultFamily = {
  adapter: spark,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifySpark }),
  governanceEvents: wardEvents("address", "usr"),
};
