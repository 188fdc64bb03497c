import { hexToBigInt, isHex } from "viem";
import {
  addressTexts,
  announcementEvent,
  cancellationEvent,
  changeEvent,
  type EventArgs,
  type EventTerms,
  formatAssetUnits,
  formatDuration,
  type GovernanceEvent,
  isNone,
  isUnlimited,
  newValue,
  oldToNewValue,
  tookEffect,
  type VaultContract,
} from "./governance-event.ts";

/** End of a sentence that advises finding out who an account is before relying on it. */
export const FIND_OUT = "find out who it is before you deposit or leave funds in the vault.";

/** Advice to depositors after a change of the access-control authority. */
export const AUTHORITY_ADVICE =
  "This contract decides who may call restricted functions: find out who controls it before you deposit or leave funds " +
  "in the vault.";

/** Suffixes that name the contract in a setting's name, such as " of the share token". */
const CONTRACT_NAMES: Readonly<Record<VaultContract, string>> = {
  address: "",
  entryPoint: " of the deposit contract",
  pricer: " of the pricing contract",
  shareToken: " of the share token",
};

/**
 * Appends the contract's description to the name of a setting, as in "proxy admin of the share token". The name is
 * unchanged for the vault itself.
 */
export const settingOf = (contract: VaultContract, setting: string): string =>
  `${setting}${CONTRACT_NAMES[contract]}`;

/**
 * Creates the texts for an event with the old and the new value of a setting; the title says whether it was increased
 * or reduced. `values` are the arguments of `oldToNewValue`. An event with two equal values is not reported.
 */
export const levelTexts = (what: string, values: Parameters<typeof oldToNewValue>): EventTerms => {
  const [[from, to]] = values;
  const growth = (args: EventArgs): bigint => BigInt(String(args[to])) - BigInt(String(args[from]));
  return {
    what,
    title: (args) => `${what} ${growth(args) > 0n ? "increased" : "reduced"}`,
    describe: oldToNewValue(...values),
    routine: (args) => growth(args) === 0n,
  };
};

/**
 * Creates the texts for the start of a two-step ownership transfer. A transfer to the zero address cancels a pending
 * one.
 */
const transferStarted = (contract: VaultContract): EventTerms => ({
  what: settingOf(contract, "owner"),
  title: ({ newOwner }) =>
    isNone(newOwner)
      ? `pending ownership transfer${CONTRACT_NAMES[contract]} cancelled`
      : `ownership transfer${CONTRACT_NAMES[contract]} started`,
  report: ({ newOwner }, { vault, time }) => {
    const owned = `ownership${CONTRACT_NAMES[contract]} of ${vault}`;
    return isNone(newOwner)
      ? `Any pending transfer of ${owned} was cancelled at ${time}.`
      : `A transfer of ${owned} to ${newOwner} was started at ${time}. It takes effect as soon as the proposed owner accepts.`;
  },
  advice: ({ newOwner }) =>
    isNone(newOwner)
      ? "The current owner remains in place."
      : "The proposed owner could then change how the vault works, perhaps before you can withdraw: " +
        FIND_OUT,
});

/**
 * Events of a proxy (new implementation, beacon, functions or admin) and of the start of an ownership transfer. Sources:
 * ERC-1967; EIP-2535; OpenZeppelin, Ownable2Step.
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
  changeEvent(
    [
      contract,
      "code",
      "DiamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data)",
    ],
    { what: settingOf(contract, "functions") },
  ),
  changeEvent(
    [contract, "code", "AdminChanged(address previousAdmin, address newAdmin)"],
    addressTexts(settingOf(contract, "proxy admin"), {
      member: "newAdmin",
      advice: `The proxy admin can replace the implementation: ${FIND_OUT}`,
      removed:
        "Check whether another account, such as the owner of a beacon, can still replace the implementation.",
    }),
  ),
  announcementEvent(
    [contract, "owner", "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)"],
    transferStarted(contract),
  ),
];

/**
 * Event of a completed ownership transfer. For the vault contract itself, a view also shows the new owner; for its
 * other contracts, only this event does. Sources: OpenZeppelin, Ownable; Solmate, Owned and Auth.
 */
