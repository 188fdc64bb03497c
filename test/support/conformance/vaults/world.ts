import {
  type Address,
  createPublicClient,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  type PublicClient,
  type TransactionReceipt,
} from "viem";
import { generatePrivateKey, privateKeyToAddress } from "viem/accounts";
import { stackTokenAbi, stackTokenCreationCode } from "#stand-ins/standard";
import type { SeedRow } from "../../../../scripts/db/seed-row.ts";
import { startAnvil } from "../../../../scripts/stack/chains/anvil.ts";
import { awaitReceipt } from "../../../../scripts/stack/chains/await-receipt.ts";
import { ChainScript } from "../../../../scripts/stack/chains/chain-script.ts";
import { scriptRouterDeployment, verifyRouter } from "../../../../scripts/stack/chains/infrastructure.ts";
import { rpc, rpcBatch } from "../../../../scripts/stack/chains/json-rpc.ts";
import { type Isolate, startTestDeployment } from "../../../../scripts/stack/test-deployment.ts";
import { sumNetFlows } from "../../../../src/db/queries/snapshot-queries.ts";
import { vaults } from "../../../../src/db/tables/vault-tables.ts";
import type { Token } from "../../../../src/vaults/vault.ts";
import type { TestUser } from "../../e2e/chain.ts";
import { rejectMethods, startRpcProxy } from "../../rpc-proxy.ts";
import { createWallet } from "../../wallet.ts";

/** A call to a contract. */
export interface Call {
  to: Address;
  data: Hex;
}

/** The service with embedded stores, and a separate chain with the Router. */
export interface World {
  chainId: number;
  url: string;
  client: PublicClient;
  /** Creates an isolate with an empty cache. */
  fresh(): Isolate;
  /** Writes rows of the registry. */
  register(rows: readonly SeedRow[]): Promise<void>;
  /** Returns a vault's deposits minus withdrawals, as its history counts them, or null if unknown. */
  netFlow(vault: Address): Promise<bigint | null>;
  /** Runs a deployment script from a new account, which {@link send} can use later. */
  script<T>(work: (script: ChainScript) => T | Promise<T>): Promise<T>;
  /** Sends a transaction from any account and mines it. Throws when it reverts. */
  send(from: Address, call: Call): Promise<TransactionReceipt>;
  /** Deploys a token with some decimals that anyone may mint. */
  token(decimals: number): Promise<Token>;
  /** Creates an account with a token balance and native currency for gas. */
  user(token: Token, amount: bigint): Promise<TestUser>;
  /** Runs work and then restores the chain's state, including its time. */
  undone<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const CHAIN_ID = 31337;
/** Slippage with a margin, because an estimate leaves out what a vault accrues in the next block. */
const GAS = numberToHex(8_000_000);

/** Starts the service and its chain, whose nodes do not support the methods `lacks`. */
export async function startWorld({ lacks = [] }: { lacks?: readonly string[] } = {}): Promise<World> {
  const [causeway, anvil] = await Promise.all([
    startTestDeployment({ chainIds: [CHAIN_ID] }),
    startAnvil(CHAIN_ID),
  ]);
  const { url } = anvil;
  const node = lacks.length === 0 ? null : await startRpcProxy(url, rejectMethods(...lacks));
  await causeway.connectChain(CHAIN_ID, node?.url ?? url);
  const client = createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 });
  const send = sender(url, client);
  const script = scripts(url);
  await script((it) => scriptRouterDeployment(it));
  await verifyRouter(url, CHAIN_ID);
  return {
    chainId: CHAIN_ID,
    url,
    client,
    script,
    send,
    fresh: () => causeway.isolate({ REDIS_KEY_PREFIX: `world-${crypto.randomUUID().slice(0, 8)}` }),
    async register(rows) {
      await causeway.db.insert(vaults).values([...rows]);
    },
    async netFlow(vaultAddress) {
      const blocks = [0, Number.MAX_SAFE_INTEGER];
      const query = { chainId: CHAIN_ID, vaultAddress, blocks };
      const [net] = await sumNetFlows(causeway.context().db, query);
      return net == null ? null : BigInt(net);
    },
    token: (decimals) => script((it) => plainToken(it, decimals)),
    user: (token, amount) => newUser(url, { token, amount, send }),
    async undone(work) {
      const snapshot = await rpc(url, "evm_snapshot");
      try {
        return await work();
      } finally {
        await rpc(url, "evm_revert", snapshot);
      }
    },
    async close() {
      await Promise.all([causeway.close(), node?.close(), anvil.close()]);
    },
  };
}

function scripts(url: string): World["script"] {
  return async (work) => {
    const script = await ChainScript.open(url, privateKeyToAddress(generatePrivateKey()));
    const made = await work(script);
    await script.flush();
    await script.close();
    return made;
  };
}

function sender(url: string, client: PublicClient): World["send"] {
  return async (from, { to, data }) => {
    const [, , hash] = await rpcBatch(url, [
      { method: "anvil_impersonateAccount", params: [from] },
      { method: "anvil_setBalance", params: [from, numberToHex(10n ** 26n)] },
      { method: "eth_sendTransaction", params: [{ from, to, data, gas: GAS }] },
    ]);
    const receipt = await awaitReceipt(client, hash as Hex);
    if (receipt.status !== "success") throw new Error(`${data.slice(0, 10)} to ${to} reverted`);
    return receipt;
  };
}

function plainToken(script: ChainScript, decimals: number): Token {
  const symbol = `TOK${decimals}`;
  const args = [`Token of ${decimals} decimals`, symbol, decimals] as const;
  const data = encodeDeployData({ abi: stackTokenAbi, bytecode: stackTokenCreationCode, args });
  return { address: script.deploy(symbol, data), symbol, decimals };
}

async function newUser(
  url: string,
  input: { token: Token; amount: bigint; send: World["send"] },
): Promise<TestUser> {
  const privateKey = generatePrivateKey();
  const address = privateKeyToAddress(privateKey);
  const wallet = createWallet({ privateKey, rpcUrl: url, chainId: CHAIN_ID });
  const data = encodeFunctionData({
    abi: stackTokenAbi,
    functionName: "mint",
    args: [address, input.amount],
  });
  await input.send(address, { to: input.token.address, data });
  return { address, wallet };
}
