/** What the contract build compiles and where each result is committed. */
export interface ContractTarget {
  sources: readonly string[];
  /** Contracts of those sources to keep, by the name that the output exports them under. */
  contracts: readonly string[];
  output: string;
  optimizerRuns?: number;
  /** Set when the (only) contract has one address everywhere: the artifact then carries it and the code found there. */
  create2?: { factory: `0x${string}`; salt: `0x${string}` };
}

export const contractTargets: readonly ContractTarget[] = [
  {
    sources: ["src/router/DepositRouter.sol"],
    contracts: ["DepositRouter"],
    output: "src/router/artifact.ts",
    create2: {
      factory: "0x4e59b44847b379578588920cA78FbF26c0B4956C",
      salt: "0x0000000000000000000000000000000000000000000000000000000000000000",
    },
  },
  {
    sources: ["src/vaults/lens/PositionLens.sol"],
    contracts: ["PositionLens"],
    output: "src/vaults/lens/artifact.ts",
  },
  {
    sources: ["src/chains/aggregator/Aggregator.sol"],
    contracts: ["Aggregator"],
    output: "src/chains/aggregator/artifact.ts",
  },
  {
    sources: ["src/chains/simulator/CallSimulator.sol"],
    contracts: ["CallSimulator"],
    output: "src/chains/simulator/artifact.ts",
  },
  {
    sources: ["scripts/stack/contracts/Tokens.sol", "scripts/stack/contracts/Vaults.sol"],
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
    output: "scripts/stack/contracts/artifact.ts",
  },
  {
    sources: [
      "scripts/stack/contracts/lifi/Diamond.sol",
      "scripts/stack/contracts/lifi/Erc20Proxy.sol",
      "scripts/stack/contracts/lifi/Executor.sol",
      "scripts/stack/contracts/lifi/ReceiverAcross.sol",
      "scripts/stack/contracts/lifi/FeeForwarder.sol",
      "scripts/stack/contracts/lifi/Stargate.sol",
      "scripts/stack/contracts/lifi/Circle.sol",
      "scripts/stack/contracts/Exchange.sol",
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
    output: "scripts/stack/contracts/lifi/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/veda/Veda.sol"],
    contracts: [
      "VedaVault",
      "VedaAccountant",
      "VedaStreamingAccountant",
      "VedaTellerA",
      "VedaTellerB",
      "VedaTellerC",
      "VedaTellerD",
      "VedaTellerStreaming",
    ],
    output: "scripts/stack/contracts/veda/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/midas/Midas.sol"],
    contracts: [
      "MidasAccess",
      "MidasToken",
      "MidasFeed",
      "MidasDepositVaultOld",
      "MidasDepositVault",
      "MidasRedemptionVault",
    ],
    output: "scripts/stack/contracts/midas/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/mellow/Mellow.sol"],
    contracts: [
      "MellowOracle",
      "MellowFeeManager",
      "MellowShareManager",
      "MellowVault",
      "MellowSyncDepositQueue",
      "MellowDepositQueue",
      "MellowSyncRedeemQueue",
    ],
    output: "scripts/stack/contracts/mellow/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/lending/Lending.sol"],
    contracts: [
      "EulerVault",
      "EulerEarnVault",
      "YearnVault",
      "YearnStrategy",
      "StataToken",
      "SavingsToken",
      "GearboxPool",
      "FluidToken",
      "SiloVault",
    ],
    output: "scripts/stack/contracts/lending/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/morpho-v2/VaultV2.sol"],
    contracts: ["VaultV2"],
    output: "scripts/stack/contracts/morpho-v2/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/ipor/PlasmaVault.sol"],
    contracts: ["PlasmaAccessManager", "PlasmaVault"],
    output: "scripts/stack/contracts/ipor/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/mellow-lrt/SimpleLrt.sol"],
    contracts: ["SimpleLrt"],
    output: "scripts/stack/contracts/mellow-lrt/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/upshift/TokenizedVault.sol"],
    contracts: ["TokenizedVault", "Whitelist", "LegacyTokenizedVault"],
    output: "scripts/stack/contracts/upshift/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/accountable/AccountableVault.sol"],
    contracts: ["AccountableStrategy", "AccountableVault"],
    output: "scripts/stack/contracts/accountable/artifact.ts",
    optimizerRuns: 200,
  },
  {
    sources: ["scripts/stack/contracts/erc7540/Requests.sol"],
    contracts: [
      "LagoonVault",
      "LagoonVaultV6",
      "CentrifugeShare",
      "CentrifugeAsyncVault",
      "CentrifugeSyncVault",
    ],
    output: "scripts/stack/contracts/erc7540/artifact.ts",
    optimizerRuns: 200,
  },
];
