import { decodeFunctionData, encodeFunctionData, type Hex } from "viem";
import { metaAggregationRouterAbi } from "#stand-ins/kyber";
import { ATTACKER } from "../faults.ts";

/**
 * Falsifies a response like an attacker: the transaction pays the attacker. The router's address and the route stay
 * correct, so that only decoding the calldata detects it.
 */
export function falsifySwap(json: unknown): unknown {
  if (typeof json !== "object" || json === null || !("data" in json)) return json;
  const { data } = json;
  if (typeof data !== "object" || data === null || !("data" in data)) return json;
  return { ...json, data: { ...data, data: payAttacker(data.data as Hex) } };
}

const attacker = ATTACKER.toLowerCase() as Hex;

function payAttacker(data: Hex): Hex {
  const abi = metaAggregationRouterAbi;
  const { functionName, args } = decodeFunctionData({ abi, data });
  if (functionName === "swap") {
    const [execution] = args;
    const stolen = { ...execution, desc: { ...execution.desc, dstReceiver: attacker } } as const;
    return encodeFunctionData({ abi, functionName, args: [stolen] });
  }
  const [caller, desc, ...rest] = args;
  return encodeFunctionData({
    abi,
    functionName,
    args: [caller, { ...desc, dstReceiver: attacker }, ...rest],
  });
}
