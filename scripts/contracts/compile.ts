import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileOnce, type ReadImport } from "./compile-cache.ts";

/** One contract as solc returns it. Byte strings are 0x-prefixed hex. */
export interface CompiledContract {
  abi: readonly Record<string, unknown>[];
  creationCode: `0x${string}`;
  runtimeCode: `0x${string}`;
  /** Byte ranges of the runtime code that the constructor fills in, by AST id. */
  immutables: Record<string, { start: number; length: number }[]>;
}

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

/**
 * Compiles Solidity files with the pinned compiler and the settings that make one bytecode fit every
 * chain: evm `paris` (no PUSH0, no transient storage), no metadata hash, no CBOR trailer.
 * Imports resolve from node_modules or relative to the importing file. Throws with the compiler's text.
 */
export function compile(files: readonly string[], optimizerRuns = 1_000_000): Map<string, CompiledContract> {
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file) => [file, { content: readFileSync(file, "utf8") }])),
    settings: {
      evmVersion: "paris",
      viaIR: true,
      optimizer: { enabled: true, runs: optimizerRuns },
      metadata: { bytecodeHash: "none", appendCBOR: false },
      // Nothing of imported contracts but what these create.
      outputSelection: Object.fromEntries(files.map((file) => [file, { "*": [...OUTPUTS] }])),
    },
  };
  const text = JSON.stringify(input);
  const output = JSON.parse(compileOnce(text, { readImport, run: (read) => run(text, read) })) as SolcOutput;
  const failures = (output.errors ?? []).filter((error) => error.severity === "error");
  if (failures.length > 0) throw new Error(failures.map((error) => error.formattedMessage).join("\n"));
  const compiled = new Map<string, CompiledContract>();
  for (const file of files) {
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

const OUTPUTS = [
  "abi",
  "evm.bytecode.object",
  "evm.deployedBytecode.object",
  "evm.deployedBytecode.immutableReferences",
] as const;

function run(input: string, readImport: ReadImport): string {
  const solc = createRequire(import.meta.url)("solc") as Solc;
  const answer = (path: string): { contents: string } | { error: string } => {
    const contents = readImport(path);
    return contents === null ? { error: `not found: ${path}` } : { contents };
  };
  return solc.compile(input, { import: answer });
}

function readImport(path: string): string | null {
  const found = [path, join("node_modules", path)].find((candidate) => existsSync(candidate));
  return found === undefined ? null : readFileSync(found, "utf8");
}
