import { type Address, type Hex, keccak256, stringToHex, zeroAddress, zeroHash } from "viem";
import type { DepositRow } from "../../../src/db/queries/deposit-queries.ts";
import type { DepositFloors } from "../../../src/deposits/deposit-calldata.ts";
import type { DepositIntent } from "../../../src/deposits/deposit-intent.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { contractsClient } from "../chains/multicall.ts";
import { testChain } from "../chains/rpc-node.ts";

export const USER: Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
export const OTHER: Address = "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359";
export const USDC: Address = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
export const VAULT: Address = "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183";
export const WETH: Address = "0x4200000000000000000000000000000000000006";
export const TRACKING_ID = "trk_0123456789abcdef0123456789abcdef";
export const REF: Hex = keccak256(stringToHex(TRACKING_ID));
export const NOW = Date.parse("2026-01-02T03:04:05.678Z");

/** An active vault of six decimals with shares of eighteen. */
export const vault: Vault = {
  vaultId: `31337:${VAULT.toLowerCase()}`,
  chainId: testChain.chainId,
  address: VAULT,
  type: "custom",
  adapter: "erc4626",
  params: {},
  name: "Test USDC",
  asset: { address: USDC, symbol: "USDC", decimals: 6 },
  acceptedAssets: [],
  shareToken: VAULT,
  shareDecimals: 18,
  entryPoint: VAULT,
  spender: VAULT,
  pricer: VAULT,
  caller: "router",
  curator: "Test Curator",
  status: "active",
  statusReason: "",
  proof: null,
  minDeposit: null,
  noMinimum: false,
};
export const wethVault: Vault = { ...vault, asset: { address: WETH, symbol: "WETH", decimals: 18 } };
export const native = { address: zeroAddress, symbol: "ETH", decimals: 18 } as const;

/** A deposit of 100 USDC through the Router. */
export function intentOf(change: Partial<DepositIntent> = {}): DepositIntent {
  return {
    client: contractsClient(() => ({ ok: false, data: "0x" })),
    vault,
    entry: { via: "router", address: depositRouterAddress },
    user: USER,
    token: vault.asset,
    amount: 100_000_000n,
    slippage: 0.03,
    ref: REF,
    partnerHash: zeroHash,
    partnerType: 0,
    ...change,
  };
}

export const nativeIntent = intentOf({ vault: wethVault, token: native, amount: 10n ** 18n });
export const directIntent = intentOf({
  vault: { ...vault, caller: "user" },
  entry: { via: "user", address: VAULT },
});

export const floors: DepositFloors = {
  minIn: 100_000_000n,
  minShares: 99_500_000_000_000_000_000n,
  deadline: 1_767_323_945n,
};

/** The stored row of the deposit of `intentOf`, in state `built`. */
export const row: DepositRow = {
  trackingId: TRACKING_ID,
  ref: REF,
  direction: "deposit",
  state: "built",
  substatus: null,
  userAddress: USER.toLowerCase(),
  vaultChainId: testChain.chainId,
  vaultAddress: VAULT.toLowerCase(),
  shareToken: VAULT.toLowerCase(),
  fromChainId: testChain.chainId,
  fromToken: USDC.toLowerCase(),
  fromAmount: "100000000",
  estimatedShares: "100000000000000000000",
  minShares: "99500000000000000000",
  shares: null,
  receivedAmount: null,
  provider: null,
  bridge: null,
  tool: null,
  moveToken: null,
  moveExpected: null,
  moveMin: null,
  destinationCall: false,
  routerExplorer: null,
  slippage: 0.03,
  twoStep: false,
  sourceTo: depositRouterAddress.toLowerCase(),
  sourceDataHash: keccak256("0x1234"),
  builtBlock: null,
  sourceTxHash: null,
  depositTxHash: null,
  claimTxHash: null,
  destinationTxHash: null,
  refundTxHash: null,
  deliveredAmount: null,
  sourceProven: false,
  depositProven: false,
  requestId: null,
  nextCheckAt: null,
  checks: 0,
  checkedAt: null,
  parentTrackingId: null,
  partnerId: "",
  partnerType: 0,
  partnerAddress: null,
  partnerVerified: false,
  referrer: zeroAddress,
  referrerHandle: "",
  history: [{ state: "built", at: "2026-01-02T03:04:05.678Z" }],
  createdAt: new Date(NOW),
  updatedAt: new Date(NOW),
  expiresAt: new Date(NOW + 300_000),
};
