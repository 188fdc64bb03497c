/** `npm run router:deploy -- --chain N`: deploys the DepositRouter at its deterministic address. */
import {
  type Address,
  createPublicClient,
  createWalletClient,
  formatEther,
  type Hex,
  http,
  isHex,
  keccak256,
  type PublicClient,
} from "viem";
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import {
  create2Factory,
  create2FactoryCodeHash,
  deployTransaction,
  depositRouterAddress,
  depositRouterCodeHash,
  executorCodeHash,
  executorImplementationAddress,
} from "../../src/router/router-address.ts";
import { runCommand } from "../command.ts";
import { configuredChains } from "../rpc/configured-chains.ts";

/**
 * Result: already deployed, deployable (dry run; `cost` is the most that `gas` may cost, `balance` null without an
 * account) or deployed (`gas` was used). Costs and balance in wei.
 */
export type RouterDeployment =
  | { outcome: "present"; address: Address }
  | { outcome: "possible"; address: Address; gas: bigint; cost: bigint; balance: bigint | null }
  | { outcome: "deployed"; address: Address; hash: Hex; gas: bigint };

/** Maximum time until the transaction is mined, in milliseconds. */
const MINED_WITHIN_MS = 180_000;

/**
 * Deploys the Router through the CREATE2 factory and verifies its code byte for byte. Sends nothing if it is already
 * deployed, in a dry run, or if the simulated transaction fails. Throws if the node serves another chain, an address
 * holds other code than the Router, its Executor or the factory, the factory is missing, the account cannot pay, or the
 * deployed code differs.
 */
export async function deployRouter(target: {
  chainId: number;
  rpcUrl: string;
  account: PrivateKeyAccount | null;
  dryRun: boolean;
}): Promise<RouterDeployment> {
  const { chainId, account, dryRun } = target;
  const transport = http(target.rpcUrl, { retryCount: 1 });
  const client = createPublicClient({ transport });
  const actualChainId = await client.getChainId();
  if (actualChainId !== chainId) throw new Error(`the node serves chain ${actualChainId}, not ${chainId}`);
  if (await isDeployed(client)) return { outcome: "present", address: depositRouterAddress };
  const possible = await tryDeploying(client, account?.address ?? null);
  if (dryRun) return possible;
  if (account === null) throw new Error("DEPLOYER_PRIVATE_KEY is not set");
  if (possible.balance === null || possible.balance < possible.cost)
    throw new Error(`${account.address} holds less than ${formatEther(possible.cost)}, the possible cost`);
  const wallet = createWalletClient({ transport, account });
  const hash = await wallet.sendTransaction({ ...deployTransaction(), gas: possible.gas, chain: null });
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: MINED_WITHIN_MS });
  if (receipt.status !== "success") throw new Error(`the transaction ${hash} reverted`);
  if (!(await isDeployed(client)))
    throw new Error(`after transaction ${hash} there is no code at ${depositRouterAddress}`);
  return { outcome: "deployed", address: depositRouterAddress, hash, gas: receipt.gasUsed };
}

/** Returns true when the Router and its Executor are deployed. Throws when the Router's address holds other code. */
async function isDeployed(client: PublicClient): Promise<boolean> {
  const [router, executor] = await Promise.all([
    client.getCode({ address: depositRouterAddress }),
    client.getCode({ address: executorImplementationAddress }),
  ]);
  if (router === undefined) return false;
  const hash = keccak256(router);
  if (hash !== depositRouterCodeHash)
    throw new Error(`the code at ${depositRouterAddress} is not the Router: its hash is ${hash}`);
  if (executor === undefined) throw new Error(`the Router is deployed, but its Executor is not`);
  if (keccak256(executor) !== executorCodeHash)
    throw new Error(`the code at ${executorImplementationAddress} is not the Executor`);
  return true;
}

/** Simulates the deployment: the factory must return the expected address. Adds a fifth to the estimated gas. */
async function tryDeploying(
  client: PublicClient,
  from: Address | null,
): Promise<RouterDeployment & { outcome: "possible" }> {
  const factory = await client.getCode({ address: create2Factory });
  if (factory === undefined)
    throw new Error(`the CREATE2 factory ${create2Factory} is not on this chain; deploy it first`);
  if (keccak256(factory) !== create2FactoryCodeHash)
    throw new Error(`the code at ${create2Factory} is not the CREATE2 factory`);
  const transaction = { ...deployTransaction(), ...(from === null ? {} : { account: from }) };
  const { data: created } = await client.call(transaction);
  if (created?.toLowerCase() !== depositRouterAddress.toLowerCase())
    throw new Error(`the factory would deploy to ${created ?? "no address"}, not ${depositRouterAddress}`);
  const [estimate, price, balance] = await Promise.all([
    client.estimateGas(transaction),
    client.getGasPrice(),
    from === null ? null : client.getBalance({ address: from }),
  ]);
  const gas = (estimate * 12n) / 10n;
  // Twice the current price, because it may rise until the transaction is mined.
  return { outcome: "possible", address: depositRouterAddress, gas, cost: gas * price * 2n, balance };
}

function accountFromEnvironment(): PrivateKeyAccount | null {
  const key = process.env["DEPLOYER_PRIVATE_KEY"] ?? "";
  if (key === "") return null;
  if (!isHex(key) || key.length !== 66)
    throw new Error("DEPLOYER_PRIVATE_KEY is not 0x and 64 hexadecimal digits");
  return privateKeyToAccount(key);
}

function describeDeployment(deployment: RouterDeployment): string {
  switch (deployment.outcome) {
    case "present":
      return `already there: ${deployment.address}, code hash ${depositRouterCodeHash}`;
    case "possible": {
      const { address, gas, cost, balance } = deployment;
      const has = balance === null ? "no account is set" : `the account has ${formatEther(balance)}`;
      return `would be deployed at ${address}: ${gas} gas, at most ${formatEther(cost)} of native money; ${has}`;
    }
    case "deployed":
      return `deployed: ${deployment.address} by ${deployment.hash}, ${deployment.gas} gas, code hash verified`;
  }
}

await runCommand(import.meta.filename, {
  help: `Deploys the DepositRouter to a chain, with the same address and code as on every chain.

  npm run router:deploy -- --chain N [--rpc URL] [--dry-run]

  --chain    the chain's id
  --rpc      the node to use; default: the first one in CHAINS, else the first public one listed in the code
  --dry-run  only simulate the deployment and print its cost
  --help     show this text

Environment: DEPLOYER_PRIVATE_KEY pays (not needed for a dry run); CHAINS as in the deployment.`,
  switches: ["dry-run"],
  options: ["chain", "rpc"],
  run: async (given, values) => {
    const chainId = Number(values.get("chain"));
    if (!Number.isSafeInteger(chainId) || chainId < 1)
      throw new Error("--chain is missing or not a chain id");
    const rpcUrl = values.get("rpc") ?? configuredChains().get(chainId)?.rpcUrls[0];
    if (rpcUrl === undefined)
      throw new Error(`no node of chain ${chainId} is configured: give one with --rpc`);
    const dryRun = given.has("dry-run");
    const deployment = await deployRouter({ chainId, rpcUrl, account: accountFromEnvironment(), dryRun });
    console.log(describeDeployment(deployment));
  },
});
