import type { Address } from "viem";
import { knownChains } from "../../chains/chain-definitions.ts";
import { AppError } from "../../errors.ts";
import { type BridgedAsset, bridgedAssets } from "../provider-bridged-assets.ts";
import {
  type CctpContracts,
  cctpContracts,
  type StargateContracts,
  stargateContracts,
} from "./bridge-proof/stargate-and-cctp-contracts.ts";
import type { BridgeFacet } from "./lifi-bridges.ts";

/** LI.FI's own contracts on one chain, without those of the bridges it uses. */
interface LifiContracts {
  /** The Diamond, the contract that users call and approve for swaps and bridge transfers. */
  diamond: Address;
  /**
   * The Executor, which makes contract calls: users call it for a call on one chain, and it makes the
   * destination call after a bridge transfer.
   */
  executor: Address;
  /**
   * The proxy through which the Executor takes ERC-20 tokens: the contract that users approve for a contract
   * call on one chain.
   */
  erc20Proxy: Address;
  /** Receives Across deliveries that carry a destination call; null if it is not deployed. */
  receiverAcross: Address | null;
  /** Receives Stargate deliveries that carry a destination call; null if it is not deployed. */
  receiverStargate: Address | null;
  /**
   * LI.FI's known fee contracts, current and previous version. The exact amount of a fee is known only if it is paid
   * through one of them.
   */
  feeForwarders: readonly Address[];
  /** Maximum bridge fee that a transaction may pay on top of the amount in the native token, in wei. */
  maxNativeFee: bigint;
  /** The bridge facets of this chain's Diamond whose calldata can be decoded. */
  bridges: readonly BridgeFacet[];
}

const STANDARD_DIAMOND = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const SHARED_EXECUTOR = "0x2dfaDAB8266483beD9Fd9A292Ce56596a2D1378D";
const SHARED_PROXY = "0x5741A7FfE7c39Ca175546a54985fA79211290b51";
const SHARED_ACROSS = "0x33b255b5db44A78c34381f89f1a454bc0Ef49871";
const SHARED_STARGATE = "0x1493e7B8d4DfADe0a178dAD9335470337A3a219A";
const FEES: readonly Address[] = [
  "0xCE40449B773a3E6E5e769ADb4e567179d4828cbd",
  "0xC18D9E84b8687A2645447A61e52c455Dac1675e1",
];
const ETHER = 10n ** 18n;
const EVERY_FACET: readonly BridgeFacet[] = ["across", "stargate", "celer", "polymer"];

/**
 * LI.FI's own contracts, as pairs of chain id and contracts. Sources: lifinance/contracts deployments at ef00558f
 * (2026-08); previous fee contracts from its deployment log; facets as registered in the Diamonds in 2026-09.
 */
