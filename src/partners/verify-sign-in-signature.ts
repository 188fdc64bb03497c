import {
  type Address,
  concatHex,
  encodeDeployData,
  erc6492SignatureValidatorAbi,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  hexToNumber,
  numberToHex,
  recoverAddress,
  sliceHex,
} from "viem";
import * as z from "zod";
import type { ChainClient } from "../chains/chain-client.ts";
import { RpcError } from "../chains/json-rpc.ts";
import type { Context } from "../context.ts";
import { failureFrom } from "../errors.ts";
import { sameAddress } from "../lib/address.ts";

/**
 * Returns true if an address has signed a message, with its private key or as a smart account on the chain, deployed or
 * not (ERC-1271, ERC-6492). On a chain that is not served, only the key counts. Throws `simulation_unavailable` if no
 * node can check a smart account's signature.
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
    return await callSignatureValidator(client, { address, hash, signature });
  } catch (error) {
    const chain = client.definition.name;
    const detail = `no node of ${chain} could check the signature of the account`;
    throw failureFrom("simulation_unavailable", detail, error);
  }
}

/** Returns true if a signature of a hash was made with the private key of an address. */
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

/**
 * Creation code that runs the ERC-6492 validator appended to it and returns `abi.encode(chainId, bool)`. The
 * validator's own result does not show on which chain the node ran it.
 */
const REPORT_CHAIN: Hex = concatHex([
  "0x6025", // PUSH1 37: where the validator begins
  "0x80", // DUP1
  "0x38", // CODESIZE
  "0x03", // SUB: the validator's length
  "0x80", // DUP1
  "0x91", // SWAP2
  "0x6000", // PUSH1 0
  "0x39", // CODECOPY(0, 37, length)
  "0x6000", // PUSH1 0
  "0x6000", // PUSH1 0
  "0xf0", // CREATE(0, 0, length): its code is the validator's result
  "0x46", // CHAINID
  "0x6000", // PUSH1 0
  "0x52", // MSTORE(0, chainId)
  "0x6000", // PUSH1 0
  "0x6020", // PUSH1 32
  "0x52", // MSTORE(32, 0)
  "0x6001", // PUSH1 1
  "0x6000", // PUSH1 0
  "0x603f", // PUSH1 63
  "0x83", // DUP4: the created account, or zero
  "0x3c", // EXTCODECOPY(account, 63, 0, 1)
  "0x6040", // PUSH1 64
  "0x6000", // PUSH1 0
  "0xf3", // RETURN(0, 64)
]);

/**
 * Gas limit of a smart account's signature check. Without it, a malicious account could make nodes time out and be
 * treated as failing.
 */
const VALIDATOR_GAS = numberToHex(15_000_000);

/** Schema of the return data of `REPORT_CHAIN`: two words. */
const ValidatorAnswer = z
  .string()
  .regex(/^0x[0-9a-fA-F]{128}$/)
  .transform((text) => text as Hex);

/**
 * Returns true if a smart account accepts a signature (ERC-1271), after the call has deployed it if the signature names
 * a factory (ERC-6492). Errors of the chain client propagate.
 */
async function callSignatureValidator(
  client: ChainClient,
  signed: { address: Address; hash: Hex; signature: Hex },
): Promise<boolean> {
  const validator = encodeDeployData({
    abi: erc6492SignatureValidatorAbi,
    bytecode: erc6492SignatureValidatorByteCode,
    args: [signed.address, signed.hash, signed.signature],
  });
  try {
    return await client.ask({
      method: "eth_call",
      params: [{ data: concatHex([REPORT_CHAIN, validator]), gas: VALIDATOR_GAS }, "latest"],
      read: (answer, seen) => {
        const words = ValidatorAnswer.parse(answer);
        seen({ chainId: hexToNumber(sliceHex(words, 0, 32)), blockNumber: null });
        return hexToNumber(sliceHex(words, 32, 64)) === 1;
      },
    });
  } catch (error) {
    // The account or its factory ran out of gas.
    if (error instanceof RpcError && error.kind === "revert") return false;
    throw error;
  }
}
