import { type Abi, type AbiEvent, type Address, parseAbi } from "viem";
import { once } from "../../lib/once.ts";
import {
  aaveStataFactories,
  centrifugeRegisters,
  eulerEarnFactories,
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
import {
  accountableFactories,
  eulerEarnGoverned,
  eulerFactories,
  eulerGoverned,
  gearboxCuratedProviders,
  siloVaultFactories,
  yearnFactories,
  yearnRegistries,
} from "./register-addresses.ts";
import {
  beaconProxyDeployed,
  created,
  createMetaMorpho,
  createSiloVault,
  createVaultV2,
  deployVault,
  fusionInstanceCreated,
  newSilo,
  proxyDeployed,
} from "./register-events.ts";

/**
 * How the vaults of a register are read. `list`: by a view function, for some registers in several levels. `events`:
 * from events since block `from` (null: unknown), whose arguments `vaults` contain addresses. `asked`: not at all;
 * `view` confirms whether it created a vault, or names the contract that its vaults clone.
 */
export type RegisterReading =
  | {
      kind: "list";
      view:
        | "getStataTokens"
        | "verifiedArray"
        | "allTokens"
        | "getAllEndorsedVaults"
        | "getPools"
        | "getMarketConfigurators"
        | "strategyProxies";
    }
  | { kind: "events"; event: () => AbiEvent; vaults: readonly string[]; from: number | null }
  | { kind: "asked"; view: "isProxy" | "isVault" | "vault_original" };

/** A contract that names vaults of one protocol: a factory, or a list that the protocol maintains. */
export interface VaultRegister {
  chainId: number;
  /** Address of the contract; for Gearbox, that of the address provider. */
  address: Address;
  /** Name of the vault family that the register's vaults belong to. */
  adapter: string;
  /** Name of the protocol, used in the names of its vaults. */
  protocol: string;
  /**
   * True if the register is a factory whose confirmation that it created a vault vouches for the vault's code.
   * Otherwise false, for example for a list of other vaults, and for a factory whose vaults may run any code.
   */
  isFactory: boolean;
  /**
   * True if delegated calls in the code of the factory's vaults, such as those of `multicall`, are known to run no code
   * of others. Absent if only the vaults' code can show it.
   */
  createsFixedCode?: true;
  /** Who can add vaults: the protocol's owners (`governed`), or perhaps anyone (`anybody`). */
  openness: "governed" | "anybody";
  reading: RegisterReading;
  /** View function that returns whether the register contains a vault; null if none is used, or if it is `asked`. */
  membership:
    | "isVerified"
    | "isEndorsed"
    | "isMetaMorpho"
    | "isVaultV2"
    | "isInstance"
    | "isSilo"
    | "isEntity"
    | "isLinked"
    | "isSiloVault"
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
      "function getMarketConfigurators() view returns (address[])",
      "function contractsRegister() view returns (address)",
      "function strategyProxies(uint256) view returns (address)",
      "function strategyVaults(address) view returns (address)",
      "function isProxy(address) view returns (bool)",
      "function isVault(address) view returns (bool)",
      "function isSiloVault(address) view returns (bool)",
      "function vault_original() view returns (address)",
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

type Kind = Omit<VaultRegister, "chainId" | "address" | "reading"> & {
  addresses: readonly FactoryAddress[];
  reading:
    | Extract<RegisterReading, { kind: "list" | "asked" }>
    | { event: () => AbiEvent; vaults: readonly string[] };
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
    addresses: yearnRegistries,
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
  {
    // Anyone can be a curator, so its pools need a second source.
    ...{ adapter: "gearbox", protocol: "Gearbox", isFactory: false, openness: "anybody", membership: null },
    reading: { kind: "list", view: "getMarketConfigurators" },
    addresses: gearboxCuratedProviders,
  },
  {
    // Who may create strategies is not known. Those that need a permission are refused by their proof.
    ...{ adapter: "accountable", protocol: "Accountable" },
    ...{ isFactory: false, openness: "anybody", membership: null },
    reading: { kind: "list", view: "strategyProxies" },
    addresses: accountableFactories,
  },
  {
    // A fork of MetaMorpho without its own adapter: its vaults count as generic, so they never open by themselves.
    ...{ adapter: "erc4626", protocol: "Silo", isFactory: false, openness: "anybody" },
    membership: "isSiloVault",
    reading: { event: createSiloVault, vaults: ["SiloVault"] },
    addresses: siloVaultFactories,
  },
  {
    // Its proxies run the implementation that Euler chose, which calls fixed modules.
    ...{ isFactory: true, createsFixedCode: true, adapter: "euler", protocol: "Euler" },
    ...{ openness: "anybody", membership: null },
    reading: { kind: "asked", view: "isProxy" },
    addresses: eulerFactories,
  },
  {
    ...{ isFactory: true, createsFixedCode: true, adapter: "euler_earn", protocol: "Euler Earn" },
    ...{ openness: "anybody", membership: null },
    reading: { kind: "asked", view: "isVault" },
    addresses: eulerEarnFactories,
  },
  {
    ...{ isFactory: true, adapter: "yearn_v3", protocol: "Yearn", openness: "anybody", membership: null },
    reading: { kind: "asked", view: "vault_original" },
    addresses: yearnFactories,
  },
];

/**
 * All vault registers that are defined in code, one for each contract on a chain. `servedRegisters` adds those of the
 * configuration for chains without any here.
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
