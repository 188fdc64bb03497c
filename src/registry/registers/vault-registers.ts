import { type Abi, type AbiEvent, type Address, parseAbi, parseAbiItem } from "viem";
import { once } from "../../lib/once.ts";
import {
  aaveStataFactories,
  centrifugeRegisters,
  type FactoryAddress,
  fluidFactories,
  gearboxProviders,
  iporFactories,
  lagoonBeaconFactories,
  lagoonFactories,
  mellowFactories,
  metaMorphoFactories,
  morphoV2Factories,
  siloFactories,
} from "../../vaults/families/family-factory-addresses.ts";

/**
 * How the vaults of a register are read. `list`: the view function `view` returns all of them (`getPools` is a function
 * of the contract that Gearbox's address provider names). `events`: the register has emitted one event per vault since
 * its deployment in block `from` (null if it must be searched for); `vaults` names the event's arguments that contain
 * vault addresses.
 */
export type RegisterReading =
  | {
      kind: "list";
      view: "getStataTokens" | "verifiedArray" | "allTokens" | "getAllEndorsedVaults" | "getPools";
    }
  | { kind: "events"; event: () => AbiEvent; vaults: readonly string[]; from: number | null };

/**
 * A contract that names vaults of one protocol: a factory, or a list that the protocol maintains. It may prove which
 * code a vault runs or that the protocol's owners listed it, but never that a vault is safe.
 */
export interface VaultRegister {
  chainId: number;
  /** Address of the contract; for Gearbox, that of the address provider. */
  address: Address;
  /** Name of the vault family that the register's vaults belong to. */
  adapter: string;
  /** Name of the protocol, used in the names of its vaults. */
  protocol: string;
  /**
   * True if the register provably created its vaults, so they run its code. False for a list of other vaults, and for a
   * factory whose vaults are known only from its events.
   */
  isFactory: boolean;
  /**
   * True if the factory's own code and that of its vaults is known and cannot be replaced, although the vaults delegate
   * calls to themselves (`multicall`). Absent if only the vaults' code can show it.
   */
  createsFixedCode?: true;
  /** Who can add vaults: the protocol's owners (`governed`), or anyone (`anybody`). */
  openness: "governed" | "anybody";
  reading: RegisterReading;
  /** View function that returns whether the register contains a vault, or null if it has none. */
  membership:
    | "isVerified"
    | "isEndorsed"
    | "isMetaMorpho"
    | "isVaultV2"
    | "isInstance"
    | "isSilo"
    | "isEntity"
    | "isLinked"
    | null;
}

/** ABI of the view functions of all registers. Sources: the protocols' repositories. */
export const registerAbi = once(
  () =>
    parseAbi([
      "function getStataTokens() view returns (address[])",
      "function verifiedArray() view returns (address[])",
      "function allTokens() view returns (address[])",
      "function getAllEndorsedVaults() view returns (address[][])",
      "function getPools() view returns (address[])",
      "function getAddressOrRevert(bytes32, uint256) view returns (address)",
      "function isEntity(address) view returns (bool)",
      "function isLinked(address) view returns (bool)",
      "function isVerified(address) view returns (bool)",
      "function isEndorsed(address) view returns (bool)",
      "function isMetaMorpho(address) view returns (bool)",
      "function isVaultV2(address) view returns (bool)",
      "function isInstance(address) view returns (bool)",
      "function isSilo(address) view returns (bool)",
    ]) satisfies Abi,
);

const createMetaMorpho = once(() =>
  parseAbiItem(
    "event CreateMetaMorpho(address indexed metaMorpho, address indexed caller, address initialOwner, uint256 initialTimelock, address indexed asset, string name, string symbol, bytes32 salt)",
  ),
);
const createVaultV2 = once(() =>
  parseAbiItem(
    "event CreateVaultV2(address indexed owner, address indexed asset, bytes32 salt, address indexed newVaultV2)",
  ),
);
const beaconProxyDeployed = once(() =>
  parseAbiItem("event BeaconProxyDeployed(address proxy, address deployer)"),
);
const proxyDeployed = once(() => parseAbiItem("event ProxyDeployed(address proxy, address deployer)"));
const newSilo = once(() =>
  parseAbiItem(
    "event NewSilo(address indexed implementation, address indexed token0, address indexed token1, address silo0, address silo1, address siloConfig)",
  ),
);

const created = once(() =>
  parseAbiItem(
    "event Created(address indexed instance, uint256 indexed version, address indexed owner, bytes initParams)",
  ),
);
const deployVault = once(() =>
  parseAbiItem(
    "event DeployVault(uint64 indexed poolId, bytes16 indexed scId, address indexed asset, uint256 tokenId, address factory, address vault, uint8 kind)",
  ),
);