export const lifiContracts: readonly (readonly [number, LifiContracts])[] = [
  [
    1,
    {
      diamond: STANDARD_DIAMOND,
      executor: "0xd9B2Da9C45b118e4e93A004FB1452bCDB6cC0E88",
      erc20Proxy: "0x68E1Acfa805dcA813116Ed6507E01c38D44318f0",
      receiverAcross: "0x07Cc0a0b41641D349240e1988169Fa11b31FC24E",
      receiverStargate: "0xB539B40793171211DCA8834da044fC14bCe64BDC",
      feeForwarders: [
        "0xCE40449B773a3E6E5e769ADb4e567179d4828cbd",
        "0x685527c551Cc40ce1f1C9818cD8683307076E4eD",
      ],
      maxNativeFee: ETHER / 50n,
      bridges: EVERY_FACET,
    },
  ],
  [
    10,
    {
      diamond: STANDARD_DIAMOND,
      executor: "0xC9E66aa9b08EB667e450e072E96F7086AD9f2c91",
      erc20Proxy: "0x314bE5fcf0A204837896e6028C47A9e1FC2919c7",
      receiverAcross: "0xe417AD5eb9e919567620A48B3757cc182cCdf9e4",
      receiverStargate: "0x556701899905f2f83AcA2977D3202Ee3a80f37b7",
      feeForwarders: FEES,
      maxNativeFee: ETHER / 50n,
      bridges: EVERY_FACET,
    },
  ],
  [
    56,
    {
      diamond: STANDARD_DIAMOND,
      executor: SHARED_EXECUTOR,
      erc20Proxy: SHARED_PROXY,
      receiverAcross: SHARED_ACROSS,
      receiverStargate: SHARED_STARGATE,
      feeForwarders: FEES,
      maxNativeFee: ETHER / 10n,
      bridges: ["across", "stargate"],
    },
  ],
  [
    100,
    {
      diamond: STANDARD_DIAMOND,
      executor: SHARED_EXECUTOR,
      erc20Proxy: SHARED_PROXY,
      receiverAcross: null,
      receiverStargate: "0x0dC56076590CdF0efc37114273f02f45A96B5500",
      feeForwarders: FEES,
      maxNativeFee: 50n * ETHER,
      bridges: ["stargate"],
    },
  ],
  [
    137,
    {
      diamond: STANDARD_DIAMOND,
      executor: SHARED_EXECUTOR,
      erc20Proxy: SHARED_PROXY,
      receiverAcross: SHARED_ACROSS,
      receiverStargate: SHARED_STARGATE,
      feeForwarders: FEES,
      maxNativeFee: 200n * ETHER,
      bridges: EVERY_FACET,
    },
  ],
  [
    143,
    {
      diamond: "0x026F252016A7C47CDEf1F05a3Fc9E20C92a49C37",
      executor: "0x765FAa0FFb5557c6CcE2Ea1097d50ACfD5f5C58c",
      erc20Proxy: "0xEF3D879e24741973d7f7E78858BFA4FBB9CFa74D",
      receiverAcross: "0xeebc9F9D77b8982CDC48C995995eBB7dd74A3Dcf",
      receiverStargate: null,
      feeForwarders: [
        "0xA5971Bd73Dbb879aAaA6fEcB95Dc3fD50c2e3C25",
        "0xB401ccdA43C36935e6059C02103E9541FbA3337E",
      ],
      maxNativeFee: 0n,
      bridges: ["across", "polymer"],
    },
  ],
  [
    999,
    {
      diamond: "0x0a0758d937d1059c356D4714e57F5df0239bce1A",
      executor: "0x1F050386e23d81fC81C154a8F8616DEa3826b777",
      erc20Proxy: "0x3E8EDF9CC2591a7dB1A36DBB73A10d8746368D61",
      receiverAcross: "0xee2edD809EEddD4a944e6E4bb4A3AC0927CA02e1",
      receiverStargate: null,
      feeForwarders: [
        "0xba072Bf218314E51d5c3d254800d799840ae6a25",
        "0xb85d6B3deDc688C2aC7C71669F20Fdd1eC739e97",
      ],
      maxNativeFee: 0n,
      bridges: ["across", "polymer"],
    },
  ],
  [
    8453,
    {
      diamond: STANDARD_DIAMOND,
      executor: "0x4DaC9d1769b9b304cb04741DCDEb2FC14aBdF110",
      erc20Proxy: "0x74a55CaDb12501A3707E9F3C5dfd8b563C6A5940",
      receiverAcross: SHARED_ACROSS,
      receiverStargate: SHARED_STARGATE,
      feeForwarders: FEES,
      maxNativeFee: ETHER / 50n,
      bridges: EVERY_FACET,
    },
  ],
  [
    42161,
    {
      diamond: STANDARD_DIAMOND,
      executor: SHARED_EXECUTOR,
      erc20Proxy: SHARED_PROXY,
      receiverAcross: SHARED_ACROSS,
      receiverStargate: SHARED_STARGATE,
      feeForwarders: FEES,
      maxNativeFee: ETHER / 50n,
      bridges: EVERY_FACET,
    },
  ],
  [
    43114,
    {
      diamond: STANDARD_DIAMOND,
      executor: SHARED_EXECUTOR,
      erc20Proxy: SHARED_PROXY,
      receiverAcross: null,
      receiverStargate: SHARED_STARGATE,
      feeForwarders: FEES,
      maxNativeFee: 2n * ETHER,
      bridges: ["stargate", "celer", "polymer"],
    },
  ],
  [
    747474,
    {
      diamond: "0xC59fe32C9549e3E8B5dCcdAbC45BD287Bd5bA2bc",
      executor: "0x7Cceda1C526d2048AFD1C941326fb23d17b3a591",
      erc20Proxy: "0xd45f6CaE2838A06D99C0Aceec201E7bd2003d567",
      receiverAcross: null,
      receiverStargate: null,
      feeForwarders: [
        "0xaaa55A0157670Ff2b4CF82F5cd2C754FE54BA574",
        "0x51586Ff93Ded33DbEb6D5fA68d046Fd036251D8A",
      ],
      maxNativeFee: 0n,
      bridges: [],
    },
  ],
];

/** The contracts of LI.FI and of its bridges on one chain, against which a transaction is verified. */
export interface LifiDeployment extends LifiContracts {
  /** The chain's wrapped native token, or null if its address is not confirmed. */
  wrappedNative: Address | null;
  /** The chain's bridgeable tokens: the only ones that Across may carry after a swap. */
  assets: readonly BridgedAsset[];
  /** Stargate's contracts, or null if none are known. */
  stargate: StargateContracts | null;
  /** CCTP's contracts, or null if none are known. */
  circle: CctpContracts | null;
}

/** The contracts of LI.FI and its bridges on the source and the destination chain of a transfer. */
export interface PairDeployments {
  source: LifiDeployment;
  destination: LifiDeployment;
}

/** The contracts of LI.FI and its bridges by chain id. */
export type LifiDeployments = ReadonlyMap<number, LifiDeployment>;

const knownLifiDeployments: LifiDeployments = new Map(
  lifiContracts.map(([chainId, row]) => {
    const wrappedNative = knownChains.find((chain) => chain.chainId === chainId)?.wrappedNative ?? null;
    const bridging = {
      wrappedNative,
      assets: bridgedAssets[chainId] ?? [],
      stargate: stargateContracts[chainId] ?? null,
      circle: cctpContracts[chainId] ?? null,
    };
    return [chainId, { ...row, ...bridging }];
  }),
);

/**
 * Returns LI.FI's deployments in code together with `additions` for other chains, by chain id. Throws `internal` if an
 * addition names a chain that is defined in code, so that no setting can change an address there.
 */
export function resolveLifiDeployments(additions: LifiDeployments): LifiDeployments {
  const known = new Set(knownChains.map((chain) => chain.chainId));
  for (const chainId of additions.keys()) {
    if (!known.has(chainId)) continue;
    throw new AppError("internal", `configuration: the contracts of chain ${chainId} ship in code`);
  }
  return new Map([...knownLifiDeployments, ...additions]);
}

/** Returns the ids of the chains whose Diamond has the given bridge facet, in the order of the deployments. */
export function chainsWithFacet(deployments: LifiDeployments, facet: BridgeFacet): number[] {
  return [...deployments].filter(([, row]) => row.bridges.includes(facet)).map(([chainId]) => chainId);
}
