import {
  announcementEvent,
  changeEvent,
  type GovernanceEvent,
  newValue,
  type VaultContract,
} from "./governance-event.ts";

/** What any contract may tell of itself. Sources: ERC-1967, OpenZeppelin (Ownable2Step), Solmate (Owned, Auth). */
const proxyAndOwnerEvents = (on: VaultContract): readonly GovernanceEvent[] => [
  changeEvent([on, "code", "Upgraded(address indexed implementation)"], {
    what: "code",
    words: newValue("implementation"),
  }),
  changeEvent([on, "code", "BeaconUpgraded(address indexed beacon)"], {
    what: "place where the code is looked up",
    words: newValue("beacon"),
  }),
  changeEvent([on, "code", "AdminChanged(address previousAdmin, address newAdmin)"], {
    what: "one who may change the code",
    words: newValue("newAdmin"),
  }),
  announcementEvent(
    [on, "owner", "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)"],
    {
      what: "owner",
      words: newValue("newOwner"),
    },
  ),
];

/** The vault's own owner has a view; those of the contracts about it have none that is read. */
const ownershipTransferred = (on: VaultContract, what: string): GovernanceEvent =>
  changeEvent(
    [on, "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"],
    {
      what,
      words: newValue("newOwner"),
      seenByView: (_members, vault) => vault[on] === vault.address,
    },
  );

export const commonGovernanceEvents: readonly GovernanceEvent[] = [
  ...(["address", "entryPoint", "pricer", "shareToken"] as const).flatMap(proxyAndOwnerEvents),
  ownershipTransferred("entryPoint", "owner of the contract that takes deposits"),
  ownershipTransferred("pricer", "owner of the contract that prices shares"),
];