const eulerEarnGoverned: readonly FactoryAddress[] = [
  [1, "0x492e9FE1289d43F8bB6275237BF16c9248C74D44", null],
  [56, "0xEF7599ef1CB0ec48ED6f4174641462D6919A7CE2", null],
  [130, "0x16F187C4EFCCbbF5B530A9c64447B89c4D73F3F2", null],
  [143, "0xe4A695d715732db3d694E30EC57b1acc8cC4368b", null],
  [146, "0x044Dc2d44BC443c00f615Cc453501F881E01E021", null],
  [999, "0x7b27dED9344D9c66FeAF58D151b52d1359aeA807", null],
  [8453, "0x08B817C17d84DF89AA371084D910081a5Cc04724", null],
  [9745, "0xAA8b9729a047568CB0614165509229A86e345Be1", null],
  [42161, "0xeE3de4507cFAc8756634dC5272B4A6BB7f00C49E", null],
  [43114, "0x23559eF969252b81d8DA2b86a76D85fb602860Ad", null],
  [59144, "0xb42a9DD67bD6b48940A862C0f0c8a6C5DD26582f", null],
];

const eulerGoverned: readonly FactoryAddress[] = [
  [1, "0xC0121817FF224a018840e4D15a864747d36e6Eb2", null],
  [56, "0x775231E5da4F548555eeE633ebf7355a83A0FC03", null],
  [130, "0x44d781D9f61649fACeeEC919c71C8537531df027", null],
  [137, "0x2Fd99E75A242103c22FC622763207080b3103bAa", null],
  [143, "0x8707B105567661E7c6B41cDd1b3EC7D784e5FA50", null],
  [146, "0x93478469b049e75B8d20b6d2c5A8da84E35f14D0", null],
  [999, "0x4936Cd82936b6862fDD66CC8c36e1828127a6b57", null],
  [8453, "0xafC8545c49DF2c8216305922D9753Bf60bf8c14A", null],
  [9745, "0xBD62C2Db0E21E4B9Ee81701F130417B8400ec854", null],
  [42161, "0xc7693ceEf74Bc7c8Af703c5519F24bB5e6642643", null],
  [43114, "0x0d1ABCcBa91F074DeA11AdCc679C61326b6145AC", null],
  [59144, "0x74f9fD22aA0Dd5Bbf6006a4c9818248eb476C50A", null],
];

const yearn: readonly FactoryAddress[] = [
  [1, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 21176924],
  [1, "0xff31A1B020c868F6eA3f61Eb953344920EeCA3af", 19072527],
  [100, "0xff31A1B020c868F6eA3f61Eb953344920EeCA3af", 32902749],
  [137, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 64224620],
  [137, "0xfF5e3A7C4cBfA9Dd361385c24C3a0A4eE63CE500", 49100596],
  [137, "0xff31A1B020c868F6eA3f61Eb953344920EeCA3af", 52488140],
  [146, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 4459165],
  [8453, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 22344791],
  [8453, "0xff31A1B020c868F6eA3f61Eb953344920EeCA3af", 17559000],
  [42161, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 273947409],
  [42161, "0xff31A1B020c868F6eA3f61Eb953344920EeCA3af", 171850013],
  [747474, "0xd40ecF29e001c76Dcc4cC0D9cd50520CE845B038", 2852031],
];

const fusionInstanceCreated = once(() =>
  parseAbiItem(
    "event FusionInstanceCreated(uint256 index, uint256 version, string assetName, string assetSymbol, uint8 assetDecimals, address underlyingToken, string underlyingTokenSymbol, uint8 underlyingTokenDecimals, address initialOwner, address plasmaVault, address plasmaVaultBase, address feeManager)",
  ),
);

type Kind = Omit<VaultRegister, "chainId" | "address" | "reading"> & {
  addresses: readonly FactoryAddress[];
  reading: Extract<RegisterReading, { kind: "list" }> | { event: () => AbiEvent; vaults: readonly string[] };
};

