import { type Hex, hexToBigInt, parseAbi, size } from "viem";
import { createQuery, mapQuery, type Query, queryAll, read, valueOrNull } from "../../chains/chain-reads.ts";
import { once } from "../../lib/once.ts";
import { curationEvents } from "../governance/common-governance-events.ts";
import type { Vault } from "../vault.ts";
import type { TermsInput, VaultFamily } from "../vault-adapter.ts";
import type { VaultExits } from "../vault-exits.ts";
import { FEE_UNITS, toFraction } from "../vault-fee-rates.ts";
import { addressParam } from "../vault-params.ts";
import { defineErc4626 } from "./erc4626-base/erc4626-adapter.ts";
import { cooldownDepositViews } from "./erc4626-base/erc4626-cooldowns.ts";
import { erc4626Deriver } from "./erc4626-base/erc4626-derivation.ts";
import { exitSwitches } from "./erc4626-base/erc4626-exit-switches.ts";
import { erc4626Exits } from "./erc4626-base/erc4626-exits.ts";
import { erc4626Flows, requestingFlows } from "./erc4626-base/erc4626-flow-events.ts";
import type { FamilyViews } from "./erc4626-base/erc4626-variant-views.ts";
import {
  checkWaitingParams,
  identifyWaiting,
  waitingExits,
  waitOf,
} from "./erc4626-base/erc4626-waiting-exits.ts";
import { yoExits } from "./erc4626-base/yo-exits.ts";
import { erc7540Exits } from "./erc7540/erc7540-exits.ts";
import {
  cancelCall,
  cancellations,
  hasCancellations,
  NOTHING_CANCELLED,
  pendingCancellation,
} from "./erc7540/erc7887-cancellations.ts";
import { mapleDepositViews } from "./maple/maple-deposits.ts";

// What stops deposits often leaves withdrawals open, so only the simulation shows whether a pause concerns them.
const waiting = waitingExits(erc4626Exits({ charges: true, switches: exitSwitches }));
/**
 * Redemptions on request of a generic ERC-4626 vault with ERC-7540 redemptions. While a cancellation by EIP-7887 is
 * pending, new requests are refused. Sources: EIP-7540, EIP-7887.
 */
const requested = erc7540Exits({
  numbered: true,
  // The reference with a time lock replaces an open request by the next one.
  replaces: true,
  views: (vault, { owner }) =>
    mapQuery(
      queryAll({ has: hasCancellations(vault), cancelling: pendingCancellation(vault, { user: owner }) }),
      // Nothing shows what a vault of unknown code keeps when it settles.
      ({ has, cancelling }) => ({
        grossAssets: null,
        refusal: has && cancelling === true ? "request_pending" : null,
      }),
    ),
  requests: (vault, { user }) =>
    mapQuery(
      queryAll({ has: hasCancellations(vault), cancelled: cancellations(vault, { user }) }),
      ({ has, cancelled }) => (has ? cancelled : NOTHING_CANCELLED),
    ),
  cancel: cancelCall,
});

function exitsOf(vault: Vault): VaultExits {
  const wait = waitOf(vault);
  return wait === "erc7540" ? requested : wait === "yo" ? yoExits : waiting;
}

/**
 * Exits of generic ERC-4626 vaults: those of ERC-7540 for vaults that redeem on request, Yo's for its vaults, otherwise
 * `waitingExits`.
 */
