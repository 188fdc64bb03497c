import {
  addedMember,
  announcementEvent,
  cancellationEvent,
  changeEvent,
  formatHours,
  type GovernanceEvent,
  newValue,
  removedMember,
  type VaultContract,
} from "./governance-event.ts";

/** Suffixes that name the contract in a setting's name, such as " of the share token". */
const CONTRACT_NAMES: Readonly<Record<VaultContract, string>> = {
  address: "",
  entryPoint: " of the deposit contract",
  pricer: " of the pricing contract",
  shareToken: " of the share token",
};

/** Appends the contract to the name of a setting, as in "proxy admin of the share token". */
export const settingOf = (contract: VaultContract, setting: string): string =>
  `${setting}${CONTRACT_NAMES[contract]}`;

/**
 * Events of proxies (new implementation, beacon or admin) and of a started ownership transfer. Sources: ERC-1967,
 * OpenZeppelin (Ownable2Step), Solmate (Owned, Auth).
 */
const proxyAndOwnerEvents = (contract: VaultContract): readonly GovernanceEvent[] => [
  changeEvent([contract, "code", "Upgraded(address indexed implementation)"], {
    what: settingOf(contract, "implementation"),
    describe: newValue("implementation"),
  }),
  changeEvent([contract, "code", "BeaconUpgraded(address indexed beacon)"], {
    what: settingOf(contract, "beacon"),
    describe: newValue("beacon"),
  }),
  changeEvent([contract, "code", "AdminChanged(address previousAdmin, address newAdmin)"], {
    what: settingOf(contract, "proxy admin"),
    describe: newValue("newAdmin"),
  }),
  announcementEvent(
    [contract, "owner", "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)"],
    { what: settingOf(contract, "owner"), describe: newValue("newOwner") },
  ),
];

/**
 * Event of a completed ownership transfer. For the vault contract itself a view function returns the owner; for its
 * other contracts only this event shows a new one.
 */
const ownershipTransferred = (contract: VaultContract): GovernanceEvent =>
  changeEvent(
    [contract, "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      what: settingOf(contract, "owner"),
      describe: newValue("newOwner"),
      seenByView: (_args, vault) => vault[contract] === vault.address,
    },
  );

/** Governance events that the contracts of any vault family may emit: proxy changes and ownership transfers. */
export const commonGovernanceEvents: readonly GovernanceEvent[] = [
  ...(["address", "entryPoint", "pricer", "shareToken"] as const).flatMap(proxyAndOwnerEvents),
  ownershipTransferred("entryPoint"),
  ownershipTransferred("pricer"),
];

/**
 * Governance events of the beacon from which a vault's proxy takes its implementation. An upgrade of the beacon
 * replaces the vault's code while the vault itself emits no event. Sources: ERC-1967; OpenZeppelin, UpgradeableBeacon;
 * euler-vault-kit, GenericFactory.
 */
export const beaconEvents: readonly GovernanceEvent[] = [
  changeEvent(["beacon", "code", "Upgraded(address indexed implementation)"], {
    what: "implementation behind the beacon",
    describe: newValue("implementation"),
  }),
  changeEvent(["beacon", "code", "SetImplementation(address indexed newImplementation)"], {
    what: "implementation behind the beacon",
    describe: newValue("newImplementation"),
  }),
  changeEvent(["beacon", "owner", "SetUpgradeAdmin(address indexed newUpgradeAdmin)"], {
    what: "beacon owner",
    describe: newValue("newUpgradeAdmin"),
  }),
  changeEvent(
    ["beacon", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    { what: "beacon owner", describe: newValue("newOwner") },
  ),
];

/** Governance event of a role that was granted. Source: OpenZeppelin, AccessControl. */
export const accessControlEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "address",
      "owner",
      "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    ],
    {
      what: "role members",
      describe: ({ role, account }) => `now include ${account} for role ${String(role).slice(0, 10)}`,
      tier: "medium",
    },
  ),
];

/**
 * Governance events of wards: Maker's term for accounts with full admin rights over a contract. `argument` is the name
 * of the event's parameter. Sources: sky-ecosystem/sdai, sky-ecosystem/stusds, centrifuge/protocol.
 */
export const wardEvents = (
  contract: "address" | "shareToken",
  argument: "usr" | "user",
): readonly GovernanceEvent[] => [
  changeEvent([contract, "owner", `Rely(address indexed ${argument})`], {
    what: settingOf(contract, "wards"),
    describe: addedMember(argument),
  }),
  changeEvent([contract, "owner", `Deny(address indexed ${argument})`], {
    what: settingOf(contract, "wards"),
    describe: removedMember(argument),
    tier: "medium",
  }),
];

/**
 * Governance events of MetaMorpho and its forks: timelock, guardian, supply caps and market removals. `market` is the
 * Solidity type that identifies a market: `bytes32` in MetaMorpho, the address of a vault in the forks. Sources:
 * metamorpho-v1.1, euler-earn, silo-contracts-v2.
 */
export const curationEvents = (market: "bytes32" | "address"): readonly GovernanceEvent[] => {
  const capOf = { what: "supply cap of a market" };
  const describeCap: GovernanceEvent["describe"] = ({ id, cap }) =>
    `is ${cap} (smallest unit of the asset) for market ${id}`;
  return [
    announcementEvent(["address", "timelock", "SubmitTimelock(uint256 newTimelock)"], {
      what: "timelock",
      describe: newValue("newTimelock", formatHours),
    }),
    cancellationEvent(["address", "timelock", "RevokePendingTimelock(address indexed caller)"], {
      what: "timelock",
    }),
    announcementEvent(["address", "guardian", "SubmitGuardian(address indexed newGuardian)"], {
      what: "guardian",
      describe: newValue("newGuardian"),
    }),
    cancellationEvent(["address", "guardian", "RevokePendingGuardian(address indexed caller)"], {
      what: "guardian",
    }),
    announcementEvent(
      ["address", "cap", `SubmitCap(address indexed caller, ${market} indexed id, uint256 cap)`],
      { ...capOf, describe: describeCap },
    ),
    cancellationEvent(
      ["address", "cap", `RevokePendingCap(address indexed caller, ${market} indexed id)`],
      capOf,
    ),
    changeEvent(["address", "cap", `SetCap(address indexed caller, ${market} indexed id, uint256 cap)`], {
      ...capOf,
      describe: describeCap,
    }),
    announcementEvent(
      ["address", "strategy", `SubmitMarketRemoval(address indexed caller, ${market} indexed id)`],
      {
        what: "set of enabled markets",
        describe: ({ id }) => `removes market ${id} and writes off the assets supplied to it`,
        tier: "medium",
      },
    ),
    cancellationEvent(
      ["address", "strategy", `RevokePendingMarketRemoval(address indexed caller, ${market} indexed id)`],
      { what: "set of enabled markets" },
    ),
  ];
};
