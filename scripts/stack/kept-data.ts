import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import type { DeployedChain } from "./chains/deploy-chain.ts";

const root = join(import.meta.dirname, "../..");
/**
 * Sources from which the contracts on the local chains are derived. Data from other versions of them cannot be used.
 */
const SOURCES = ["scripts/stack/chains/**/*.ts", "scripts/stack/contracts/**/*.sol", "src/router/*.sol"];

/**
 * Data that a stack keeps between runs: the state of each chain, the database, and the contract addresses. It is
 * written as a whole when the stack stops, so that chains and database agree. Redis starts empty.
 */
export class KeptData {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the deployments of the kept chains, or null if nothing is kept or the contracts have changed. */
  read(): DeployedChain[] | null {
    const file = join(this.#folder, "deployments");
    if (!existsSync(file)) return null;
    const { version, deployments } = deserialize(readFileSync(file)) as {
      version: string;
      deployments: DeployedChain[];
    };
    return version === versionOfContracts() ? deployments : null;
  }

  /** Path of a chain's state. */
  chainFile(chainId: number): string {
    return join(this.#folder, `chain-${chainId}.json`);
  }

  /** Path of the database's archive. */
  get databaseFile(): string {
    return join(this.#folder, "postgres.tar");
  }

  /** Replaces the kept data by the files that `save` writes into a new folder. */
  async replace(
    deployments: readonly DeployedChain[],
    save: (draft: KeptData) => Promise<void>,
  ): Promise<void> {
    const draft = `${this.#folder}.new`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    await save(new KeptData(draft));
    writeFileSync(join(draft, "deployments"), serialize({ version: versionOfContracts(), deployments }));
    rmSync(this.#folder, { recursive: true, force: true });
    renameSync(draft, this.#folder);
  }
}

function versionOfContracts(): string {
  const hash = createHash("sha256");
  for (const file of globSync(SOURCES, { cwd: root }).sort())
    hash.update(`\n${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}
