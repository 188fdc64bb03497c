import { type Address, type Hex, hexToBigInt, hexToNumber, numberToHex } from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { z } from "zod";
import { rpc } from "../../scripts/stack/chains/json-rpc.ts";

/** A wallet's provider as pages use it. Source: EIP-1193. */
export interface Eip1193Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

const Quantity = z
  .string()
  .regex(/^0x(0|[1-9a-f][0-9a-f]*)$/, "a quantity: hex without leading zeros")
  .transform((text) => text as Hex);
const Data = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, "data: whole bytes in hex")
  .transform((text) => text as Hex);
const Account = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => text as Address);
/** Schema of a transaction's parameters. It is as strict as wallets: unknown fields and decimal numbers are errors. */
const TransactionParams = z.strictObject({
  from: Account,
  to: Account,
  data: Data.optional(),
  value: Quantity.optional(),
  gas: Quantity.optional(),
  chainId: Quantity.optional(),
});
type TransactionParams = z.output<typeof TransactionParams>;
const BlockFees = z.object({ baseFeePerGas: z.string() });

type Signer = { account: PrivateKeyAccount; rpcUrl: string; chainId: number };

/** Creates a wallet on one chain from a private key and a node, with an EIP-1193 interface. */
export function createWallet(input: { privateKey: Hex; rpcUrl: string; chainId: number }): Eip1193Provider {
  const signer = { ...input, account: privateKeyToAccount(input.privateKey) };
  return {
    async request({ method, params = [] }) {
      switch (method) {
        case "eth_requestAccounts":
        case "eth_accounts":
          return [signer.account.address];
        case "eth_chainId":
          return numberToHex(signer.chainId);
        case "eth_sendTransaction":
          return sendTransaction(signer, TransactionParams.parse(params[0]));
        default:
          throw Object.assign(new Error(`unsupported method ${method}`), { code: 4200 });
      }
    },
  };
}

async function sendTransaction(signer: Signer, wanted: TransactionParams): Promise<Hex> {
  const { account, rpcUrl, chainId } = signer;
  if (wanted.from.toLowerCase() !== account.address.toLowerCase())
    throw new Error("not this wallet's account");
  if (wanted.chainId !== undefined && hexToNumber(wanted.chainId) !== chainId)
    throw Object.assign(new Error("another chain"), { code: 4901 });
  const { from, to, data = "0x", value = "0x0" } = wanted;
  const [nonce, block, gas] = await Promise.all([
    rpc(rpcUrl, "eth_getTransactionCount", from, "pending"),
    rpc(rpcUrl, "eth_getBlockByNumber", "latest", false),
    wanted.gas ?? estimateGas(rpcUrl, { from, to, data, value }),
  ]);
  const baseFee = hexToBigInt(BlockFees.parse(block).baseFeePerGas as Hex);
  const signed = await account.signTransaction({
    type: "eip1559",
    chainId,
    to,
    data,
    value: hexToBigInt(value),
    gas: hexToBigInt(Quantity.parse(gas)),
    nonce: hexToNumber(Quantity.parse(nonce)),
    maxFeePerGas: baseFee * 2n + 10n ** 9n,
    maxPriorityFeePerGas: 1n,
  });
  return Data.parse(await rpc(rpcUrl, "eth_sendRawTransaction", signed));
}

/**
 * Returns the node's gas estimate plus a quarter, as wallets do: one block later a vault may need more gas to accrue
 * interest.
 */
async function estimateGas(rpcUrl: string, call: Record<string, unknown>): Promise<Hex> {
  const estimate = hexToBigInt(Quantity.parse(await rpc(rpcUrl, "eth_estimateGas", call)) as Hex);
  return numberToHex((estimate * 5n) / 4n);
}
