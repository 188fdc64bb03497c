import { encodeFunctionData, erc20Abi, parseAbi } from "viem";
import { addressOf, chainOf, type KeyedUser, mined, sendCall, tokenOn, vaultNamed } from "../e2e/chain.ts";
import { sharesOf } from "./shares-of.ts";

const erc7540Abi = parseAbi([
  "function requestDeposit(uint256 assets, address controller, address owner) returns (uint256)",
  "function requestRedeem(uint256 shares, address controller, address owner) returns (uint256)",
]);

/** Requests a deposit from an ERC-7540 vault directly, so that this service has no record of the request. */
export async function requestDepositElsewhere(name: string, of: { user: KeyedUser; amount: bigint }) {
  const vault = vaultNamed(name);
  const chain = chainOf(vault.chain_id);
  const { user, amount } = of;
  const spender = addressOf(vault);
  const approval = encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] });
  await mined(chain, await sendCall(user, { to: tokenOn(chain, vault.asset_symbol), data: approval }));
  const args = [amount, user.address, user.address] as const;
  const data = encodeFunctionData({ abi: erc7540Abi, functionName: "requestDeposit", args });
  await mined(chain, await sendCall(user, { to: spender, data }));
}

/**
 * Requests the redemption of all shares from an ERC-7540 vault directly, so that this service has no record of the
 * request.
 */
export async function requestRedemptionElsewhere(name: string, user: KeyedUser): Promise<void> {
  const vault = vaultNamed(name);
  const args = [await sharesOf(name, user.address), user.address, user.address] as const;
  const data = encodeFunctionData({ abi: erc7540Abi, functionName: "requestRedeem", args });
  await mined(chainOf(vault.chain_id), await sendCall(user, { to: addressOf(vault), data }));
}
