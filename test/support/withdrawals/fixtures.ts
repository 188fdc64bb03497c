import { type Address, zeroAddress, zeroHash } from "viem";
import type { ChainClient } from "../../../src/chains/chain-client.ts";
import type { ChainDefinition } from "../../../src/chains/chain-definitions.ts";
import { orderDeadline } from "../../../src/orders/order-floors.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { adapterOf } from "../../../src/vaults/families/vault-families.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { type ExitTerms, unknownExitTerms, type VaultExits } from "../../../src/vaults/vault-exits.ts";
import type { Exit } from "../../../src/withdrawals/exit-calldata.ts";
import type { ExitFacts, ExitWay } from "../../../src/withdrawals/exit-preflight.ts";
import type { ExpectedWithdrawal } from "../../../src/withdrawals/verify-withdrawal.ts";
import type { WithdrawalOrder } from "../../../src/withdrawals/withdrawal-order.ts";
import { contractsClient } from "../chains/multicall.ts";
import { testChain } from "../chains/rpc-node.ts";
import { REF, TRACKING_ID, USER, vault, WETH } from "../deposits/fixtures.ts";

/** Shares that the user of the fixtures holds, and the vault's payment for them (`WORTH`). */
export const HELD = 100n * 10n ** 18n;
export const WORTH = 125_000_000n;
export const READ_AT = 1_767_323_000;
/** The chain of the fixtures, which has a wrapped native token, and a second chain. */
export const home: ChainDefinition = { ...testChain, wrappedNative: WETH };
export const away: ChainDefinition = { ...home, chainId: 31338, name: "Elsewhere", key: "els" };

const nothing = () => ({ ok: false, data: "0x" }) as const;
export const clientOf = (definition: ChainDefinition): ChainClient =>
  contractsClient(nothing, { definition });

/** Returns the withdrawals of a vault's family. */
export function exitsFor(of: Vault): VaultExits {
  const { exits } = adapterOf(of);
  if (exits === undefined) throw new Error(`${of.adapter} has no way out`);
  return exits;
}

/** Returns an order for a withdrawal of all shares in the vault's asset, with changes. */
export function orderOf(change: Partial<WithdrawalOrder> = {}): WithdrawalOrder {
  const left = change.vault ?? vault;
  const client = clientOf(home);
  return {
    ...{ client, vault: left, exits: exitsFor(left), user: USER, shares: "all" },
    to: { client, chainId: home.chainId, token: left.asset.address },
    ...{ slippage: 0.005, mode: "auto", preferredBridge: null, routed: true },
    ...{ trackingId: TRACKING_ID, ref: REF },
    ...{ authorize: { way: "approve", submitter: USER }, signed: false },
    ...{ partnerId: "", partnerHash: zeroHash, partnerType: 0, partnerAddress: null, partnerVerified: false },
    ...change,
  };
}

/** Conditions of a vault that pays `WORTH` for all shares. */
export const paying: ExitTerms = {
  ...unknownExitTerms,
  ...{ asset: vault.asset.address, heldShares: HELD, maxShares: HELD },
  ...{ previewAssets: WORTH, grossAssets: WORTH },
};

/** Returns a redemption path, through the Router by default. */
export function exitWayOf(order: WithdrawalOrder, change: Partial<ExitWay> = {}): ExitWay {
  const via = change.via ?? "router";
  const token = change.token ?? order.vault.asset;
  return {
    ...{ mode: "instant", token, pays: true, via, terms: paying },
    spender: via === "router" ? depositRouterAddress : null,
    ...change,
  };
}

/** Returns a redemption to encode, with a minimum payment of 124 units. */
export function exitOf(order: WithdrawalOrder, change: Partial<Exit> = {}): Exit {
  return {
    ...{ order, way: exitWayOf(order), shares: order.shares === "all" ? HELD : order.shares },
    ...{ minAssets: MIN_ASSETS, warnings: [], deadline: orderDeadline(READ_AT) },
    ...change,
  };
}
export const MIN_ASSETS = 124_000_000n;

/** Returns the expected contents of a redemption, for its verification. */
export function expectedWithdrawalOf({ order, way, minAssets }: Exit): ExpectedWithdrawal {
  return { order, mode: way.mode, held: HELD, readAt: READ_AT, least: minAssets, pays: way.pays };
}

/** Returns the on-chain state of a user who holds `HELD` shares and has approved nothing. */
export function factsOf(order: WithdrawalOrder, ways: readonly ExitWay[]): ExitFacts {
  return {
    ...{ shares: order.shares === "all" ? HELD : order.shares, balance: HELD, nativeBalance: 10n ** 18n },
    allowances: new Map([[depositRouterAddress.toLowerCase(), 0n]]),
    authorization: null,
    ...{ block: { number: 1_234, timestamp: READ_AT }, price: { assets: WORTH, shares: HELD }, ways },
  };
}

/** Address for the adapter parameters of vaults whose redemption differs from ERC-4626's `redeem`. */
export const PARAMETER_ADDRESS: Address = "0x1111111111111111111111111111111111111111";
export const familyVault = (adapter: string, params: Readonly<Record<string, string>> = {}): Vault => ({
  ...vault,
  ...{ adapter, params },
});
export const NOBODY = zeroAddress;
