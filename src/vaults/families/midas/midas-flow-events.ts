import { type Address, decodeEventLog, isAddressEqual, parseAbi, toEventSelector, zeroAddress } from "viem";
import { sameAddress } from "../../../lib/address.ts";
import { toFlowRequestId } from "../../../lib/deposit-request-id.ts";
import { once } from "../../../lib/once.ts";
import type { Vault } from "../../vault.ts";
import type { FlowSource, VaultFlow } from "../../vault-adapter.ts";
import { midasAmountInAsset, midasValueInAsset } from "./midas-flow-conversion.ts";
import { midasUnit } from "./midas-params.ts";
import { redemptionRequestId, redemptionVaults } from "./midas-redemption-requests.ts";

const depositsAbi = once(() =>
  parseAbi([
    "event DepositInstant(address indexed user, address indexed tokenIn, uint256 amountUsd, uint256 amountToken, uint256 fee, uint256 minted, bytes32 referrerId)",
    "event DepositInstantWithCustomRecipient(address indexed user, address indexed tokenIn, address recipient, uint256 amountUsd, uint256 amountToken, uint256 fee, uint256 minted, bytes32 referrerId)",
  ]),
);
/** ABI of the events that a DepositVault emits for deposit requests. */
export const depositRequestsAbi = once(() =>
  parseAbi([
    "event DepositRequest(uint256 indexed requestId, address indexed user, address indexed tokenIn, uint256 amountToken, uint256 amountUsd, uint256 fee, uint256 tokenOutRate, bytes32 referrerId)",
    "event DepositRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenIn, address recipient, uint256 amountToken, uint256 amountUsd, uint256 fee, uint256 tokenOutRate, bytes32 referrerId)",
  ]),
);
const redemptionsAbi = once(() =>
  parseAbi([
    "event RedeemInstant(address indexed user, address indexed tokenOut, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
    "event RedeemInstantWithCustomRecipient(address indexed user, address indexed tokenOut, address recipient, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    "event RedeemRequestWithCustomRecipient(uint256 indexed requestId, address indexed user, address indexed tokenOut, address recipient, uint256 amountMTokenIn, uint256 feeAmount)",
  ]),
);
const tokenAbi = once(() =>
  parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"]),
);
const flowsAbi = once(
  () => [...depositsAbi(), ...depositRequestsAbi(), ...redemptionsAbi(), ...tokenAbi()] as const,
);

type FlowEvent = ReturnType<typeof decodeEventLog<ReturnType<typeof flowsAbi>>>;

/**
 * Returns the events from which a vault's deposits and withdrawals are indexed. `midasTakenOut` reads what a redemption
 * request paid, and `midasPutIn` which deposit requests are approved. If the registry entry names no RedemptionVault,
 * burned mTokens count as withdrawals. Throws an Error if a parameter is invalid.
 */
export function midasFlows(vault: Vault): FlowSource {
  const redemptions = redemptionVaults(vault);
  const isKnown = redemptions.length > 0;
  const abi = [...depositsAbi(), ...depositRequestsAbi(), ...(isKnown ? redemptionsAbi() : tokenAbi())];
  // Without a RedemptionVault in the registry entry, burned mTokens count as withdrawals.
  const out = isKnown ? redemptions : [vault.shareToken];
  return {
    addresses: [vault.entryPoint, ...out],
    namesCaller: true,
    ...(isKnown && { namesRequests: true, takesRequested: true, ownRequests: requestsAt(redemptions) }),
    namesDepositRequests: true,
    topics: abi.map(toEventSelector),
    decode(log) {
      try {
        const event = decodeEventLog({ abi: flowsAbi(), data: log.data, topics: log.topics });
        const isDeposit = event.eventName.startsWith("Deposit");
        const emitters = isDeposit ? [vault.entryPoint] : out;
        if (!emitters.some((one) => sameAddress(one, log.address))) return null;
        if (event.eventName === "Transfer" && isKnown) return null;
        return flowOf(vault, { event, emitter: log.address });
      } catch {
        // The topic matches but the indexed arguments differ: another event.
        return null;
      }
    },
  };
}

/** Returns the events of requests; one that is paid to another account has its owner as the third topic, too. */
const requestsAt = (contracts: readonly Address[]) => ({
  contracts,
  topics: redemptionsAbi()
    .filter(({ name }) => name.startsWith("RedeemRequest"))
    .map(toEventSelector),
});

function flowOf(vault: Vault, { event, emitter }: { event: FlowEvent; emitter: Address }): VaultFlow | null {
  const unit = midasUnit(vault.asset.decimals);
  const isOwn = (token: Address) => unit !== null && isAddressEqual(token, vault.asset.address);
  /** Returns the assets of a payment into the vault; `amountUsd` is its value by the DepositVault. */
  const paidIn = (paid: { tokenIn: Address; amountUsd: bigint; amountToken: bigint }) =>
    unit !== null && isOwn(paid.tokenIn)
      ? { assets: paid.amountToken / unit }
      : { assets: null, conversion: midasValueInAsset(vault, paid.amountUsd) };
  /** Returns the assets of a payment by a RedemptionVault. */
  const paidOut = ({ tokenOut, amount }: { tokenOut: Address; amount: bigint }) =>
    unit !== null && isOwn(tokenOut)
      ? { assets: amount / unit }
      : { assets: null, conversion: midasAmountInAsset(vault, { by: emitter, token: tokenOut, amount }) };
  switch (event.eventName) {
    case "DepositInstant": {
      const { user, minted } = event.args;
      return { kind: "deposit", user, ...paidIn(event.args), shares: minted };
    }
    case "DepositInstantWithCustomRecipient": {
      const { recipient: user, minted } = event.args;
      return { kind: "deposit", user, ...paidIn(event.args), shares: minted };
    }
    case "DepositRequest":
    case "DepositRequestWithCustomRecipient": {
      const user = event.eventName === "DepositRequest" ? event.args.user : event.args.recipient;
      const requestId = toFlowRequestId(event.args.requestId.toString());
      return { kind: "deposit", user, ...paidIn(event.args), shares: null, requestId };
    }
    case "RedeemInstant":
    case "RedeemInstantWithCustomRecipient": {
      const { user, tokenOut, amount, amountTokenOut } = event.args;
      return { kind: "withdrawal", user, ...paidOut({ tokenOut, amount: amountTokenOut }), shares: amount };
    }
    case "RedeemRequest":
    case "RedeemRequestWithCustomRecipient": {
      const user = event.eventName === "RedeemRequest" ? event.args.user : event.args.recipient;
      const requestId = redemptionRequestId(vault, { contract: emitter, number: event.args.requestId });
      return { kind: "withdrawal", user, assets: null, shares: event.args.amountMTokenIn, requestId };
    }
    case "Transfer": {
      const { from, to, value } = event.args;
      const burned = isAddressEqual(to, zeroAddress);
      return burned ? { kind: "withdrawal", user: from, assets: null, shares: value } : null;
    }
  }
}
