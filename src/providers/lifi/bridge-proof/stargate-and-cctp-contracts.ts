import { type Address, isAddressEqual } from "viem";

/**
 * A Stargate pool on one chain. It takes in its token for transfers to other chains and pays it out for
 * transfers from them.
 */
export interface StargatePool {
  /** Stargate's id of the asset: 1 for USDC, 2 for USDT, 13 for ETH. */
  assetId: number;
  pool: Address;
  /** The pool's token; the zero address if it is the chain's native currency. */
  token: Address;
  decimals: number;
}

/** Stargate V2's contracts on one chain, and the LayerZero contracts that they use. */
export interface StargateContracts {
  /** LayerZero's endpoint id of the chain. */
  endpointId: number;
  /** LayerZero's endpoint contract, which starts the call that follows a delivery. */
  endpoint: Address;
  /**
   * Stargate's TokenMessaging contract, which sells tickets for its buses (batches of transfers) and emits an
   * event when a bus departs; null if its address is unknown.
   */
  messaging: Address | null;
  pools: readonly StargatePool[];
}

/** Contracts of CCTP V2, Circle's bridge for USDC, on one chain. */
export interface CctpContracts {
  /** Circle's domain id of the chain. */
  domain: number;
  /**
   * The MessageTransmitter contract, which emits the message of a burn on the source chain and receives it
   * for the mint on the destination chain.
   */
  transmitter: Address;
  /** Circle's native USDC, which is burned and minted. It has six decimals on every chain. */
  usdc: Address;
}

const NATIVE: Address = "0x0000000000000000000000000000000000000000";
const LAYERZERO_ENDPOINT: Address = "0x1a44076050125825900e736c501f859c50fE728c";
const CCTP_MESSAGE_TRANSMITTER: Address = "0x81D40F21F12A8F0E3252Bccb954D722d4c464B64";

type TokenAndPool = readonly [token: Address, pool: Address];

const stargateOn = (
  endpointId: number,
  contracts: {
    messaging: Address;
    usdc?: TokenAndPool;
    usdt?: TokenAndPool;
    eth?: TokenAndPool;
    decimals?: number;
  },
): StargateContracts => {
  const row = (assetId: number, pair: TokenAndPool | undefined, decimals: number): StargatePool[] =>
    pair === undefined ? [] : [{ assetId, token: pair[0], pool: pair[1], decimals }];
  const { messaging, usdc, usdt, eth, decimals = 6 } = contracts;
  const pools = [...row(1, usdc, decimals), ...row(2, usdt, decimals), ...row(13, eth, 18)];
  return { endpointId, endpoint: LAYERZERO_ENDPOINT, messaging, pools };
};

/**
 * Stargate V2's contracts by chain id. Sources: stargate-protocol/stargate-v2, packages/stg-evm-v2/deployments and
 * packages/stg-definitions-v2; the pools of asset 13 were also read on chain (2026-09).
 */
