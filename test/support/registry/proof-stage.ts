import { and, eq } from "drizzle-orm";
import { type Address, encodeDeployData, encodeFunctionData } from "viem";
import { expect } from "vitest";
import {
  contractsOf,
  deploy,
  type ScratchChain,
  send,
  startScratchChain,
} from "../../../scripts/stack/chains/scratch-chain.ts";
import { startTestDeployment, type TestDeployment } from "../../../scripts/stack/test-deployment.ts";
import type { VaultRow } from "../../../src/db/queries/vault-queries.ts";
import { vaults } from "../../../src/db/tables/vault-tables.ts";
import { type Answer, asAdmin, call } from "../partners/wallet.ts";

const UNLIMITED = 2n ** 256n - 1n;
const proven = contractsOf("test/support/solidity/ProvenVault.sol");

/** The switches of the test contract `ProvenVault`; fees are in basis points. */
export interface Switches {
  paused: boolean;
  gated: boolean;
  locked: boolean;
  cap: bigint;
  entryFee: bigint;
  exitFee: bigint;
}

/** The service with a chain of its own, on which vaults are deployed, broken and proven. */
export interface ProofStage {
  causeway: TestDeployment;
  chain: ScratchChain;
  chainId: number;
  /** Token of six decimals with open minting. */
  asset: Address;
  admin(method: string, path: string, body?: unknown): Promise<Answer>;
  /** Deploys a contract of a compiled file, by default of ProvenVault.sol and with the asset as its only argument. */
  put(contract: string, from?: ReturnType<typeof contractsOf>, args?: readonly unknown[]): Promise<Address>;
  /** Sets the switches of a ProvenVault; those that are not named are off. */
  setVault(address: Address, change: Partial<Switches>): Promise<void>;
  /** Adds a vault as an operator's candidate and returns its id. */
  addCandidate(address: Address, extra?: Record<string, unknown>): Promise<string>;
  rowOf(vaultId: string): Promise<VaultRow>;
  prove(vaultId: string): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts the service and its chain. */
export async function startProofStage(chainId = 31337): Promise<ProofStage> {
  const [causeway, chain] = await Promise.all([
    startTestDeployment({ chainIds: [chainId] }),
    startScratchChain(),
  ]);
  await causeway.connectChain(chainId, String(chain.node.transport["url"]));
  const asset = await deploy(chain, proven("ProofAsset").creationCode);
  const admin: ProofStage["admin"] = (method, path, body) =>
    call(causeway, [method, `/v1/admin/${path}`], {
      headers: asAdmin,
      ...(body === undefined ? {} : { body }),
    });
  return {
    ...{ causeway, chain, chainId, asset, admin },
    put(contract, from = proven, args = [asset]) {
      const { abi, creationCode } = from(contract);
      return deploy(chain, encodeDeployData({ abi, bytecode: creationCode, args }));
    },
    async setVault(address, change) {
      const open = { paused: false, gated: false, locked: false, cap: UNLIMITED, entryFee: 0n, exitFee: 0n };
      const { paused, gated, locked, cap, entryFee, exitFee } = { ...open, ...change };
      const args = [paused, gated, locked, cap, entryFee, exitFee];
      const data = encodeFunctionData({ abi: proven("ProvenVault").abi, functionName: "set", args });
      await send(chain, { to: address, data });
    },
    async addCandidate(address, extra = {}) {
      const vaultId = `${chainId}:${address.toLowerCase()}`;
      // Claims in bulk are stored as they are: the proof alone reads the chain.
      const claims = { vaults: [{ vault_id: vaultId, ...extra }] };
      expect(await admin("POST", "vaults", claims)).toMatchObject({ status: 201, body: { added: 1 } });
      return vaultId;
    },
    async rowOf(vaultId) {
      const own = eq(vaults.address, vaultId.split(":")[1] ?? "");
      const [row] = await causeway.db
        .select()
        .from(vaults)
        .where(and(eq(vaults.chainId, chainId), own));
      if (row === undefined) throw new RangeError(`there is no vault ${vaultId}`);
      return row;
    },
    prove: (vaultId) => admin("POST", `vaults/${vaultId}/prove`),
    async close() {
      await Promise.all([causeway.close(), chain.stop()]);
    },
  };
}
