/** Lists the contracts that the build compiles and the file that each result goes to. */

/** A shipped contract; its artifact is committed beside its source. Paths are relative to the repository. */
export interface ShippedTarget {
  source: string;
  contract: string;
  output: string;
  /** Parts of the compiler's output to export. */
  exports: readonly ("Abi" | "CreationCode" | "RuntimeCode")[];
  /**
   * Set for a contract that has the same address on every chain. The artifact then contains its address and deployed
   * code.
   */
  create2?: { factory: `0x${string}`; salt: `0x${string}` };
  /** The contract that its constructor creates, with its source. */
  child?: { source: string; contract: string };
}

/**
 * Stand-ins for third-party contracts on the local stack. They become the module `#stand-ins/<name>`. Paths are
 * relative to the repository.
 */
export interface StandInTarget {
  name: string;
  sources: readonly string[];
  /** Contracts of these sources to export, under their own names. */
  contracts: readonly string[];
  /**
   * Runs to optimize for, if the gas use is displayed and should be close to that of the real contracts; absent: not
   * optimized.
   */
  optimizerRuns?: number;
}

/** The shipped contracts. */
export const shippedTargets: readonly ShippedTarget[] = [
  {
    source: "src/router/DepositRouter.sol",
    contract: "DepositRouter",
    output: "src/router/deposit-router-artifact.ts",
    exports: ["Abi", "CreationCode", "RuntimeCode"],
    create2: {
      factory: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
      salt: "0x0000000000000000000000000000000000000000000000000000000000000000",
    },
    child: { source: "src/router/Executor.sol", contract: "Executor" },
  },
  {
    source: "src/vaults/lens/PositionLens.sol",
    contract: "PositionLens",
    output: "src/vaults/lens/position-lens-artifact.ts",
    exports: ["CreationCode"],
  },
  {
    source: "src/chains/aggregator/Aggregator.sol",
    contract: "Aggregator",
    output: "src/chains/aggregator/aggregator-artifact.ts",
    exports: ["CreationCode"],
  },
  {
    source: "src/chains/aggregator/ListSearch.sol",
    contract: "ListSearch",
    output: "src/chains/aggregator/list-search-artifact.ts",
    exports: ["CreationCode"],
  },
  {
    source: "src/chains/simulator/CallSimulator.sol",
    contract: "CallSimulator",
    output: "src/chains/simulator/call-simulator-artifact.ts",
    exports: ["Abi", "RuntimeCode"],
  },
];

const folder = "scripts/stack/contracts";

