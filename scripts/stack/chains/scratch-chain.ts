import {
  type Abi,
  type Address,
  type AuthorizationList,
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  walletActions,
} from "viem";
import { type CompiledContract, compile } from "../../contracts/compile.ts";
import { runAnvil } from "./anvil.ts";
import { receiptOf } from "./receipt.ts";

const createNode = (url: string) =>
  createTestClient({ mode: "anvil", cacheTime: 0, transport: http(url, { timeout: 60_000 }) })
    .extend(publicActions)
    .extend(walletActions);

/** A chain that contracts can be put on, with a funded account whose transactions it signs. */
export interface ContractChain {
  node: ReturnType<typeof createNode>;
  account: Address;
}

/** A chain of this test alone. */
export interface ScratchChain extends ContractChain {
  stop(): Promise<void>;
}

/** A chain that runs already. */
export async function connectScratchChain(url: string): Promise<ContractChain> {
  const node = createNode(url);
  const [account] = await node.getAddresses();
  if (account === undefined) throw new Error("anvil has no accounts");
  return { node, account };
}

/** Starts anvil on a port that the system picks. Extra arguments go to its command line. */
export async function startScratchChain(...args: string[]): Promise<ScratchChain> {
  const anvil = await runAnvil(...args);
  return { ...(await connectScratchChain(anvil.url)), stop: () => anvil.close() };
}

/** Sends a transaction from any account, mined at once. Throws when it reverts. */
export async function send(
  chain: ContractChain,
  request: {
    from?: Address;
    to?: Address;
    data?: Hex;
    value?: bigint;
    gas?: bigint;
    authorizationList?: AuthorizationList<number, true>;
  },
): Promise<TransactionReceipt> {
  const { from = chain.account, ...fields } = request;
  await chain.node.impersonateAccount({ address: from });
  const hash = await chain.node.sendTransaction({ account: from, chain: null, ...fields });
  const receipt = await receiptOf(chain.node, hash);
  if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
  return receipt;
}

/** Deploys creation code with the chain's own account. */
export async function deploy(chain: ContractChain, data: Hex): Promise<Address> {
  const { contractAddress } = await send(chain, { data });
  if (contractAddress === null || contractAddress === undefined) throw new Error("nothing was deployed");
  return contractAddress;
}

/** Compiles one Solidity file and gives its contracts by name. Throws when asked for one that is not there. */
export function contractsOf(file: string): (name: string) => CompiledContract & { abi: Abi } {
  const compiled = compile({ sources: [file], optimizer: { viaIR: true, runs: 200 } });
  return (name) => {
    const contract = compiled.get(name);
    if (contract === undefined) throw new Error(`${name} is not in ${file}`);
    return contract as CompiledContract & { abi: Abi };
  };
}
