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
import { type CompiledContract, compile, type Optimizer } from "../../contracts/compile.ts";
import { runAnvil } from "./anvil.ts";
import { awaitReceipt } from "./await-receipt.ts";

const createNode = (url: string) =>
  createTestClient({ mode: "anvil", cacheTime: 0, transport: http(url, { timeout: 60_000 }) })
    .extend(publicActions)
    .extend(walletActions);

/** A chain with a funded account that signs deployments and other transactions. */
export interface ContractChain {
  node: ReturnType<typeof createNode>;
  account: Address;
}

/** A chain of one test or benchmark. */
export interface ScratchChain extends ContractChain {
  stop(): Promise<void>;
}

/** Connects to a running anvil, whose first account signs. Throws if it has none. */
export async function connectScratchChain(url: string): Promise<ContractChain> {
  const node = createNode(url);
  const [account] = await node.getAddresses();
  if (account === undefined) throw new Error("anvil has no accounts");
  return { node, account };
}

/** Starts anvil on a free port; extra arguments are anvil's own. */
export async function startScratchChain(...args: string[]): Promise<ScratchChain> {
  const anvil = await runAnvil(...args);
  return { ...(await connectScratchChain(anvil.url)), stop: () => anvil.close() };
}

/** Sends a transaction from any account and mines it at once. Throws when it reverts. */
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
  const receipt = await awaitReceipt(chain.node, hash);
  if (receipt.status !== "success") throw new Error(`transaction ${hash} reverted`);
  return receipt;
}

/** Deploys creation code from the chain's account and returns the address. Throws when it reverts. */
export async function deploy(chain: ContractChain, data: Hex): Promise<Address> {
  const { contractAddress } = await send(chain, { data });
  if (contractAddress === null || contractAddress === undefined) throw new Error("nothing was deployed");
  return contractAddress;
}

/** Optimizer settings for {@link contractsOf}: code of half the length for four times the time. */
export const optimized: Optimizer = { viaIR: false, runs: 200 };

/**
 * Compiles a Solidity file, by its path relative to the repository, and returns a lookup of its contracts by name.
 * Without the optimizer by default, whose work takes longer than all that runs on a scratch chain; {@link optimized}
 * for a contract near the limit of 24,576 bytes, and where gas is scarce. Throws with the compiler's message; the lookup throws for an unknown name.
 */
export function contractsOf(
  file: string,
  optimizer: Optimizer = null,
): (name: string) => CompiledContract & { abi: Abi } {
  const compiled = compile({ sources: [file], optimizer });
  return (name) => {
    const contract = compiled.get(name);
    if (contract === undefined) throw new Error(`${name} is not in ${file}`);
    return contract as CompiledContract & { abi: Abi };
  };
}
