import { type Abi, type AbiEvent, type Address, parseAbi, parseAbiItem } from "viem";
import { once } from "../../lib/once.ts";

/**
 * How the vaults of a register are read. `list`: a view function returns all of them. `events`: the register has
 * emitted one event per vault since its deployment.
 */
export type RegisterReading =
  | { kind: "list"; view: "getStataTokens" | "verifiedArray" | "allTokens" | "getAllEndorsedVaults" }
  | { kind: "events"; event: () => AbiEvent; vaults: readonly string[]; from: number };

/**
 * A contract that names vaults of one protocol: a factory, or a list that the protocol maintains. It proves which code
 * a vault runs, or that the protocol's owners listed it, but never that a vault is safe.
 */
export interface VaultRegister {
  chainId: number;
  address: Address;
  /** The vault family that the register's vaults belong to. */
  adapter: string;
  /** Name of the protocol, used in the names of its vaults. */
  protocol: string;
  /** Who can add vaults: the protocol's owners (`governed`), or anyone (`anybody`). */
  openness: "governed" | "anybody";
  reading: RegisterReading;
  /** View function that returns whether the register contains a vault, or null if it has none. */
  membership: "isVerified" | "isEndorsed" | "isMetaMorpho" | "isVaultV2" | "isInstance" | "isSilo" | null;
}