const ownershipTransferred = (contract: VaultContract): GovernanceEvent =>
  changeEvent(
    [contract, "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      ...addressTexts(settingOf(contract, "owner"), {
        member: "newOwner",
        advice: `The owner can change how the vault works: ${FIND_OUT}`,
        removed:
          "Other accounts, such as an access-control authority or a proxy admin, may still be able to change settings: " +
          "check who they are.",
      }),
      seenByView: (_args, vault) => vault[contract] === vault.address,
    },
  );

/**
 * Governance events that the contracts of any vault family may emit: proxy changes and ownership transfers. Completed
 * transfers are defined for the deposit contract and the pricing contract only.
 */
export const commonGovernanceEvents: readonly GovernanceEvent[] = [
  ...(["address", "entryPoint", "pricer", "shareToken"] as const).flatMap(proxyAndOwnerEvents),
  ownershipTransferred("entryPoint"),
  ownershipTransferred("pricer"),
];

/**
 * Governance events of the beacon from which a vault's proxy takes its implementation. Sources: ERC-1967; OpenZeppelin,
 * UpgradeableBeacon; euler-vault-kit, GenericFactory.
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
  changeEvent(
    ["beacon", "owner", "SetUpgradeAdmin(address indexed newUpgradeAdmin)"],
    addressTexts("upgrade admin of the beacon", {
      member: "newUpgradeAdmin",
      advice: `The upgrade admin can replace the implementation: ${FIND_OUT}`,
      removed: "Without an upgrade admin, the implementation can no longer be replaced through the beacon.",
    }),
  ),
  changeEvent(
    ["beacon", "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    addressTexts("owner of the beacon", {
      member: "newOwner",
      advice: `The owner of the beacon can replace the implementation: ${FIND_OUT}`,
      removed:
        "Check whether another account, such as an upgrade admin, can still replace the implementation.",
    }),
  ),
];

/**
 * Returns true for OpenZeppelin's `DEFAULT_ADMIN_ROLE`, the zero word, whose holders can grant and revoke other roles.
 */
const isDefaultAdmin = (role: unknown): boolean => isHex(role) && hexToBigInt(role) === 0n;

/**
 * Governance event for a role that the vault's own contract grants; revoked roles are not reported. Source:
 * OpenZeppelin, AccessControl.
 */
export const accessControlEvents: readonly GovernanceEvent[] = [
  changeEvent(
    [
      "address",
      "owner",
      "RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
    ],
    {
      what: "role members",
      title: ({ role }) => (isDefaultAdmin(role) ? "admin role granted" : "access-control role granted"),
      report: ({ role, account }, { vault, time }) =>
        `${isDefaultAdmin(role) ? "The admin role (DEFAULT_ADMIN_ROLE)" : `The access-control role ${role}`} of ` +
        `${vault} was granted to ${account} at ${time}.`,
      advice: ({ role }) =>
        isDefaultAdmin(role)
          ? `An admin can grant and revoke roles: ${FIND_OUT}`
          : "Find out what this role may do and who this account is before you deposit or leave funds in the vault.",
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
    what: settingOf(contract, "admins"),
    title: () => `admin${CONTRACT_NAMES[contract]} added`,
    report: (args, { vault, time }) =>
      `${args[argument]} became an admin (ward)${CONTRACT_NAMES[contract]} of ${vault} at ${time}.`,
    advice: `An admin can ${contract === "address" ? "change how the vault works" : "mint shares or move those of any holder"}: ${FIND_OUT}`,
  }),
  changeEvent([contract, "owner", `Deny(address indexed ${argument})`], {
    what: settingOf(contract, "admins"),
    title: () => `admin${CONTRACT_NAMES[contract]} removed`,
    report: (args, { vault, time }) =>
      `${args[argument]} was removed as an admin (ward)${CONTRACT_NAMES[contract]} of ${vault} at ${time}.`,
    advice: "Check who is still an admin.",
    tier: "medium",
  }),
];

const capAdvice = ({ cap }: EventArgs): string =>
  isUnlimited(BigInt(String(cap)))
    ? "An unlimited cap lets the vault allocate any amount to this market."
    : "The cap limits how much the vault may allocate to this market.";

/**
 * Events of pending timelocks and guardians of MetaMorpho and its forks. A longer timelock takes effect immediately and
 * has no event here.
 */
