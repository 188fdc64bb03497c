import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../../chains/chain-reads.ts";
import { toReceivedRequestId } from "../../../lib/deposit-request-id.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { netAssetsOf, type RequestFlow } from "../../vault-request-flow.ts";
import { erc4626Flows } from "../erc4626-base/erc4626-flow-events.ts";
import { requestIdOf, UNDATED } from "./upshift-requests.ts";

const flowsAbi = once(() =>
  parseAbi([
    "event Deposit(address assetIn, uint256 amountIn, uint256 shares, address indexed senderAddr, address indexed receiverAddr)",
    "event WithdrawalRequested(uint256 shares, address indexed holderAddr, address indexed receiverAddr)",
    "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)",
    "event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
  ]),
);

const previewAbi = once(() =>
  parseAbi([
    "function previewDeposit(address assetIn, uint256 amountIn) view returns (uint256 shares, uint256 amountInReferenceTokens)",
    "function previewRedemption(uint256 shares, bool isInstant) view returns (uint256 gross, uint256 net)",
  ]),
);

type Payment = Pick<VaultFlow, "assets" | "conversion">;

/**
 * Returns the flow of a request: its shares, taken from the holder, or, if another account is to receive the payment, a
 * deposit of that. Such a holder's shares do not agree with the flows, as if they had been transferred.
 */
function requestFlow(
  of: { holder: Address; receiver: Address; shares: bigint; date?: string | null } & Payment,
): VaultFlow {
  const { holder, receiver, shares, date = null, ...payment } = of;
  if (isAddressEqual(holder, receiver))
    return { kind: "withdrawal", user: holder, assets: 0n, shares, sharesOnly: true };
  // Only by its date is a request found that the vault leaves unpaid for long.
  const requestId = toReceivedRequestId(date ?? UNDATED);
  const given = { kind: "deposit", user: receiver, shares: 0n, requestId } as const;
  return { ...given, ...payment, sharesOnly: true };
}

/** Returns what a multi-asset vault pays for a request at the price of its time, whose event does not tell it. */
function paymentFor(vault: Vault, shares: bigint): Payment {
  const call = { to: vault.entryPoint, abi: previewAbi(), name: "previewRedemption" } as const;
  const reads = { preview: read({ ...call, args: [shares, false] }) };
  return {
    assets: null,
    conversion: createQuery(reads, ({ preview }) => valueOrNull(preview)?.[1] ?? null),
  };
}

/** Returns the query for what requests of others have taken out less what they are to pay, a negative amount. */
export function upshiftTakenOut(
  _vault: Vault,
  { flows }: { flows: readonly RequestFlow[] },
): Query<bigint | null> {
  const given = netAssetsOf(flows);
  return createQuery({}, () => (given === null ? null : -given));
}

/**
 * Returns the events from which a multi-asset vault's deposits and withdrawals are indexed. Deposits and paid requests
 * count for the receiver, instant redemptions and the shares of requests for the owner. Sources: TokenizedVaultV2's ABI, August Digital's SDK.
 */
export function upshiftFlows(vault: Vault): FlowSource {
  return {
    addresses: [vault.entryPoint],
    ...{ takesRequested: true, paysUnseen: true, revision: 2 },
    topics: flowsAbi().map(toEventSelector),
    decode(log) {
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      try {
        const event = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        if (event.eventName === "Withdraw") {
          const { owner: user, assets, shares } = event.args;
          return { kind: "withdrawal", user, assets, shares };
        }
        if (event.eventName === "WithdrawalRequested") {
          const { holderAddr: holder, receiverAddr: receiver, shares } = event.args;
          return requestFlow({ holder, receiver, shares, ...paymentFor(vault, shares) });
        }
        if (event.eventName === "WithdrawalProcessed") {
          const { receiverAddr: user, assetsAmount: assets } = event.args;
          return { kind: "withdrawal", user, assets, shares: 0n };
        }
        const { receiverAddr: user, assetIn, amountIn, shares } = event.args;
        if (isAddressEqual(assetIn, vault.asset.address))
          return { kind: "deposit", user, assets: amountIn, shares };
        const preview = read({
          ...{ to: vault.entryPoint, abi: previewAbi(), name: "previewDeposit" },
          args: [assetIn, amountIn],
        });
        const conversion = createQuery({ preview }, ({ preview: seen }) => (seen.ok ? seen.value[1] : null));
        return { kind: "deposit", user, assets: null, shares, conversion };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

/**
 * ABI of the two versions of `WithdrawalProcessed` in legacy vaults. The third version of the pools added
 * `wasBlacklisted`.
 */
export const legacyPaidAbi = once(() =>
  parseAbi([
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn)",
    "event WithdrawalProcessed(uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn, bool wasBlacklisted)",
  ]),
);

/** Returns what a legacy vault pays for a request, whose event has the assets before the fee and the fee. */
export const legacyPayment = ({ assets, fee }: { assets: bigint; fee: bigint }): bigint =>
  assets > fee ? assets - fee : 0n;

/** ABI of a request in legacy vaults, as some emit it with indexed arguments and others without. */
const legacyRequestedAbi = once(() =>
  parseAbi([
    "event WithdrawalRequested(address indexed owner, address indexed receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
  ]),
);
const plainRequestedAbi = once(() =>
  parseAbi([
    "event WithdrawalRequested(address owner, address receiver, uint256 shares, uint256 assets, uint256 fee, uint256 year, uint256 month, uint256 day)",
  ]),
);

/**
 * Returns the events from which a legacy vault's deposits and withdrawals are indexed: those of ERC-4626,
 * `WithdrawalRequested` for the owner's shares, and `WithdrawalProcessed` for the receiver of a paid request; what is
 * paid in place of a blacklisted receiver counts for nobody. Sources: August Digital's ABIs, TimelockedERC4626.
 */
export function upshiftLegacyFlows(vault: Vault): FlowSource {
  const standard = erc4626Flows(vault);
  const ofRequests = [...legacyRequestedAbi(), ...legacyPaidAbi()].map(toEventSelector);
  const [requested] = ofRequests;
  return {
    ...standard,
    ...{ takesRequested: true, paysUnseen: true, revision: 4 },
    topics: [...standard.topics, ...ofRequests],
    decode(log) {
      const topic = log.topics[0];
      if (!ofRequests.some((one) => one === topic)) return standard.decode(log);
      if (!isAddressEqual(log.address, vault.entryPoint)) return null;
      const { data, topics } = log;
      try {
        if (topic === requested) {
          const abi = topics.length > 1 ? legacyRequestedAbi() : plainRequestedAbi();
          const { owner: holder, receiver, shares, ...on } = decodeEventLog({ abi, data, topics }).args;
          return requestFlow({
            ...{ holder, receiver, shares, assets: legacyPayment(on) },
            date: requestIdOf(on),
          });
        }
        const { args } = decodeEventLog({ abi: legacyPaidAbi(), data, topics });
        // The payment went to the vault's settlement account.
        if ("wasBlacklisted" in args && args.wasBlacklisted) return null;
        const { receiverAddr: user, assetsAmount: assets } = args;
        return { kind: "withdrawal", user, assets, shares: 0n };
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}
