import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector, zeroAddress } from "viem";
import { createQuery, mapQuery, type Query, read, readThen } from "../../../chains/chain-reads.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { mellowPrices } from "./mellow-pricing.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

const depositsAbi = once(() =>
  parseAbi([
    "event Deposited(address indexed account, address indexed referral, uint224 assets, uint256 shares, uint256 feeShares)",
    "event DepositRequested(address indexed account, address indexed referral, uint224 assets, uint32 timestamp)",
    "event DepositRequestCanceled(address indexed account, uint256 assets, uint32 timestamp)",
    "event DepositRequestClaimed(address indexed account, uint256 shares, uint32 timestamp)",
  ]),
);
const redemptionsAbi = once(() =>
  parseAbi([
    "event Redeemed(address indexed account, uint256 shares, uint256 assets, uint256 feeShares)",
    "event RedeemRequested(address indexed account, uint256 shares, uint256 timestamp)",
    "event RedeemRequestClaimed(address indexed account, address indexed receiver, uint256 assets, uint32 timestamp)",
  ]),
);
const sharesAbi = once(() =>
  parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
);
const locksAbi = once(() => parseAbi(["event Lock(address account, uint256 value)"]));
const queueAbi = once(() => parseAbi(["function asset() view returns (address)"]));
const flowsAbi = once(() => [...depositsAbi(), ...redemptionsAbi(), ...sharesAbi(), ...locksAbi()] as const);

type FlowEvent = ReturnType<typeof decodeEventLog<ReturnType<typeof flowsAbi>>>;

/**
 * Returns the events from which a Core vault's deposits and withdrawals are indexed, in all tokens. A deposit request
 * counts when it is made, its shares when they are claimed, and its cancellation as a withdrawal. A redemption request
 * takes its shares with the fee, which the share manager locks, when it is made at a known queue, and counts when it is
 * claimed. Without known redemption queues, each burn of shares counts as a withdrawal. Throws an Error for an invalid queue address.
 */
export function mellowFlows(vault: Vault): FlowSource {
  const payers = queuesParam(vault, "other_redeem_queues");
  const takers = queuesParam(vault, "other_deposit_queues");
  const others = [...takers, ...payers];
  // Deposits of other tokens may be missing: sums of the amounts that are found would be wrong.
  const lacking = payers.length > 0 && vault.params["other_deposit_queues"] === undefined;
  // Other contracts than those of a complete row, so that the history is read again once the row is.
  const queues = lacking ? [] : [...queuesParam(vault, "redeem_queues"), ...payers];
  const depositQueues = [vault.entryPoint, ...queuesParam(vault, "deposit_queues"), ...takers];
  // Without redemption queues in the registry entry, burned shares count as withdrawals.
  const known = queues.length > 0;
  const out = [vault.shareToken, ...queues];
  const abi = [...depositsAbi(), ...(known ? [...redemptionsAbi(), ...locksAbi()] : sharesAbi())];
  const emittersOf = ({ eventName }: FlowEvent): readonly Address[] => {
    if (eventName.startsWith("Deposit")) return depositQueues;
    if (eventName === (known ? "Lock" : "Transfer")) return [vault.shareToken];
    return eventName === "Lock" || eventName === "Transfer" ? [] : queues;
  };
  return {
    addresses: [...depositQueues, ...out],
    ...(known && { takesRequested: true, paysUnseen: true }),
    namesCaller: true,
    topics: abi.map(toEventSelector),
    decode(log) {
      const isFrom = (emitters: readonly Address[]) =>
        emitters.some((emitter) => isAddressEqual(log.address, emitter));
      try {
        const event = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        if (!isFrom(emittersOf(event))) return null;
        const flow = flowOf(event);
        if (flow === null || flow.assets === null || flow.assets === 0n) return flow;
        if (lacking) return { ...flow, assets: null };
        if (!isFrom(others)) return flow;
        return { ...flow, assets: null, conversion: valueInAsset(vault, log.address, flow.assets) };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

/** Returns a query for the value in the vault's asset of what a queue took or paid in its token; null if unknown. */
function valueInAsset(vault: Vault, queue: Address, amount: bigint): Query<bigint | null> {
  return readThen({ asset: read({ to: queue, abi: queueAbi(), name: "asset" }) }, ({ asset }) =>
    asset.ok
      ? mapQuery(mellowPrices(vault, [asset.value]), (prices) => prices.toAsset(asset.value, amount))
      : createQuery({}, () => null),
  );
}

function flowOf(event: FlowEvent): VaultFlow | null {
  switch (event.eventName) {
    case "Deposited": {
      const { account: user, assets, shares } = event.args;
      return { kind: "deposit", user, assets, shares };
    }
    case "DepositRequested":
      return { kind: "deposit", user: event.args.account, assets: event.args.assets, shares: 0n };
    case "DepositRequestCanceled":
      return { kind: "withdrawal", user: event.args.account, assets: event.args.assets, shares: 0n };
    case "DepositRequestClaimed":
      return {
        kind: "deposit",
        user: event.args.account,
        assets: 0n,
        shares: event.args.shares,
        sharesOnly: true,
      };
    case "Redeemed": {
      const { account: user, assets, shares } = event.args;
      return { kind: "withdrawal", user, assets, shares };
    }
    case "RedeemRequestClaimed":
      return { kind: "withdrawal", user: event.args.account, assets: event.args.assets, shares: 0n };
    case "Lock": {
      const { account: user, value: shares } = event.args;
      return { kind: "withdrawal", user, assets: 0n, shares, sharesOnly: true, request: "taken" };
    }
    case "RedeemRequested": {
      // Its shares are those after the fee. It shows that a known queue had them locked.
      const { account: user } = event.args;
      return { kind: "withdrawal", user, assets: 0n, shares: 0n, sharesOnly: true, request: "made" };
    }
    case "Transfer": {
      const { from, to, value } = event.args;
      const burned = isAddressEqual(to, zeroAddress);
      return burned ? { kind: "withdrawal", user: from, assets: null, shares: value } : null;
    }
  }
}