/** ABI of the view functions of all registers. Sources: the protocols' repositories, named beside their addresses. */
export const registerAbi = once(
  () =>
    parseAbi([
      "function getStataTokens() view returns (address[])",
      "function verifiedArray() view returns (address[])",
      "function allTokens() view returns (address[])",
      "function getAllEndorsedVaults() view returns (address[][])",
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

/** Chain id, address, and first block of a register's events, or null if a view function lists its vaults. */
type RegisterAddress = readonly [chainId: number, address: Address, from: number | null];

const aaveStata: readonly RegisterAddress[] = [
  [1, "0x347C75d19718a05148687E13dca259aD016aB411", null],
  [1, "0xCb0b5cA20b6C5C02A9A3B2cE433650768eD2974F", null],
  [10, "0x170d6D6FCAbF0Ba3932a03d5f470c16c39c18e39", null],
  [56, "0x929B8a21a604b93DD7e95d5b9aAa3aDf5bE250ae", null],
  [100, "0x33992721c565dA3248bd3af80524e054F5F05b42", null],
  [137, "0x1504F1d7b6892600ae0d394F9042e696dd9F87Fa", null],
  [146, "0xFeeb6FE430B7523fEF2a38327241eE7153779535", null],
  [8453, "0x78d33BF0014ab169725F2Ea5a62b200F2977faeE", null],
  [9745, "0xbcb77d9D638abECB6BB910c1d8A4c24b0DD165A2", null],
  [42161, "0xd85922fFF51ba4130cEC7c499db4Ac3Eb9981EaD", null],
  [43114, "0xC2E7A608d868817dd58438913Ed72955a0567561", null],
  [59144, "0xc25Da0Ddab750739d2500dfD4E31EB4E83622F54", null],
];

const eulerEarnGoverned: readonly RegisterAddress[] = [
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

const eulerGoverned: readonly RegisterAddress[] = [
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

const fluid: readonly RegisterAddress[] = [
  [1, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 19239226],
  [56, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 71734791],
  [137, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 68510632],
  [8453, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 17391481],
  [9745, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 643187],
  [42161, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 220431694],
];

const lagoonBeacon: readonly RegisterAddress[] = [
  [1, "0x09C8803f7Dc251f9FaAE5f56E3B91f8A6d0b70ee", 22218451],
  [130, "0xaba1A2e157Dae248f8630cA550bd826725Ff745c", 14576623],
  [146, "0x99CD0b8b32B15922f0754Fddc21323b5278c5261", 21645993],
  [8453, "0xC953Fd298FdfA8Ed0D38ee73772D3e21Bf19c61b", 29100401],
  [42161, "0x58a7729125acA9e5E9C687018E66bfDd5b2D4490", 324144504],
  [43114, "0x5E231C6D030a5c0f51Fa7D0F891d3f50A928C685", 62519141],
  [747474, "0x37F4B3f0102FDC1ff0C7eF644751052fb276dc6e", 4544281],
];

const lagoon: readonly RegisterAddress[] = [
  [1, "0x8D6f5479B14348186faE9BC7E636e947c260f9B1", 22940919],
  [10, "0xA8E0684887b9475f8942DF6a89bEBa5B25219632", 141662524],
  [130, "0x6FC0F2320483fa03FBFdF626DDbAE2CC4B112b51", 22021431],
  [137, "0x0C0E287f6e4de685f4b44A5282A3ad4A29D05a91", 76939871],
  [143, "0xcCdC4d06cA12A29C47D5d105fED59a6D07E9cf70", 36249718],
  [146, "0x6FC0F2320483fa03FBFdF626DDbAE2CC4B112b51", 38968917],
  [999, "0x90beB507A1BA7D64633540cbce615B574224CD84", 12973305],
  [8453, "0x6FC0F2320483fa03FBFdF626DDbAE2CC4B112b51", 32988756],
  [9745, "0xF838E8Bd649fc6fBC48D44E9D87273c0519C45c9", 2236159],
  [42161, "0x9De724B0efEe0FbA07FE21a16B9Bf9bBb5204Fb4", 358686643],
  [43114, "0xC094C224ce0406BC338E00837B96aD2e265F7287", 65620725],
  [59144, "0x8D6f5479B14348186faE9BC7E636e947c260f9B1", 23119208],
  [747474, "0xC094C224ce0406BC338E00837B96aD2e265F7287", 6025911],
];

const metaMorpho: readonly RegisterAddress[] = [
  [1, "0x1897A8997241C1cD4bD0698647e4EB7213535c24", 21439510],
  [1, "0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", 18925584],
  [10, "0x3Bb6A6A0Bc85b367EFE0A5bAc81c5E52C892839a", 130770189],
  [56, "0x92983687e672cA6d96530f9Dbe11a196cE905d72", 54344985],
  [130, "0xe9EdE3929F43a7062a007C3e8652e4ACa610Bdc0", 9316789],
  [137, "0xa9c87daB340631C34BB738625C70499e29ddDC98", 66931042],
  [143, "0x33f20973275B2F574488b18929cd7DCBf1AbF275", 32320327],
  [146, "0x0cE9e3512CB4df8ae7e265e62Fb9258dc14f12e8", 9101319],
  [999, "0xec051b19d654C48c357dC974376DeB6272f24e53", 1988677],
  [8453, "0xA9c3D3a366466Fa809d1Ae982Fb2c46E5fC41101", 13978134],
  [8453, "0xFf62A7c278C62eD665133147129245053Bbf5918", 23928808],
  [42161, "0x878988f5f561081deEa117717052164ea1Ef0c82", 296447195],
  [59144, "0xA148a8223B622A72dC36472DE1492aBb5c089BA7", 25072665],
  [747474, "0x1c8De6889acee12257899BFeAa2b7e534de32E16", 2741420],
];

const morphoV2: readonly RegisterAddress[] = [
  [1, "0xA1D94F746dEfa1928926b84fB2596c06926C0405", 23375073],
  [10, "0x6128b680b277Bf4Df80DFE9D8c55A498660870ef", 142122059],
  [130, "0xC9b34c108014B44e5a189A830e7e04c56704a0c9", 29092109],
  [137, "0xC11a53eE9B1eCc7a068D8e40F8F17926584F97Cf", 77371907],
  [143, "0x8B2F922162FBb60A6a072cC784A2E4168fB0bb0c", 32321811],
  [999, "0xD7217E5687FF1071356C780b5fe4803D9D967da7", 14188393],
  [8453, "0x4501125508079A99ebBebCE205DeC9593C2b5857", 35615206],
  [42161, "0x6b46fa3cc9EBF8aB230aBAc664E37F2966Bf7971", 387016724],
  [59144, "0x5DC11CF8BA4C39d1194F91218D35008d9F52A5d0", 25072951],
  [747474, "0xFcb8b57E56787bB29e130Fca67f3c5a1232975D1", 13096629],
];

const silo: readonly RegisterAddress[] = [
  [1, "0x22a3cF6149bFa611bAFc89Fd721918EC3Cf7b581", 22616413],
  [146, "0x4e9dE3a64c911A37f7EB2fCb06D1e68c3cBe9203", 25244110],
  [146, "0xa42001D6d2237d2c74108FE360403C4b796B7170", 2672166],
  [42161, "0x384DC7759d35313F0b567D42bf2f611B285B657C", 334531851],
  [43114, "0x92cECB67Ed267FF98026F814D813fDF3054C6Ff9", 64050356],
];

const yearn: readonly RegisterAddress[] = [
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

type Kind = Omit<VaultRegister, "chainId" | "address" | "reading"> & {
  addresses: readonly RegisterAddress[];
  reading: Extract<RegisterReading, { kind: "list" }> | { event: () => AbiEvent; vaults: readonly string[] };
};

const kinds: readonly Kind[] = [
  {
    ...{ adapter: "aave_stata", protocol: "Aave", openness: "governed", membership: null },
    reading: { kind: "list", view: "getStataTokens" },
    addresses: aaveStata,
  },
  {
    ...{ adapter: "euler", protocol: "Euler", openness: "governed", membership: "isVerified" },
    reading: { kind: "list", view: "verifiedArray" },
    addresses: eulerGoverned,
  },
  {
    ...{ adapter: "euler_earn", protocol: "Euler Earn", openness: "governed", membership: "isVerified" },
    reading: { kind: "list", view: "verifiedArray" },
    addresses: eulerEarnGoverned,
  },
  {
    ...{ adapter: "fluid", protocol: "Fluid", openness: "governed", membership: null },
    reading: { kind: "list", view: "allTokens" },
    addresses: fluid,
  },
  {
    ...{ adapter: "yearn_v3", protocol: "Yearn", openness: "governed", membership: "isEndorsed" },
    reading: { kind: "list", view: "getAllEndorsedVaults" },
    addresses: yearn,
  },
  {
    ...{ adapter: "metamorpho", protocol: "Morpho", openness: "anybody", membership: "isMetaMorpho" },
    reading: { event: createMetaMorpho, vaults: ["metaMorpho"] },
    addresses: metaMorpho,
  },
  {
    ...{ adapter: "morpho_v2", protocol: "Morpho", openness: "anybody", membership: "isVaultV2" },
    reading: { event: createVaultV2, vaults: ["newVaultV2"] },
    addresses: morphoV2,
  },
  {
    ...{ adapter: "lagoon", protocol: "Lagoon", openness: "anybody", membership: "isInstance" },
    reading: { event: beaconProxyDeployed, vaults: ["proxy"] },
    addresses: lagoonBeacon,
  },
  {
    ...{ adapter: "lagoon", protocol: "Lagoon", openness: "anybody", membership: "isInstance" },
    reading: { event: proxyDeployed, vaults: ["proxy"] },
    addresses: lagoon,
  },
  {
    ...{ adapter: "silo", protocol: "Silo", openness: "anybody", membership: "isSilo" },
    reading: { event: newSilo, vaults: ["silo0", "silo1"] },
    addresses: silo,
  },
];

/** All registers in code. Their addresses are unverified: a contract that behaves differently is not used. */
export const vaultRegisters: readonly VaultRegister[] = kinds.flatMap(({ addresses, reading, ...kind }) =>
  addresses.flatMap(([chainId, address, from]): VaultRegister[] => {
    if ("kind" in reading) return [{ ...kind, chainId, address, reading }];
    return from === null
      ? []
      : [{ ...kind, chainId, address, reading: { kind: "events", from, ...reading } }];
  }),
);
