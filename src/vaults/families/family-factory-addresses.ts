import type { Address } from "viem";

/**
 * Chain id, address and deployment block of a contract that creates or lists vaults, or names one that does. The block
 * is null if it is unknown or not needed.
 */
export type FactoryAddress = readonly [chainId: number, address: Address, from: number | null];

/** Factories of Aave's static aTokens (stataTokens). Source: the Aave address book. */
export const aaveStataFactories: readonly FactoryAddress[] = [
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

/** Contracts of Centrifuge 3.1 that list its vaults. Sources: centrifuge/protocol, DefiLlama. */
export const centrifugeRegisters: readonly FactoryAddress[] = [
  [1, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 24319326],
  [10, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 147002582],
  [56, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 75504469],
  [143, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 51882836],
  [999, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 25783055],
  [8453, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 41362346],
  [42161, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 425757520],
  [43114, "0xd9531AC47928c3386346f82d9A2478960bf2CA7B", 76720147],
];

/** Factories of EulerEarn. Source: euler-xyz/euler-interfaces. */
export const eulerEarnFactories: readonly FactoryAddress[] = [
  [1, "0x59709B029B140C853FE28d277f83C3a65e308aF4", null],
  [56, "0xc456d04E3F43597CC7E5a2AF284fF4C4AdDA0cb1", null],
  [130, "0xD785adD5F081F56616898E45b90dE307e3DC7d3E", null],
  [143, "0xF463d4Acb650cc6C4E1D6cD4D0d1b0cb224094cF", null],
  [146, "0x3397ec7d28cF645A017869Fe4B41c75f5B0b75a8", null],
  [999, "0x587DD8285c01526769aB4803e4F02433ddbBc00E", null],
  [8453, "0x75F49a2621b6DeC6a5baB22ce961bF3e676EFAE6", null],
  [9745, "0xA3843A73e6a9F81309B931237Ca4759B3B02ff0E", null],
  [42161, "0xB9B5d62B9fE9E1B505466e75817aB178A1D2ec9d", null],
  [43114, "0x574B00f5a0C56D370F19fa887a5545d74F52fAC2", null],
  [59144, "0x377879A039343FEc7564e54616e519328951DA6D", null],
];

/** Factories of Fluid's fTokens. Source: Instadapp/fluid-contracts-public. */
export const fluidFactories: readonly FactoryAddress[] = [
  [1, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 19239226],
  [56, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 71734791],
  [137, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 68510632],
  [8453, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 17391481],
  [9745, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 643187],
  [42161, "0x54B91A0D94cb471F37f949c60F7Fa7935b551D03", 220431694],
];

/** Address providers of Gearbox v3.0, which return the contract that lists its pools. Source: Gearbox-protocol/sdk. */
export const gearboxProviders: readonly FactoryAddress[] = [
  [1, "0x9ea7b04Da02a5373317D745c1571c84aaD03321D", null],
  [10, "0x3761ca4BFAcFCFFc1B8034e69F19116dD6756726", null],
  [42161, "0x7d04eCdb892Ae074f03B5D0aBA03796F90F3F2af", null],
];

/** Factories of IPOR Fusion. Source: IPOR-Labs/ipor-abi. */
export const iporFactories: readonly FactoryAddress[] = [
  [1, "0xcd05909C4A1F8E501e4ED554cEF4Ed5E48D9b852", null],
  [130, "0xC9b4E839e86284C558791C13Bda97999fc49aF63", null],
  [8453, "0x1455717668fA96534f675856347A973fA907e922", null],
  [9745, "0x70d41759FBF90fB63c88197217cB08F93a1c65CB", null],
  [42161, "0x134fCAce7a2C7Ef3dF2479B62f03ddabAEa922d5", null],
  [43114, "0xa00b6379833D77fA9C9497b32dae00dF39Ac751e", null],
  [747474, "0xc29b8D591d6a3f109Ca7ba384F2e00162866D37B", null],
];

/** Factories of Lagoon's vaults that are beacon proxies. Source: the Lagoon documentation. */
export const lagoonBeaconFactories: readonly FactoryAddress[] = [
  [1, "0x09C8803f7Dc251f9FaAE5f56E3B91f8A6d0b70ee", 22218451],
  [130, "0xaba1A2e157Dae248f8630cA550bd826725Ff745c", 14576623],
  [146, "0x99CD0b8b32B15922f0754Fddc21323b5278c5261", 21645993],
  [8453, "0xC953Fd298FdfA8Ed0D38ee73772D3e21Bf19c61b", 29100401],
  [42161, "0x58a7729125acA9e5E9C687018E66bfDd5b2D4490", 324144504],
  [43114, "0x5E231C6D030a5c0f51Fa7D0F891d3f50A928C685", 62519141],
  [747474, "0x37F4B3f0102FDC1ff0C7eF644751052fb276dc6e", 4544281],
];

/** Factories of Lagoon's vaults whose implementation is chosen at creation. Source: the Lagoon documentation. */
export const lagoonFactories: readonly FactoryAddress[] = [
  [1, "0x8D6f5479B14348186faE9BC7E636e947c260f9B1", 22940919],
  [10, "0xA8E0684887b9475f8942DF6a89bEBa5B25219632", 141662524],
  [56, "0x3f680aB9E51EEED9381dE5275f4995611Ff884d5", null],
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

/** Factories of Mellow's Core vaults. Source: mellow-finance/flexible-vaults. */
export const mellowFactories: readonly FactoryAddress[] = [
  [1, "0x4E38F679e46B3216f0bd4B314E9C429AFfB1dEE3", null],
  [999, "0xC7332ab052350Bbb9075f1160cc7073428981638", null],
  [8453, "0xBBCD2aC50aF2EA12Cc9cb7B16dBDa85859BeB3da", null],
];

/** Factories of MetaMorpho 1.0 and 1.1. Sources: morpho-org/metamorpho, DefiLlama. */
export const metaMorphoFactories: readonly FactoryAddress[] = [
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

/** Factories of Morpho Vault V2. Source: morpho-org/vault-v2. */
export const morphoV2Factories: readonly FactoryAddress[] = [
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

/** Factories of Silo v2. Source: silo-contracts-v2. */
export const siloFactories: readonly FactoryAddress[] = [
  [1, "0x22a3cF6149bFa611bAFc89Fd721918EC3Cf7b581", 22616413],
  [10, "0xFa773e2c7df79B43dc4BCdAe398c5DCA94236BC5", null],
  [146, "0x4e9dE3a64c911A37f7EB2fCb06D1e68c3cBe9203", 25244110],
  [146, "0xa42001D6d2237d2c74108FE360403C4b796B7170", 2672166],
  [42161, "0x384DC7759d35313F0b567D42bf2f611B285B657C", 334531851],
  [43114, "0x92cECB67Ed267FF98026F814D813fDF3054C6Ff9", 64050356],
];

/** Groups the addresses of factories by chain id. The factories of a chain keep their order. */
export function factoriesByChain(factories: readonly FactoryAddress[]): Record<number, Address[]> {
  const byChain: Record<number, Address[]> = {};
  for (const [chainId, address] of factories) byChain[chainId] = [...(byChain[chainId] ?? []), address];
  return byChain;
}
