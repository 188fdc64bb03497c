import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileOnce, type ReadImport, readCachedOutput } from "./compile-cache.ts";

/** One contract of solc's output. Byte strings are 0x-prefixed hex. */
export interface CompiledContract {
  abi: readonly Record<string, unknown>[];
  creationCode: `0x${string}`;
  runtimeCode: `0x${string}`;
  /** Byte ranges of the runtime code that the constructor fills in, by AST id. */
  immutables: Record<string, { start: number; length: number }[]>;
}

/** Optimizer settings. Null turns the optimizer off, which compiles ten times as fast into code twice as long. */
export type Optimizer = { viaIR: boolean; runs: number } | null;

/** Files to compile together and their optimizer settings. Paths are relative to the repository. */
export interface CompileJob {
  sources: readonly string[];
  optimizer: Optimizer;
}

/** Optimizer settings of the shipped contracts. */
export const shippedOptimizer: Optimizer = { viaIR: true, runs: 1_000_000 };

interface SolcOutput {
  errors?: { severity: string; formattedMessage: string }[];
  contracts?: Record<string, Record<string, SolcContract>>;
}
interface SolcContract {
  abi: Record<string, unknown>[];
  evm: {
    bytecode: { object: string };
    deployedBytecode: { object: string; immutableReferences?: CompiledContract["immutables"] };
  };
}
interface Solc {
  compile(
    input: string,
    callbacks: { import: (path: string) => { contents: string } | { error: string } },
  ): string;
}

const root = join(import.meta.dirname, "../..");

/**
 * Compiles Solidity files with the pinned compiler and returns their contracts by name. Its settings give one bytecode
 * that runs on every chain: EVM version `paris` (no PUSH0, no transient storage), no metadata hash, no CBOR trailer.
 * Imports resolve from the repository or node_modules. Throws with the compiler's message.
 */
export function compile(job: CompileJob): Map<string, CompiledContract> {
  const input = inputOf(job);
  return contractsIn(compileOnce(input, { readImport, run: (read) => run(input, read) }), job);
}

/**
 * Returns what `compile` cached for the same job, by contract name. Null if there is nothing or an import has changed.
 * Throws as `compile` does.
 */
export function readCompiled(job: CompileJob): Map<string, CompiledContract> | null {
  const output = readCachedOutput(inputOf(job), readImport);
  return output === null ? null : contractsIn(output, job);
}

const OUTPUTS = [
  "abi",
  "evm.bytecode.object",
  "evm.deployedBytecode.object",
  "evm.deployedBytecode.immutableReferences",
] as const;

/**
 * Compiles texts that are not on disk, such as mutants, without cache and without the optimizer, because they are not
 * deployed and no gas is measured. Keys are paths relative to the repository. Returns the contracts by name. Throws
 * with the compiler's message.
 */
export function compileTexts(texts: Readonly<Record<string, string>>): Map<string, CompiledContract> {
  const sources = Object.entries(texts).map(([path, content]) => [path, { content }]);
  const input = JSON.parse(inputOf({ sources: [], optimizer: null })) as { settings: object };
  const outputSelection = Object.fromEntries(Object.keys(texts).map((file) => [file, { "*": [...OUTPUTS] }]));
  const settings = { ...input.settings, viaIR: true, outputSelection };
  const text = run(JSON.stringify({ ...input, sources: Object.fromEntries(sources), settings }), readImport);
  return contractsIn(text, { sources: Object.keys(texts), optimizer: null });
}

function inputOf({ sources, optimizer }: CompileJob): string {
  return JSON.stringify({
    language: "Solidity",
    sources: Object.fromEntries(
      sources.map((file) => [file, { content: readFileSync(join(root, file), "utf8") }]),
    ),
    settings: {
      evmVersion: "paris",
      viaIR: optimizer?.viaIR ?? false,
      optimizer: optimizer === null ? { enabled: false } : { enabled: true, runs: optimizer.runs },
      metadata: { bytecodeHash: "none", appendCBOR: false },
      // Imported contracts are compiled only as far as these create them.
      outputSelection: Object.fromEntries(sources.map((file) => [file, { "*": [...OUTPUTS] }])),
    },
  });
}

function contractsIn(text: string, { sources }: CompileJob): Map<string, CompiledContract> {
  const output = JSON.parse(text) as SolcOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === "error");
  if (failures.length > 0) throw new Error(failures.map((error) => error.formattedMessage).join("\n"));
  const compiled = new Map<string, CompiledContract>();
  for (const file of sources) {
    for (const [name, contract] of Object.entries(output.contracts?.[file] ?? {})) {
      compiled.set(name, {
        abi: contract.abi,
        creationCode: `0x${contract.evm.bytecode.object}`,
        runtimeCode: `0x${contract.evm.deployedBytecode.object}`,
        immutables: contract.evm.deployedBytecode.immutableReferences ?? {},
      });
    }
  }
  return compiled;
}

function run(input: string, readImport: ReadImport): string {
  const solc = createRequire(import.meta.url)("solc") as Solc;
  const answer = (path: string): { contents: string } | { error: string } => {
    const contents = readImport(path);
    return contents === null ? { error: `not found: ${path}` } : { contents };
  };
  return solc.compile(input, { import: answer });
}

function readImport(path: string): string | null {
  const found = [join(root, path), join(root, "node_modules", path)].find((candidate) =>
    existsSync(candidate),
  );
  return found === undefined ? null : readFileSync(found, "utf8");
}
