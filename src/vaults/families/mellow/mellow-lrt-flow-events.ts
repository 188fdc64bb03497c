import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { createQuery, mapQuery, type Query, queryAll, read, readThen } from "../../../chains/chain-reads.ts";
import { sameAddress } from "../../../lib/address.ts";
import { mulDivDown } from "../../../lib/amount.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { erc4626Flows } from "../erc4626-base/erc4626-flow-events.ts";
import { worthOfPart } from "./mellow-lrt-transfers.ts";
import { queuesParam } from "./mellow-redeem-queues.ts";

const queueEventsAbi = once(() =>
  parseAbi([
    "event WithdrawalRequested(address indexed account, uint256 indexed epoch, uint256 amount)",
    "event Request(address indexed account, uint256 indexed withdrawalIndex, uint256 assets, bool isSelfRequested)",
    "event Transfer(address indexed from, address indexed to, uint256 indexed epoch, uint256 shares)",
    "event Claimed(address indexed account, address indexed recipient, uint256 amount)",
  ]),
);
const queueAbi = once(() =>
  parseAbi([
    "function symbioticVault() view returns (address)",
    "function getEpochData(uint256 epoch) view returns ((bool isClaimed, uint256 sharesToClaim, uint256 claimableAssets))",
  ]),
);
const symbioticAbi = once(() =>
  parseAbi(["function withdrawalsOf(uint256 epoch, address account) view returns (uint256)"]),
);

/** Request id of the flows at the queues, which keep an account's withdrawals together. */
const ALL_REQUESTS = "0";

/**
 * Returns the events from which a vault's deposits and withdrawals are indexed. `Withdraw` counts what is queued too, so
 * the queues' events name a request: what they record for an account puts that back, and its claims take it out.
 * Throws an Error for an invalid queue address. Source: mellow-finance/simple-lrt.
 */
export function mellowLrtFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const queues = queuesParam(vault, "withdrawal_queues");
  if (queues.length === 0) return standard;
  return {
    ...standard,
    ...{ namesRequests: true, takesRequested: true, paysUnseen: true, revision: 1 },
    addresses: [...standard.addresses, ...queues],
    topics: [...standard.topics, ...queueEventsAbi().map(toEventSelector)],
    decode(log) {
      if (!queues.some((queue) => sameAddress(queue, log.address))) return standard.decode(log);
      try {
        const flow = queueFlow(vault, log);
        return flow === null ? null : { ...flow, shares: 0n, sharesOnly: true, requestId: ALL_REQUESTS };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

function queueFlow(
  vault: Vault,
  { address: queue, topics, data }: Parameters<FlowSource["decode"]>[0],
): Omit<VaultFlow, "shares"> | null {
  const { eventName, args } = decodeEventLog({ abi: queueEventsAbi(), topics, data });
  const isOwn = (account: Address): boolean => isAddressEqual(account, vault.entryPoint);
  switch (eventName) {
    case "WithdrawalRequested":
      // The amount is what Symbiotic minted: shares of the epoch, which are no longer assets once it was slashed.
      return {
        ...{ kind: "deposit", user: args.account, assets: null },
        conversion: worthOf(queue, { epoch: args.epoch, shares: args.amount }),
      };
    case "Request":
      return { kind: "deposit", user: args.account, assets: args.assets };
    case "Claimed":
      // A MultiVault also pays redemptions by claims of its own.
      return isOwn(args.account) ? null : { kind: "withdrawal", user: args.account, assets: args.amount };
    case "Transfer":
      // An account that gives its requests to another loses sight of them.
      if (!isOwn(args.from)) return { kind: "deposit", user: args.from, assets: null };
      // A MultiVault pays redemptions with requests of its own too.
      return { kind: "deposit", user: args.to, assets: null, conversion: worthOfTransfer(queue, args) };
  }
}

/**
 * Returns a query for the assets that were transferred at a queue, rounded down; null if unread. Symbiotic's and
 * EigenLayer's emit the same event: at the latter, `epoch` is the index of a withdrawal, and `shares` are some of its.
 */
function worthOfTransfer(
  queue: Address,
  { to: account, epoch, shares }: { to: Address; epoch: bigint; shares: bigint },
): Query<bigint | null> {
  const either = queryAll({
    symbiotic: worthOf(queue, { epoch, shares }),
    eigenLayer: worthOfPart(queue, { account, id: epoch, shares }),
  });
  return mapQuery(either, ({ symbiotic, eigenLayer }) => symbiotic ?? eigenLayer);
}

/**
 * Returns a query for the assets that shares of an epoch are worth at a Symbiotic queue, rounded down, which a slashing
 * may have lowered before; null at other queues.
 */
function worthOf(queue: Address, { epoch, shares }: { epoch: bigint; shares: bigint }): Query<bigint | null> {
  const on = { to: queue, abi: queueAbi() } as const;
  const reads = {
    staked: read({ ...on, name: "symbioticVault" }),
    total: read({ ...on, name: "getEpochData", args: [epoch] }),
  };
  return readThen(reads, ({ staked, total }): Query<bigint | null> => {
    const { sharesToClaim = 0n } = total.ok ? total.value : {};
    if (!staked.ok || sharesToClaim === 0n) return createQuery({}, () => null);
    const call = { to: staked.value, abi: symbioticAbi(), name: "withdrawalsOf" } as const;
    return createQuery({ assets: read({ ...call, args: [epoch, queue] }) }, ({ assets }) =>
      assets.ok ? mulDivDown(assets.value, shares, sharesToClaim) : null,
    );
  });
}
