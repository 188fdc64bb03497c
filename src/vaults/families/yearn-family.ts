import { parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-query.ts";
import { once } from "../../lib/once.ts";
import {
  announcementEvent,
  changeEvent,
  formatAssetUnits,
  formatBps,
  type GovernanceEvent,
  newValue,
} from "../governance/governance-event.ts";
import type { Vault } from "../vault.ts";
import type { VaultFamily } from "../vault-adapter.ts";
import type { DerivationSubject } from "../vault-derivation.ts";
import { defineErc4626 } from "./erc4626/erc4626-adapter.ts";
import { erc4626Deriver, type Identification, notIdentified } from "./erc4626/erc4626-derivation.ts";
import type { FamilyViews } from "./erc4626/erc4626-variant-views.ts";

const shutdownAbi = once(() =>
  parseAbi(["function isShutdown() view returns (bool)", "function isPaused() view returns (bool)"]),
);
const identificationAbi = once(() =>
  parseAbi([
    "function get_default_queue() view returns (address[])",
    "function isShutdown() view returns (bool)",
    "function fullProfitUnlockDate() view returns (uint256)",
  ]),
);

/** Returns a query that reads whether the vault is shut down or, for strategies since version 3.1, paused. */
function shutdownViews(vault: Vault) {
  const on = { to: vault.entryPoint, abi: shutdownAbi() } as const;
  return createQuery(
    { shutdown: read({ ...on, name: "isShutdown" }), pause: read({ ...on, name: "isPaused" }) },
    ({ shutdown, pause }): FamilyViews => ({
      paused: valueOrNull(shutdown) === true || valueOrNull(pause) === true,
    }),
  );
}

/**
 * Adapter of Yearn v3 vaults and tokenized strategies. `maxDeposit` is specific to the receiver and 0 for the zero
 * address. A vault that was shut down never accepts deposits again. Sources: yearn-vaults-v3, tokenized-strategy.
 */
export const yearn = defineErc4626({ name: "yearn_v3", ratio: true, views: shutdownViews });

/**
 * Returns a query that identifies an allocator vault by its default queue of strategies, or a tokenized strategy by its
 * shutdown and profit-unlocking views.
 */
function identifyYearn({ address }: DerivationSubject): Query<Identification> {
  const onSubject = { to: address, abi: identificationAbi() } as const;
  const reads = {
    queue: read({ ...onSubject, name: "get_default_queue" }),
    shutdown: read({ ...onSubject, name: "isShutdown" }),
    unlock: read({ ...onSubject, name: "fullProfitUnlockDate" }),
  };
  return createQuery(reads, ({ queue, shutdown, unlock }): Identification => {
    if (queue.ok || (shutdown.ok && unlock.ok)) return { ok: true };
    return notIdentified("Yearn", "it has neither get_default_queue() nor fullProfitUnlockDate()");
  });
}

/** Governance events of Yearn v3 vaults and tokenized strategies. Sources: yearn-vaults-v3, tokenized-strategy. */
const yearnEvents: readonly GovernanceEvent[] = [
  changeEvent(["address", "owner", "UpdateRoleManager(address indexed role_manager)"], {
    what: "role manager",
    describe: newValue("role_manager"),
  }),
  announcementEvent(["address", "owner", "UpdateFutureRoleManager(address indexed future_role_manager)"], {
    what: "role manager",
    describe: newValue("future_role_manager"),
  }),
  changeEvent(["address", "owner", "RoleSet(address indexed account, uint256 indexed role)"], {
    what: "role members",
    describe: ({ account }) => `changed: ${account} has new roles`,
    tier: "medium",
  }),
  changeEvent(["address", "owner", "UpdateManagement(address indexed newManagement)"], {
    what: "management address",
    describe: newValue("newManagement"),
  }),
  announcementEvent(["address", "owner", "UpdatePendingManagement(address indexed newPendingManagement)"], {
    what: "management address",
    describe: newValue("newPendingManagement"),
  }),
  changeEvent(["address", "guardian", "UpdateEmergencyAdmin(address indexed newEmergencyAdmin)"], {
    what: "emergency admin",
    describe: newValue("newEmergencyAdmin"),
  }),
  changeEvent(["address", "fee", "UpdateAccountant(address indexed accountant)"], {
    what: "accountant that charges the fees",
    describe: newValue("accountant"),
  }),
  changeEvent(["address", "fee", "UpdatePerformanceFee(uint16 newPerformanceFee)"], {
    what: "performance fee",
    describe: newValue("newPerformanceFee", formatBps),
  }),
  changeEvent(["address", "pause", "Shutdown()"], {
    what: "state",
    describe: () => "is permanently shut down",
  }),
  changeEvent(["address", "pause", "StrategyShutdown()"], {
    what: "state",
    describe: () => "is permanently shut down",
  }),
  changeEvent(["address", "allow_list", "UpdateDepositLimitModule(address indexed deposit_limit_module)"], {
    what: "deposit limit module",
    describe: newValue("deposit_limit_module"),
  }),
  changeEvent(["address", "allow_list", "UpdateWithdrawLimitModule(address indexed withdraw_limit_module)"], {
    what: "withdrawal limit module",
    describe: newValue("withdraw_limit_module"),
    tier: "high",
  }),
  changeEvent(["address", "cap", "UpdateDepositLimit(uint256 deposit_limit)"], {
    what: "deposit limit",
    describe: newValue("deposit_limit", formatAssetUnits),
  }),
  changeEvent(
    ["address", "strategy", "StrategyChanged(address indexed strategy, uint256 indexed change_type)"],
    {
      what: "strategies",
      describe: ({ strategy, change_type }) =>
        `${Number(change_type) === 1 ? "now include" : "no longer include"} ${strategy}`,
      tier: "medium",
    },
  ),
];

/** Vault family of Yearn v3 vaults and tokenized strategies: its adapter, deriver and governance events. */
export const yearnFamily: VaultFamily = {
  adapter: yearn,
  type: "custom",
  deriver: erc4626Deriver({ identify: identifyYearn }),
  governanceEvents: yearnEvents,
};
