import { isAddressEqual, parseAbi } from "viem";
import {
  createQuery,
  mapQuery,
  type Query,
  queryAll,
  read,
  readThen,
  valueOrNull,
} from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import { changeEvent, type EventArgs, type GovernanceEvent } from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-deriver.ts";
import { FEE_UNITS, toFraction } from "../vault-fee-rates.ts";
import { familyErrors } from "../vault-reverts.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import {
  erc4626Deriver,
  factoryQuery,
  type Identification,
  identifyByAnswers,
} from "./erc4626-base/erc4626-derivation.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import { factoriesByChain, siloFactories } from "./family-factory-addresses.ts";

/**
 * Adapter of Silo v2 vaults for interest-bearing collateral. `decimals()` returns the asset's decimals; shares have
 * three more. `maxDeposit` is not read, because it states no real limit. Source: silo-contracts-v2.
 */
export const silo = defineErc4626({
  name: "silo",
  limited: false,
  scale: 3,
  exits: {
    ...erc4626Exits(),
    explain: familyErrors({
      errors: {
        "error NotSolvent()": "not_allowed",
        "error ReturnZeroAssets()": "nothing_to_withdraw",
        "error InputZeroShares()": "nothing_to_withdraw",
      },
    }),
  },
  explain: familyErrors({ errors: { "error ReturnZeroShares()": "zero_shares" } }),
});

const identificationAbi = once(() =>
  parseAbi([
    "function config() view returns (address)",
    "function getSilos() view returns (address silo0, address silo1)",
    "function isSilo(address) view returns (bool)",
  ]),
);
const ofSilo = {
  createdRead: (to: `0x${string}`, silo: `0x${string}`) =>
    read({ to, abi: identificationAbi(), name: "isSilo", args: [silo] }),
  byChain: factoriesByChain(siloFactories),
};

/**
 * Returns a query that identifies a silo by its configuration and, against Silo v3, which has the same views, by the
 * known factories of its chain. Source: silo-contracts-v2, ISiloConfig.
 */
function identifySilo(subject: DerivationSubject): Query<Identification> {
  const { address } = subject;
  return identifyByAnswers("Silo", {
    views: { config: read({ to: address, abi: identificationAbi(), name: "config" }) },
    confirm: ({ config }) => {
      const silos = createQuery(
        { pair: read({ to: config, abi: identificationAbi(), name: "getSilos" }) },
        ({ pair }) =>
          valueOrNull(pair)?.some((silo) => isAddressEqual(silo, address)) === true
            ? null
            : "its config() does not name it as a silo",
      );
      const parts = queryAll({ silos, against: factoryQuery(ofSilo, subject) });
      return mapQuery(parts, (reasons) => reasons.silos ?? reasons.against);
    },
  });
}

/** Returns true if no function of the silo calls a hook receiver: neither mask has a bit set. */
const hasNoHooks = ({ hooksBefore, hooksAfter }: EventArgs): boolean =>
  Number(hooksBefore) === 0 && Number(hooksAfter) === 0;

/**
 * Governance event of a silo: `updateHooks` made it read again which of its functions call the hook receiver. The
 * arguments are two bit masks, of the actions before and after which the receiver is called, not an old and a new
 * value. Anyone may call the function, also when nothing has changed. Source: silo-contracts-v2, Silo.updateHooks.
 */
const hookEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "allow_list", "HooksUpdated(uint24 hooksBefore, uint24 hooksAfter)"], {
    what: "hooks",
    title: () => "hooks updated",
    report: (args, { vault, time }) =>
      `The hooks of ${vault} were updated at ${time}` +
      (hasNoHooks(args)
        ? ": no function calls a hook receiver now."
        : " from its hook receiver; the event does not show whether they changed."),
    advice: (args) =>
      hasNoHooks(args)
        ? "No hook receiver can refuse deposits, share transfers or withdrawals now."
        : "The hook receiver can refuse the operations that call it, which may include deposits, share transfers or withdrawals: check " +
          "whether your account can still make them.",
  }),
];

const feesAbi = once(() =>
  parseAbi([
    "function getFeesWithAsset(address silo) view returns (uint256 daoFee, uint256 deployerFee, uint256 flashloanFee, address asset)",
  ]),
);

/**
 * Returns a query for the part of a silo's interest that the DAO and the deployer take, as a fraction. Null if the
 * silo's configuration or its fees cannot be read. Source: silo-contracts-v2, ISiloConfig.
 */
function siloProfitFeeQuery({ address }: Vault): Query<number | null> {
  const config = read({ to: address, abi: identificationAbi(), name: "config" });
  return readThen({ config }, (named) => {
    if (!named.config.ok) return createQuery({}, (): number | null => null);
    const fees = read({
      to: named.config.value,
      abi: feesAbi(),
      name: "getFeesWithAsset",
      args: [address],
    });
    return createQuery({ fees }, (results) => {
      const shares = valueOrNull(results.fees);
      return shares === null ? null : toFraction(shares[0] + shares[1], FEE_UNITS.wad);
    });
  });
}

/** Vault family of Silo v2. Silo's managed vaults, which are forks of MetaMorpho, belong to the generic family. */
export const siloFamily: VaultFamily = {
  adapter: silo,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifySilo }),
  governanceEvents: hookEvents,
  profitFeeQuery: siloProfitFeeQuery,
};