/** The stand-ins for third-party contracts. */
export const standInTargets: readonly StandInTarget[] = [
  {
    name: "standard",
    sources: [`${folder}/Tokens.sol`, `${folder}/Vaults.sol`],
    contracts: [
      "StackToken",
      "NoReturnToken",
      "FeeToken",
      "WrappedNative",
      "OpenZeppelinVault",
      "SolmateVault",
      "PausableVault",
      "CappedVault",
      "MinimumVault",
      "CallerVault",
    ],
    optimizerRuns: 200,
  },
  {
    name: "lifi",
    sources: [
      `${folder}/lifi/Diamond.sol`,
      `${folder}/lifi/Erc20Proxy.sol`,
      `${folder}/lifi/Executor.sol`,
      `${folder}/lifi/ReceiverAcross.sol`,
      `${folder}/lifi/FeeForwarder.sol`,
      `${folder}/lifi/Stargate.sol`,
      `${folder}/lifi/Circle.sol`,
      `${folder}/Exchange.sol`,
    ],
    contracts: [
      "Diamond",
      "Erc20Proxy",
      "Executor",
      "ReceiverAcross",
      "FeeForwarder",
      "LayerZeroEndpoint",
      "TokenMessaging",
      "StargatePool",
      "ReceiverStargate",
      "CircleTransmitter",
      "CircleBridgeProxy",
      "Exchange",
    ],
  },
  {
    name: "prices",
    sources: [`${folder}/prices/PriceFeed.sol`],
    contracts: ["PriceFeed"],
  },
  {
    name: "kyber",
    sources: [`${folder}/kyber/MetaAggregationRouter.sol`],
    contracts: ["MetaAggregationRouter", "AggregationExecutor"],
  },
  {
    name: "velora",
    sources: [`${folder}/velora/AugustusV6.sol`],
    contracts: ["AugustusV6", "AugustusExecutor"],
  },
  {
    name: "veda",
    sources: [`${folder}/veda/Veda.sol`, `${folder}/veda/VedaExits.sol`],
    contracts: [
      "VedaVault",
      "VedaAccountant",
      "VedaStreamingAccountant",
      "VedaTellerA",
      "VedaTellerB",
      "VedaTellerC",
      "VedaTellerD",
      "VedaTellerStreaming",
      "VedaWithdrawQueue",
      "VedaDelayedWithdraw",
    ],
  },
  {
    name: "midas",
    sources: [`${folder}/midas/Midas.sol`],
    contracts: [
      "MidasAccess",
      "MidasToken",
      "MidasFeed",
      "MidasDepositVaultOld",
      "MidasDepositVault",
      "MidasRedemptionVault",
    ],
  },
  {
    name: "mellow",
    sources: [`${folder}/mellow/Mellow.sol`],
    contracts: [
      "MellowOracle",
      "MellowFeeManager",
      "MellowShareManager",
      "MellowVault",
      "MellowSyncDepositQueue",
      "MellowDepositQueue",
      "MellowSyncRedeemQueue",
      "MellowRedeemQueue",
    ],
  },
  {
    name: "lending",
    sources: [`${folder}/lending/Lending.sol`],
    contracts: [
      "EulerVault",
      "EulerEarnVault",
      "YearnVault",
      "YearnStrategy",
      "ReservePool",
      "StataToken",
      "SavingsToken",
      "GearboxPool",
      "FluidToken",
      "SiloVault",
    ],
  },
  {
    name: "registers",
    sources: [`${folder}/registers/Registers.sol`],
    contracts: [
      "LendingFactory",
      "MetaMorphoFactory",
      "SiloFactory",
      "GovernedPerspective",
      "HostileVault",
      "OneKeyProxy",
    ],
  },
  {
    name: "cheating",
    sources: [`${folder}/cheating/CheatingVaults.sol`],
    contracts: ["CheatingVault", "CheatingQueue"],
  },
  {
    name: "morpho-v2",
    sources: [`${folder}/morpho-v2/VaultV2.sol`],
    contracts: ["VaultV2"],
  },
  {
    name: "waiting",
    sources: [`${folder}/waiting/Waiting.sol`, `${folder}/waiting/MapleQueues.sol`],
    contracts: [
      ...["CooldownVault", "MaplePool", "MaplePoolManager", "MapleWithdrawalManager", "MapleSingleQueue"],
      ...["MapleMultiQueue", "QueueingVault", "RequestingVault"],
    ],
  },
  {
    name: "closing",
    sources: [`${folder}/closing/ClosingVaults.sol`],
    contracts: ["StakedReceipt", "Tranche", "TrancheCdo"],
  },
  {
    name: "ipor",
    sources: [`${folder}/ipor/PlasmaVault.sol`],
    contracts: ["PlasmaAccessManager", "PlasmaVault", "PlasmaWithdrawManager"],
  },
  {
    name: "mellow-lrt",
    sources: [`${folder}/mellow-lrt/SimpleLrt.sol`],
    contracts: ["SimpleLrt", "MultiLrt", "InstantLrt", "LrtQueue"],
  },
  {
    name: "upshift",
    sources: [`${folder}/upshift/TokenizedVault.sol`],
    contracts: ["TokenizedVault", "Whitelist", "LegacyTokenizedVault"],
  },
  {
    name: "accountable",
    sources: [`${folder}/accountable/AccountableVault.sol`],
    contracts: ["AccountableStrategy", "AccountableVault"],
  },
  {
    name: "erc7540",
    sources: [`${folder}/erc7540/Requests.sol`],
    contracts: [
      "LagoonVault",
      "LagoonVaultV6",
      "CentrifugeShare",
      "CentrifugeAsyncVault",
      "CentrifugeSyncVault",
    ],
  },
  {
    name: "authorization",
    sources: [`${folder}/authorization/FiatToken.sol`, `${folder}/authorization/Permit2.sol`],
    contracts: ["FiatToken", "Permit2"],
    optimizerRuns: 200,
  },
];