export const stargateContracts: Readonly<Record<number, StargateContracts>> = {
  1: stargateOn(30101, {
    messaging: "0x6d6620eFa72948C5f68A3C8646d58C00d3f4A980",
    usdc: ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "0xc026395860Db2d07ee33e05fE50ed7bD583189C7"],
    usdt: ["0xdAC17F958D2ee523a2206206994597C13D831ec7", "0x933597a323Eb81cAe705C5bC29985172fd5A3973"],
    eth: [NATIVE, "0x77b2043768d28E9C9aB44E1aBfC95944bcE57931"],
  }),
  10: stargateOn(30111, {
    messaging: "0xF1fCb4CBd57B67d683972A59B6a7b1e2E8Bf27E6",
    usdc: ["0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "0xcE8CcA271Ebc0533920C83d39F417ED6A0abB7D0"],
    usdt: ["0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", "0x19cFCE47eD54a88614648DC3f19A5980097007dD"],
    eth: [NATIVE, "0xe8CDF27AcD73a434D661C84887215F7598e7d0d3"],
  }),
  56: stargateOn(30102, {
    messaging: "0x6E3d884C96d640526F273C61dfcF08915eBd7e2B",
    usdc: ["0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "0x962Bd449E630b0d928f308Ce63f1A21F02576057"],
    usdt: ["0x55d398326f99059fF775485246999027B3197955", "0x138EB30f73BC423c6455C53df6D89CB01d9eBc63"],
    decimals: 18,
  }),
  100: stargateOn(30145, {
    messaging: "0xAf368c91793CB22739386DFCbBb2F1A9e4bCBeBf",
    usdc: ["0x2a22f9c3b484c3629090FeED35F17Ff8F88f76F0", "0xB1EeAD6959cb5bB9B20417d6689922523B2B86C3"],
    eth: ["0x6A023CCd1ff6F2045C3309768eAd9E68F978f6e1", "0xe9aBA835f813ca05E50A6C0ce65D0D74390F7dE7"],
  }),
  137: stargateOn(30109, {
    messaging: "0x6CE9bf8CDaB780416AD1fd87b318A077D2f50EaC",
    usdc: ["0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "0x9Aa02D4Fae7F58b8E8f34c66E756cC734DAc7fe4"],
    usdt: ["0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "0xd47b03ee6d86Cf251ee7860FB2ACf9f91B9fD4d7"],
  }),
  8453: stargateOn(30184, {
    messaging: "0x5634c4a5FEd09819E3c46D86A965Dd9447d86e47",
    usdc: ["0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "0x27a16dc786820B16E5c9028b75B99F6f604b5d26"],
    eth: [NATIVE, "0xdc181Bd607330aeeBEF6ea62e03e5e1Fb4B6F7C7"],
  }),
  42161: stargateOn(30110, {
    messaging: "0x19cFCE47eD54a88614648DC3f19A5980097007dD",
    usdc: ["0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "0xe8CDF27AcD73a434D661C84887215F7598e7d0d3"],
    usdt: ["0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "0xcE8CcA271Ebc0533920C83d39F417ED6A0abB7D0"],
    eth: [NATIVE, "0xA45B5130f36CDcA45667738e2a258AB09f4A5f7F"],
  }),
  43114: stargateOn(30106, {
    messaging: "0x17E450Be3Ba9557F2378E20d64AD417E59Ef9A34",
    usdc: ["0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E", "0x5634c4a5FEd09819E3c46D86A965Dd9447d86e47"],
    usdt: ["0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7", "0x12dC9256Acc9895B076f6638D628382881e62CeE"],
  }),
};

const cctpOn = (domain: number, usdc: Address): CctpContracts => ({
  domain,
  transmitter: CCTP_MESSAGE_TRANSMITTER,
  usdc,
});

/**
 * CCTP V2's contracts by chain id. Source: developers.circle.com, contract addresses, supported domains, USDC
 * addresses.
 */
export const cctpContracts: Readonly<Record<number, CctpContracts>> = {
  1: cctpOn(0, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
  10: cctpOn(2, "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
  137: cctpOn(7, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
  143: cctpOn(15, "0x754704Bc059F8C67012fEd69BC8A327a5aafb603"),
  999: cctpOn(19, "0xb88339CB7199b77E23DB6E890353E22632Ba630f"),
  8453: cctpOn(6, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
  42161: cctpOn(3, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
  43114: cctpOn(1, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
};

/** Returns the Stargate pool of an asset (by Stargate's id) on one chain, or null if there is none. */
export function stargatePoolOf(contracts: StargateContracts | null, assetId: number): StargatePool | null {
  return contracts?.pools.find((pool) => pool.assetId === assetId) ?? null;
}

/** Returns true if a chain has a Stargate pool for the given token; the zero address is the native currency. */
export function hasStargatePool(contracts: StargateContracts | null, token: Address): boolean {
  return contracts?.pools.some((pool) => isAddressEqual(pool.token, token)) ?? false;
}
