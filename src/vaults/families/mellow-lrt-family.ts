import { parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-query.ts";
import { once } from "../../lib/once.ts";
import { accessControlEvents } from "../governance/common-governance-events.ts";
import {
  changeEvent,
  DEPOSITOR_WHITELIST_ADVICE,
  formatAssetUnits,
  type GovernanceEvent,
  newValue,
  pauseTexts,
  switchTexts,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { TermsInput, VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-derivation.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "./erc4626-base/erc4626-derivation.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";

const depositSwitchAbi = once(() =>
  parseAbi([
    "function depositPause() view returns (bool)",
    "function depositWhitelist() view returns (bool)",
    "function isDepositorWhitelisted(address account) view returns (bool)",
  ]),
);

/** Returns a query for the deposit pause and the depositor whitelist, each of which can make `maxDeposit` 0. */
function depositSwitchViews(vault: Vault, request: TermsInput | null) {
  const on = { to: vault.entryPoint, abi: depositSwitchAbi() } as const;
  const account = request?.receiver ?? vault.entryPoint;
  return createQuery(
    {
      paused: read({ ...on, name: "depositPause" }),
      whitelist: read({ ...on, name: "depositWhitelist" }),
      whitelisted: read({ ...on, name: "isDepositorWhitelisted", args: [account] }),
    },
    ({ paused, whitelist, whitelisted }): FamilyViews => {
      const refused =
        request !== null && valueOrNull(whitelist) === true && valueOrNull(whitelisted) === false;
      return { paused: valueOrNull(paused) === true, refusal: refused ? "not_allowed" : null };
    },
  );
}

/**
 * Adapter of Mellow's Simple LRT vaults, such as Lido's DVV: ERC-4626 with a pause, a deposit cap and a depositor
 * whitelist. Source: mellow-finance/simple-lrt.
 */
export const mellowLrt = defineErc4626({ name: "mellow_lrt", ratio: true, views: depositSwitchViews });

/**
 * Returns a query that identifies a vault by the view functions of its deposit pause and whitelist. If the whitelist is
 * active, the user must call the vault.
 */
function identifyMellowLrt({ address }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: depositSwitchAbi() } as const;
  const reads = {
    pause: read({ ...onSubject, name: "depositPause" }),
    whitelist: read({ ...onSubject, name: "depositWhitelist" }),
  };
  return createQuery(reads, ({ pause, whitelist }): Identification => {
    if (!pause.ok || !whitelist.ok)
      return notIdentified("Mellow Simple LRT", "it has no depositPause() and depositWhitelist()");
    return { ok: true, caller: whitelist.value ? "user" : "router" };
  });
}

/**
 * Governance events of Mellow's Simple LRT vaults. The deposit pause is not listed, because a view function returns it.
 * Source: mellow-finance/simple-lrt.
 */
const mellowLrtEvents: readonly GovernanceEvent[] = [
  ...accessControlEvents,
  changeEvent(["address", "pause", "WithdrawalPauseSet(bool paused, uint256 timestamp, address sender)"], {
    ...pauseTexts("withdrawals", ({ paused }) => paused === true),
  }),
  changeEvent(
    ["address", "allow_list", "DepositWhitelistSet(bool status, uint256 timestamp, address sender)"],
    switchTexts("depositor whitelist", { member: "status", advice: DEPOSITOR_WHITELIST_ADVICE }),
  ),
  changeEvent(["address", "cap", "LimitSet(uint256 limit, uint256 timestamp, address sender)"], {
    what: "deposit cap",
    describe: newValue("limit", formatAssetUnits),
  }),
];

/** Vault family of Mellow's Simple LRT vaults: its adapter, deriver and governance events. */
export const mellowLrtFamily: VaultFamily = {
  adapter: mellowLrt,
  type: "lido",
  deriver: erc4626Deriver({ identify: identifyMellowLrt }),
  governanceEvents: mellowLrtEvents,
};