const exits: VaultExits = {
  ...waiting,
  modes: (vault) => exitsOf(vault).modes(vault),
  viaRouter: (vault, mode) => exitsOf(vault).viaRouter(vault, mode),
  terms: (vault, request) => exitsOf(vault).terms(vault, request),
  exitPrice: (vault, now) => exitsOf(vault).exitPrice?.(vault, now) ?? createQuery({}, () => null),
  encode: (vault, request) => exitsOf(vault).encode(vault, request),
  // The vaults of the standard's reference move the shares by an allowance to themselves.
  mayNeedAllowance: (vault, mode) =>
    mode === "request" && waitOf(vault) === "erc7540" ? vault.entryPoint : null,
  explain: (revert) => yoExits.explain?.(revert) ?? waiting.explain?.(revert) ?? null,
  paysUnclaimed: (mode, vault, variant) => exitsOf(vault).paysUnclaimed?.(mode, vault, variant) ?? false,
  pending: (vault, of) => exitsOf(vault).pending?.(vault, of) ?? { reads: {}, interpret: () => [] },
  openShares: (vault, user) => exitsOf(vault).openShares?.(vault, user) ?? [],
  claim: (vault, of) => exitsOf(vault).claim?.(vault, of) ?? null,
  findsByIds: (vault) => exitsOf(vault).findsByIds?.(vault) ?? false,
  returnsLater: (vault) => waitOf(vault) === "erc7540",
  // The claim of a request, and not the request, counts as a withdrawal of its shares.
  takenShares: () => 0n,
  cancel: (vault, of) => exitsOf(vault).cancel?.(vault, of) ?? null,
  // The holder of a cooldown, or of a request to Yo's vaults, cannot take it back.
  cancels: (vault) => ["maple", "erc7540"].includes(waitOf(vault) ?? ""),
  findRequest: (vault, seen) => exitsOf(vault).findRequest?.(vault, seen) ?? null,
  findSettlement: (vault, seen) => exitsOf(vault).findSettlement?.(vault, seen) ?? null,
  settlesUnnamed: (vault) => exitsOf(vault).settlesUnnamed?.(vault) ?? false,
};

/** Returns the query for why a vault whose withdrawals wait takes no deposits; null if only common views show it. */
function depositViews(vault: Vault, request: TermsInput | null): Query<FamilyViews> | null {
  const wait = waitOf(vault);
  if (wait === "maple") return mapleDepositViews(vault, request);
  return wait === "cooldown" && request !== null ? cooldownDepositViews(vault, request) : null;
}

/**
 * Adapter of ERC-4626 vaults that belong to no other family. Withdrawals are instant, but may wait in vaults with a
 * cooldown, a withdrawal queue or requests, which `identifyWaiting` detects. Source: EIP-4626.
 */
export const erc4626 = defineErc4626({
  name: "erc4626",
  checkParams: checkWaitingParams,
  pausable: true,
  limitsToBalance: true,
  ratio: true,
  views: depositViews,
  exits,
  flows: (vault) =>
    waitOf(vault) === "erc7540"
      ? requestingFlows(vault)
      : erc4626Flows(vault, addressParam(vault, "withdrawal_manager")),
});

const feesAbi = once(() =>
  parseAbi([
    "function performanceFee() view returns (uint256)",
    "function fee() view returns (uint256)",
    "function managementFee() view returns (uint256)",
  ]),
);

/** Decodes an answer of one word. Throws a RangeError for a longer one: Concrete's starts with the fee's recipient. */
function decodeWord(data: Hex): bigint {
  if (size(data) !== 32) throw new RangeError("the answer is not one word");
  return hexToBigInt(data);
}

/**
 * Returns a query for a fee in an unknown unit, from the first of the views that responds with one word: value / 10^18
 * if that is at least 1, because such a value is 100% or more in every usual unit, otherwise null.
 */
function genericFeeQuery(
  { address }: Vault,
  names: readonly ("performanceFee" | "fee" | "managementFee")[],
): Query<number | null> {
  const on = { to: address, abi: feesAbi() } as const;
  const reads = Object.fromEntries(
    names.map((name) => [name, { ...read({ ...on, name }), decode: decodeWord }]),
  );
  return createQuery(reads, (results) => {
    const value = Object.values(results).find(({ ok }) => ok);
    const fee = value === undefined ? null : valueOrNull(value);
    return fee !== null && fee >= FEE_UNITS.wad ? toFraction(fee, FEE_UNITS.wad) : null;
  });
}

/**
 * Vault family of the ERC-4626 vaults that belong to no other family, with the governance events of MetaMorpho's forks,
 * such as Silo's managed vaults.
 */
export const erc4626Family: VaultFamily = {
  adapter: erc4626,
  type: "custom",
  deriver: { ...erc4626Deriver({ identify: identifyWaiting }), conclusive: false },
  governanceEvents: curationEvents("address"),
  profitFeeQuery: (vault) => genericFeeQuery(vault, ["performanceFee", "fee"]),
  yearlyFeeQuery: (vault) => genericFeeQuery(vault, ["managementFee"]),
  instantWithdrawals: true,
};
