import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { concatHex, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from "viem";
import { contractsOf } from "../../chains/simulator/chain.ts";

/** The bridge's contracts as transactions that deploy them. */
export interface BridgeBytecode {
  name: string;
  handler: Hex;
  /** Deployed first and named by the next; null: the SpokePool is its own. */
  implementation: ((wrappedNative: Hex) => Hex) | null;
  spokePool: (base: Hex) => Hex;
}

/** Seconds: what the SpokePools on the main networks allow. */
const QUOTE_TIME_BUFFER = 3_600;
const FILL_DEADLINE_BUFFER = 21_600;

function spokePoolArguments(wrappedNative: Hex): Hex {
  const types = [{ type: "address" }, { type: "uint32" }, { type: "uint32" }] as const;
  return encodeAbiParameters(types, [wrappedNative, QUOTE_TIME_BUFFER, FILL_DEADLINE_BUFFER]);
}

/** Stand-ins of ours, compiled here. */
function standIns(): BridgeBytecode {
  const compiled = (name: string): Hex => contractsOf(`test/providers/across/${name}.sol`)(name).creationCode;
  const spokePool = compiled("SpokePool");
  return {
    name: "our stand-ins",
    handler: compiled("MulticallHandler"),
    implementation: null,
    spokePool: (wrappedNative) => concatHex([spokePool, spokePoolArguments(wrappedNative)]),
  };
}

/**
 * The contracts as Across published them, out of npm `@across-protocol/contracts` 5.0.26: installed, or
 * unpacked (`npm pack`) where ACROSS_CONTRACTS says. Null where they are not to be had: their licence keeps
 * them out of this project.
 */
function published(): BridgeBytecode | null {
  const folder = publishedFolder();
  if (folder === null) return null;
  const code = (name: string): Hex => {
    const file = join(folder, "dist", "evm", "artifacts", `${name}.sol`, `${name}.json`);
    return (JSON.parse(readFileSync(file, "utf8")) as { bytecode: Hex }).bytecode;
  };
  const initialize = encodeFunctionData({
    abi: parseAbi(["function initialize(uint32 initialDepositId, address withdrawalRecipient)"]),
    args: [1, "0x000000000000000000000000000000000000dEaD"],
  });
  const proxyTypes = [{ type: "address" }, { type: "bytes" }] as const;
  return {
    name: "the published contracts",
    handler: code("MulticallHandler"),
    implementation: (wrappedNative) =>
      concatHex([code("Ethereum_SpokePool"), spokePoolArguments(wrappedNative)]),
    spokePool: (implementation) =>
      concatHex([code("ERC1967Proxy"), encodeAbiParameters(proxyTypes, [implementation, initialize])]),
  };
}

function publishedFolder(): string | null {
  const told = process.env["ACROSS_CONTRACTS"];
  if (told !== undefined && existsSync(join(told, "dist"))) return resolve(told);
  try {
    return dirname(createRequire(import.meta.url).resolve("@across-protocol/contracts/package.json"));
  } catch {
    return null;
  }
}

const theirs = published();
export const isPublishedAbsent = theirs === null;
/** Whatever there is to test with. */
export const bytecodes: readonly BridgeBytecode[] = theirs === null ? [standIns()] : [standIns(), theirs];
