import { type Address, type Hex, hashMessage, recoverAddress } from "viem";
import type { Context } from "../context.ts";
import { failureFrom } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";
import { askValidator } from "./signature-validator.ts";

/**
 * Whether an address signed a message: by its own key (no node is asked), or as a contract, deployed (ERC-1271)
 * or still to be (ERC-6492), on the message's chain. An upgraded account (EIP-7702) may do either.
 * Throws `simulation_unavailable` when a contract's word is needed and no node gives it.
 */
export async function verifySignature(
  ctx: Context,
  signed: { address: Address; message: string; signature: Hex; chainId: number },
): Promise<boolean> {
  const { address, signature } = signed;
  const hash = hashMessage(signed.message);
  if (await isSignedByKey({ address, hash, signature })) return true;
  const client = ctx.chains.client(signed.chainId);
  if (client === null || signature === "0x") return false;
  try {
    return await askValidator(client, { address, hash, signature });
  } catch (error) {
    const chain = client.definition.name;
    const detail = `no node of ${chain} could say whether the account approves this signature`;
    throw failureFrom("simulation_unavailable", detail, error);
  }
}

async function isSignedByKey(signed: { address: Address; hash: Hex; signature: Hex }): Promise<boolean> {
  const { address, hash, signature } = signed;
  // 65 bytes, or 64 in the compact form (EIP-2098).
  if (signature.length !== 132 && signature.length !== 130) return false;
  try {
    return sameAddress(await recoverAddress({ hash, signature }), address);
  } catch {
    return false;
  }
}
