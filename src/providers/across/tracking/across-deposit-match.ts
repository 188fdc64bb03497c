import { type Address, encodeAbiParameters, getAddress, type Hex } from "viem";
import { isNative, sameAddress } from "../../../lib/address.ts";
import type { TransferReference, TransferTerms } from "../../provider.ts";
import { bridgedAssets } from "../../provider-bridged-assets.ts";
import { instructionsParameters } from "../across-abi.ts";
import type { AcrossDeployment, AcrossToken } from "../across-deployments.ts";

/** The first bytes of a word that contains an EVM address. */
const PADDING = `0x${"0".repeat(24)}`;

/** Returns true if a 32-byte word is this address, left-padded. */
export const isWordOf = (word: Hex, address: string | null): boolean =>
  word === `${PADDING}${address?.slice(2).toLowerCase()}`;

/** The contracts on both chains (`destination` is absent if unknown), and what is known of the transfer that is meant. */
export interface WantedDeposit extends Pick<TransferReference, "toChainId" | "sender" | "built"> {
  origin: AcrossDeployment;
  destination?: AcrossDeployment | undefined;
}

/** The fields of an Across deposit that a build determines, as in the SpokePool's event. */
interface DepositFields {
  depositor: Hex;
  recipient: Hex;
  inputToken: Hex;
  outputToken: Hex;
  inputAmount: bigint;
  outputAmount: bigint;
  message: Hex;
}

/**
 * Returns false if a deposit differs from what was built. Anyone may name the user as its depositor, and deposit or
 * deliver worthless tokens, deliver to another account, or promise more than is deposited, so that nobody delivers it.
 */
export function isAsBuilt(deposit: DepositFields, wanted: WantedDeposit): boolean {
  const { destination, sender, built } = wanted;
  if (built === undefined || sender === undefined) return true;
  // Every build names the user, who is refunded.
  if (!isWordOf(deposit.depositor, sender.account)) return false;
  const output = tokenOn(built.toToken, destination);
  if (output !== null && !isWordOf(deposit.outputToken, output)) return false;
  if (deposit.outputAmount < (built.least ?? 0n)) return false;
  if (!isPaidAsBuilt(deposit, { ...wanted, built })) return false;
  const of = { account: sender.account, built, handler: destination?.multicallHandler };
  return isDeliveredAsBuilt(deposit, of);
}

/**
 * Returns the amount that the user paid for a deposit, in the paid token's smallest unit, or null if it takes another
 * token, as after a swap.
 */
export function paidAmount(
  { inputToken, inputAmount }: Pick<DepositFields, "inputToken" | "inputAmount">,
  { origin, built }: WantedDeposit,
): bigint | null {
  return built === undefined || isWordOf(inputToken, tokenOn(built.fromToken, origin)) ? inputAmount : null;
}

/** Returns the token that a SpokePool uses for a token, or null if it is unknown. */
function tokenOn(token: string | null, deployment: AcrossDeployment | undefined): string | null {
  return token !== null && isNative(token) ? (deployment?.wrappedNative ?? null) : token;
}

/**
 * Returns true if a deposit takes the paid token or, if a swap or the redemption of shares may precede it, the asset
 * that it delivers; and no less than it delivers. Of a chain without listed tokens, only the paid token is compared, if
 * it is known and not swapped.
 */
function isPaidAsBuilt(deposit: DepositFields, wanted: WantedDeposit & { built: TransferTerms }): boolean {
  const { origin, built } = wanted;
  const paid = tokenOn(built.fromToken, origin);
  const isPaid = paid !== null && isWordOf(deposit.inputToken, paid);
  if (origin.tokens.length === 0 && bridgedAssets[origin.chainId] === undefined)
    return isPaid || built.swaps || paid === null;
  const pair = assetsOf(deposit, wanted);
  const isExact =
    !built.swaps && paid !== null && origin.tokens.some(({ address }) => sameAddress(address, paid));
  const isSwapped = !isExact && pair !== null && pair.input.asset === pair.output.asset;
  if (!isSwapped && !isPaid) return false;
  // Tokens that are not listed are built only if both have the same decimals.
  const scale = (decimals = 0): bigint => 10n ** BigInt(decimals);
  const taken = deposit.inputAmount * scale(pair?.output.decimals);
  return deposit.outputAmount * scale(pair?.input.decimals) <= taken;
}

/** Returns the assets that a deposit takes and delivers, or null unless one table lists both tokens. */
function assetsOf(
  { inputToken, outputToken }: DepositFields,
  { origin, destination, toChainId }: WantedDeposit,
): { input: AcrossToken; output: AcrossToken } | null {
  const tables = [
    { from: origin.tokens, to: destination?.tokens },
    { from: bridgedAssets[origin.chainId], to: bridgedAssets[toChainId] },
  ];
  for (const { from = [], to = [] } of tables) {
    const input = from.find(({ address }) => isWordOf(inputToken, address));
    const output = to.find(({ address }) => isWordOf(outputToken, address));
    if (input !== undefined && output !== undefined) return { input, output };
  }
  return null;
}

/**
 * Returns true if a deposit is delivered to the user (the handler passes a wrapped native token on) or, with a
 * destination call, carries the order's reference and names the user.
 */
function isDeliveredAsBuilt(
  { recipient, message }: Pick<DepositFields, "recipient" | "message">,
  of: { account: string; built: TransferTerms; handler: Address | null | undefined },
): boolean {
  const { account, built, handler } = of;
  if (built.call) return [built.ref, account].every((part) => message.includes(part.slice(2).toLowerCase()));
  if (isWordOf(recipient, account)) return true;
  const passOn = { calls: [], fallbackRecipient: getAddress(account) };
  return (
    isWordOf(recipient, handler ?? null) && message === encodeAbiParameters(instructionsParameters, [passOn])
  );
}
