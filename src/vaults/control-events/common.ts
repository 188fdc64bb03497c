import { announced, type ControlEvent, done, type OwnContract, to } from "./event.ts";

/** What any contract may tell of itself. Sources: ERC-1967, OpenZeppelin (Ownable2Step), Solmate (Owned, Auth). */
const ofContract = (on: OwnContract): readonly ControlEvent[] => [
  done([on, "code", "Upgraded(address indexed implementation)"], {
    what: "code",
    words: to("implementation"),
  }),
  done([on, "code", "BeaconUpgraded(address indexed beacon)"], {
    what: "place where the code is looked up",
    words: to("beacon"),
  }),
  done([on, "code", "AdminChanged(address previousAdmin, address newAdmin)"], {
    what: "one who may change the code",
    words: to("newAdmin"),
  }),
  announced(
    [on, "owner", "OwnershipTransferStarted(address indexed previousOwner, address indexed newOwner)"],
    {
      what: "owner",
      words: to("newOwner"),
    },
  ),
];

/** The vault's own owner has a view; those of the contracts about it have none that is read. */
const ownerOf = (on: OwnContract, what: string): ControlEvent =>
  done([on, "owner", "OwnershipTransferred(address indexed previousOwner, address indexed newOwner)"], {
    what,
    words: to("newOwner"),
    seenByView: (_members, vault) => vault[on] === vault.address,
  });

export const commonEvents: readonly ControlEvent[] = [
  ...(["address", "entryPoint", "pricer", "shareToken"] as const).flatMap(ofContract),
  ownerOf("entryPoint", "owner of the contract that takes deposits"),
  ownerOf("pricer", "owner of the contract that prices shares"),
];