const pendingSettingEvents: readonly GovernanceEvent[] = [
  announcementEvent(["address", "timelock", "SubmitTimelock(uint256 newTimelock)"], {
    what: "timelock",
    title: () => "shorter timelock submitted",
    report: ({ newTimelock }, { vault, time }) =>
      `A reduction of the timelock of ${vault} to ${formatDuration(newTimelock)} was submitted at ${time}. It takes ` +
      "effect once accepted, after the current timelock.",
    advice:
      "A shorter timelock gives holders less time to withdraw before a change takes effect: check pending changes more " +
      "often.",
  }),
  cancellationEvent(["address", "timelock", "RevokePendingTimelock(address indexed caller)"], {
    what: "timelock",
    advice: "The current timelock remains in force.",
  }),
  announcementEvent(["address", "guardian", "SubmitGuardian(address indexed newGuardian)"], {
    what: "guardian",
    describe: newValue("newGuardian"),
    title: ({ newGuardian }) =>
      isNone(newGuardian) ? "removal of the guardian submitted" : "change to the guardian submitted",
    report: ({ newGuardian }, { vault, time }) =>
      (isNone(newGuardian)
        ? `The removal of the guardian of ${vault} was submitted at ${time}.`
        : `A change to the guardian of ${vault} was submitted at ${time}: the proposed guardian is ${newGuardian}.`) +
      " It takes effect once accepted, after the timelock.",
    advice: ({ newGuardian }) =>
      isNone(newGuardian)
        ? "Once the removal takes effect, no guardian can veto pending changes."
        : "The guardian can veto pending changes: find out who the proposed account is before you rely on it.",
  }),
  cancellationEvent(["address", "guardian", "RevokePendingGuardian(address indexed caller)"], {
    what: "guardian",
    advice: "The current guardian remains in place.",
  }),
];

/**
 * Governance events of MetaMorpho and its forks. `market` is the Solidity type that identifies a market: `bytes32` in
 * MetaMorpho, `address` in the forks. Sources: metamorpho-v1.1, euler-earn, silo-contracts-v2.
 */
export const curationEvents = (market: "bytes32" | "address"): readonly GovernanceEvent[] => [
  ...pendingSettingEvents,
  announcementEvent(
    ["address", "cap", `SubmitCap(address indexed caller, ${market} indexed id, uint256 cap)`],
    {
      what: "supply cap for a market",
      // A reduction takes effect immediately, without this event.
      title: () => "higher supply cap for a market submitted",
      report: ({ id, cap }, context) =>
        (isUnlimited(BigInt(String(cap)))
          ? `An unlimited supply cap for market ${id} of ${context.vault} was `
          : `An increase in the supply cap for market ${id} of ${context.vault} to ${formatAssetUnits(cap, context)} was `) +
        `submitted at ${context.time}. It takes effect once accepted, after the timelock.`,
      advice: capAdvice,
    },
  ),
  cancellationEvent(["address", "cap", `RevokePendingCap(address indexed caller, ${market} indexed id)`], {
    what: "supply cap for a market",
    title: () => "pending supply cap for a market cancelled",
    report: ({ id }, { vault, time }) =>
      `The pending supply cap for market ${id} of ${vault} was cancelled at ${time}.`,
    advice: "The current cap remains in force.",
  }),
  changeEvent(["address", "cap", `SetCap(address indexed caller, ${market} indexed id, uint256 cap)`], {
    what: "supply cap for a market",
    report: ({ id, cap }, context) =>
      `The supply cap for market ${id} of ${context.vault} is now ${formatAssetUnits(cap, context)}.${tookEffect(context)}`,
    advice: capAdvice,
  }),
  announcementEvent(
    ["address", "strategy", `SubmitMarketRemoval(address indexed caller, ${market} indexed id)`],
    {
      what: "removal of a market",
      title: () => "removal of a market submitted",
      report: ({ id }, { vault, time }) =>
        `The forced removal of market ${id} from ${vault} was submitted at ${time}. It takes effect once an allocator carries it out, after the timelock.`,
      advice:
        "Once the removal takes effect, the vault loses any assets that are still in this market, and holders bear the " +
        "loss: check how much it holds there, and decide whether to withdraw first.",
      tier: "medium",
    },
  ),
  cancellationEvent(
    ["address", "strategy", `RevokePendingMarketRemoval(address indexed caller, ${market} indexed id)`],
    {
      what: "removal of a market",
      title: () => "pending removal of a market cancelled",
      report: ({ id }, { vault, time }) =>
        `The pending removal of market ${id} from ${vault} was cancelled at ${time}.`,
      advice:
        "While the vault holds assets in this market, the market cannot be removed without a new submission.",
    },
  ),
];
