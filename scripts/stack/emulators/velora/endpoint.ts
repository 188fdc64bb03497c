import { decodeFunctionData, encodeFunctionData, type Hex } from "viem";
import { augustusV6Abi } from "#stand-ins/velora";
import { ATTACKER, renameFields } from "../faults.ts";
import type { Answerer, Emulator } from "../server.ts";
import { VeloraRefusal, veloraFaultAnswer } from "./errors.ts";

const LIMIT = 1024 * 1024;

/** Emulates Velora's Market API over the local exchange. Source: Velora API v6.2. */
export function veloraEmulator(answerer: Promise<Answerer>): Emulator {
  return {
    name: "velora",
    handle: async (request) => (await answerer)(request),
    maxBodyBytes: LIMIT,
    tooLarge: () => new VeloraRefusal("Payload too large", 413).toAnswer(),
    drift: renameFields,
    hostile: payAttacker,
    refuse: veloraFaultAnswer,
  };
}

/**
 * Falsifies a response like an attacker: the transaction pays the attacker. The router's address and the price stay
 * correct, so that only decoding the calldata detects it.
 */
function payAttacker(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("txParams" in json)) return json;
  const { txParams } = json;
  if (typeof txParams !== "object" || txParams === null || !("data" in txParams)) return json;
  const { functionName, args } = decodeFunctionData({ abi: augustusV6Abi, data: txParams.data as Hex });
  if (functionName !== "swapExactAmountIn") return json;
  const [executor, swapData, ...rest] = args;
  const stolen = { ...swapData, beneficiary: ATTACKER.toLowerCase() as Hex };
  const data = encodeFunctionData({ abi: augustusV6Abi, functionName, args: [executor, stolen, ...rest] });
  return { ...json, txParams: { ...txParams, data } };
}