const kinds: readonly Kind[] = [
  {
    ...{ isFactory: true, adapter: "aave_stata", protocol: "Aave", openness: "governed", membership: null },
    reading: { kind: "list", view: "getStataTokens" },
    addresses: aaveStataFactories,
  },
  {
    ...{
      isFactory: false,
      adapter: "euler",
      protocol: "Euler",
      openness: "governed",
      membership: "isVerified",
    },
    reading: { kind: "list", view: "verifiedArray" },
    addresses: eulerGoverned,
  },
  {
    ...{
      isFactory: false,
      adapter: "euler_earn",
      protocol: "Euler Earn",
      openness: "governed",
      membership: "isVerified",
    },
    reading: { kind: "list", view: "verifiedArray" },
    addresses: eulerEarnGoverned,
  },
  {
    ...{ isFactory: true, adapter: "fluid", protocol: "Fluid", openness: "governed", membership: null },
    reading: { kind: "list", view: "allTokens" },
    addresses: fluidFactories,
  },
  {
    ...{
      isFactory: false,
      adapter: "yearn_v3",
      protocol: "Yearn",
      openness: "governed",
      membership: "isEndorsed",
    },
    reading: { kind: "list", view: "getAllEndorsedVaults" },
    addresses: yearn,
  },
  {
    ...{
      isFactory: true,
      createsFixedCode: true,
      adapter: "metamorpho",
      protocol: "Morpho",
      openness: "anybody",
      membership: "isMetaMorpho",
    },
    reading: { event: createMetaMorpho, vaults: ["metaMorpho"] },
    addresses: metaMorphoFactories,
  },
  {
    ...{
      isFactory: true,
      createsFixedCode: true,
      adapter: "morpho_v2",
      protocol: "Morpho",
      openness: "anybody",
      membership: "isVaultV2",
    },
    reading: { event: createVaultV2, vaults: ["newVaultV2"] },
    addresses: morphoV2Factories,
  },
  {
    ...{
      isFactory: true,
      adapter: "lagoon",
      protocol: "Lagoon",
      openness: "anybody",
      membership: "isInstance",
    },
    reading: { event: beaconProxyDeployed, vaults: ["proxy"] },
    addresses: lagoonBeaconFactories,
  },
  {
    ...{
      isFactory: true,
      adapter: "lagoon",
      protocol: "Lagoon",
      openness: "anybody",
      membership: "isInstance",
    },
    reading: { event: proxyDeployed, vaults: ["proxy"] },
    addresses: lagoonFactories,
  },
  {
    // Whoever creates a silo chooses its implementation, so the factory does not vouch for its code.
    ...{ isFactory: false, adapter: "silo", protocol: "Silo", openness: "anybody", membership: "isSilo" },
    reading: { event: newSilo, vaults: ["silo0", "silo1"] },
    addresses: siloFactories,
  },
  {
    // Issuers decide about its vaults and choose their factories, so it does not vouch for their code, and a second
    // source must name them.
    ...{
      isFactory: false,
      adapter: "centrifuge",
      protocol: "Centrifuge",
      openness: "anybody",
      membership: "isLinked",
    },
    reading: { event: deployVault, vaults: ["vault"] },
    addresses: centrifugeRegisters,
  },
  {
    // Its list also holds pools of versions that are no vaults; their proof refuses them.
    ...{ isFactory: false, adapter: "gearbox", protocol: "Gearbox", openness: "governed", membership: null },
    reading: { kind: "list", view: "getPools" },
    addresses: gearboxProviders,
  },
  {
    ...{
      isFactory: true,
      adapter: "mellow",
      protocol: "Mellow",
      openness: "anybody",
      membership: "isEntity",
    },
    reading: { event: created, vaults: ["instance"] },
    addresses: mellowFactories,
  },
  {
    // Nothing but its log names its vaults, so it vouches neither for their code nor for them.
    ...{ adapter: "ipor", protocol: "IPOR", isFactory: false, openness: "anybody", membership: null },
    reading: { event: fusionInstanceCreated, vaults: ["plasmaVault"] },
    addresses: iporFactories,
  },
];

/**
 * All registers in code. A contract at one of these addresses that does not respond like the register yields no vaults.
 * Vaults of these protocols cannot be listed on chain and come from reviewed rows and public lists: Veda and Upshift,
 * which have no register on the vaults' chains; Midas, which has no register; Accountable and Maple, whose deposits
 * need a permission; Gearbox v3.1, whose pools are three levels below a factory that anyone can use; and the older
 * Mellow vaults, whose factory is not published.
 */
export const vaultRegisters: readonly VaultRegister[] = kinds.flatMap(({ addresses, reading, ...kind }) =>
  addresses.flatMap(([chainId, address, from]): VaultRegister[] => {
    if ("kind" in reading) return [{ ...kind, chainId, address, reading }];
    return [{ ...kind, chainId, address, reading: { kind: "events", from, ...reading } }];
  }),
);

/**
 * Returns how the registers of a vault family are read, without their addresses. `adapter` is the family's name. If the
 * family has several kinds of registers, the first is returned. Returns null if none is in code.
 */
export function registerOf(
  adapter: string,
):
  | (Pick<VaultRegister, "membership" | "isFactory" | "createsFixedCode"> & { reading: Kind["reading"] })
  | null {
  return kinds.find((kind) => kind.adapter === adapter) ?? null;
}
