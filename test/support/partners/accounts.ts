import {
  type Abi,
  type Address,
  concatHex,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  hashMessage,
  pad,
  serializeErc6492Signature,
} from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import {
  type ContractChain,
  contractsOf,
  deploy,
  send,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import type { Wallet } from "./wallet.ts";

const contracts = contractsOf("test/support/solidity/SmartAccounts.sol");

/** A chain with the test accounts; its id is part of their messages. */
export interface AccountChain extends ContractChain {
  chainId: number;
}

export const newKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

/** Deploys a contract of Accounts.sol. */
export async function deployAccount(
  chain: ContractChain,
  account: { name: string; args?: readonly unknown[] },
): Promise<Address> {
  const { abi, creationCode } = contracts(account.name);
  const data = encodeDeployData({ abi, bytecode: creationCode, args: [...(account.args ?? [])] });
  return getAddress(await deploy(chain, data));
}

/** Encodes a call of a contract of Accounts.sol. */
export function accountCall(name: string, call: { functionName: string; args: readonly unknown[] }): Hex {
  return encodeFunctionData({ abi: contracts(name).abi, ...call });
}

/** Creates a wallet that signs with a key for the account `address`, in the format that `wrap` returns. */
export function ownedBy(
  owner: PrivateKeyAccount,
  account: { address: Address; chainId: number; wrap?: (signature: Hex) => Hex },
): Wallet {
  const { address, chainId, wrap = (signature) => signature } = account;
  return { address, chainId, sign: async (message) => wrap(await owner.signMessage({ message })) };
}

/** Deploys an account with one owner (ERC-1271). */
export async function ownedAccount(chain: AccountChain, owner = newKey()): Promise<Wallet> {
  const address = await deployAccount(chain, { name: "OwnedAccount", args: [owner.address] });
  return ownedBy(owner, { address, chainId: chain.chainId });
}

/**
 * Deploys an account that needs the signatures of two of three owners, like a Safe (ERC-1271). `signers` owners sign.
 */
export async function sharedAccount(chain: AccountChain, signers = 2): Promise<Wallet> {
  const owners = [newKey(), newKey(), newKey()];
  const args = [owners.map(({ address }) => address), 2n];
  const address = await deployAccount(chain, { name: "SharedAccount", args });
  const { chainId } = chain;
  const inOrder = owners.slice(0, signers).sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1));
  const sign = async (text: string): Promise<Hex> => {
    const signatures = inOrder.map((owner) =>
      owner.signTypedData({
        domain: { chainId, verifyingContract: address },
        types: { SafeMessage: [{ name: "message", type: "bytes" }] },
        primaryType: "SafeMessage",
        message: { message: hashMessage(text) },
      }),
    );
    return concatHex(await Promise.all(signatures));
  };
  return { address, chainId, sign };
}

/**
 * Creates an undeployed account whose signature contains the call of its factory (ERC-6492), and a function that
 * deploys it.
 */
export async function counterfactualAccount(
  chain: AccountChain,
  of: { factory: Address; salt: Hex },
): Promise<{ wallet: Wallet; create: { to: Address; data: Hex } }> {
  const owner = newKey();
  const args = [owner.address, pad(of.salt, { size: 32 })] as const;
  const address = (await chain.node.readContract({
    address: of.factory,
    abi: contracts("AccountFactory").abi as Abi,
    functionName: "addressOf",
    args,
  })) as Address;
  const data = accountCall("AccountFactory", { functionName: "create", args });
  const wrap = (signature: Hex) => serializeErc6492Signature({ address: of.factory, data, signature });
  const wallet = ownedBy(owner, { address, chainId: chain.chainId, wrap });
  return { wallet, create: { to: of.factory, data } };
}

/**
 * Creates an account with a key that also runs a contract's code, which accepts signatures of a device key (EIP-7702).
 */
export async function upgradedAccount(
  chain: AccountChain,
): Promise<{ byKey: Wallet; byDevice: Wallet; address: Address }> {
  const [account, device] = [newKey(), newKey()];
  const { address } = account;
  const { chainId } = chain;
  const contractAddress = await deployAccount(chain, { name: "DeviceAccount", args: [device.address] });
  const authorization = await account.signAuthorization({ contractAddress, chainId, nonce: 0 });
  await send(chain, { to: address, authorizationList: [authorization] });
  const code = await chain.node.getCode({ address });
  if (code?.startsWith("0xef0100") !== true) throw new Error(`${address} was not upgraded`);
  const as = (owner: PrivateKeyAccount) => ownedBy(owner, { address, chainId });
  return { byKey: as(account), byDevice: as(device), address };
}
