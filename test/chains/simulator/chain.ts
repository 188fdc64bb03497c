import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable } from "node:stream";
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
import { type CompiledContract, compile } from "../../../scripts/contracts/compile.ts";
import { receiptOf } from "../../../scripts/stack/chains/receipt.ts";

/** Anvil's own binary, not the npm launcher: killing the launcher would leave the node running. */
function anvilBinary(): string {
  const system = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
  const manifest = createRequire(import.meta.url).resolve(`@foundry-rs/anvil-${system}/package.json`);
  return join(manifest, "..", "bin", process.platform === "win32" ? "anvil.exe" : "anvil");
}

const LISTENING = /Listening on (\S+)\s/;

/** The address that a starting anvil prints; throws when it ends or stays silent. */
async function listening({ stdout }: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  let text = "";
  for await (const part of stdout.iterator({ destroyOnReturn: false })) {
    text += part;
    if (LISTENING.test(text)) break;
  }
  const [, address] = LISTENING.exec(text) ?? [];
  if (address === undefined) throw new Error(`anvil did not start: ${text}`);
  // Only after the iterator has let go; a full pipe would stop anvil.
  stdout.resume();
  return address;
}

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
export interface TestChain extends ContractChain {
  stop(): Promise<void>;
}

/** A chain that runs already. */
export async function connectChain(url: string): Promise<ContractChain> {
  const node = createNode(url);
  const [account] = await node.getAddresses();
  if (account === undefined) throw new Error("anvil has no accounts");
  return { node, account };
}

/** Starts anvil on a port that the system picks. Extra arguments go to its command line. */
export async function startChain(...args: string[]): Promise<TestChain> {
  const child = spawn(anvilBinary(), ["--port", "0", ...args], { stdio: ["ignore", "pipe", "ignore"] });
  const stop = async () => {
    if (child.exitCode !== null) return;
    const exited = once(child, "exit");
    child.kill();
    await exited;
  };
  return { ...(await connectChain(`http://${await listening(child)}`)), stop };
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
  const compiled = compile([file], 200);
  return (name) => {
    const contract = compiled.get(name);
    if (contract === undefined) throw new Error(`${name} is not in ${file}`);
    return contract as CompiledContract & { abi: Abi };
  };
}
