import { type Hex, hexToBigInt, hexToNumber, size, slice } from "viem";

export interface LayerZeroOptions {
  /** Gas bought for the call on arrival, null when none was. */
  composeGas: bigint | null;
}

const EXECUTOR = 1;
const RECEIVE = 1;
const COMPOSE = 3;

/**
 * Reads LayerZero execution options of type 3 that buy gas and nothing else; null for any other, above all
 * for a drop of native tokens to an address on arrival. Source: LayerZero V2 ExecutorOptions.sol.
 */
export function decodeLayerZeroOptions(options: Hex): LayerZeroOptions | null {
  if (options === "0x") return { composeGas: null };
  if (size(options) < 2 || slice(options, 0, 2) !== "0x0003") return null;
  let composeGas: bigint | null = null;
  for (let at = 2; at < size(options); ) {
    const option = readOption(options, at);
    if (option === null) return null;
    if (option.type === COMPOSE) composeGas = (composeGas ?? 0n) + option.gas;
    at = option.end;
  }
  return { composeGas };
}

/** One option: worker, length, type, then gas (16 bytes), after an index (2 bytes) for a call on arrival. */
function readOption(options: Hex, at: number): { type: number; gas: bigint; end: number } | null {
  if (size(options) < at + 4) return null;
  const worker = hexToNumber(slice(options, at, at + 1));
  const length = hexToNumber(slice(options, at + 1, at + 3));
  const type = hexToNumber(slice(options, at + 3, at + 4));
  const end = at + 3 + length;
  const gasAt = type === RECEIVE ? at + 4 : at + 6;
  if (worker !== EXECUTOR || (type !== RECEIVE && type !== COMPOSE)) return null;
  if (end !== gasAt + 16 || size(options) < end) return null;
  if (type === COMPOSE && slice(options, at + 4, at + 6) !== "0x0000") return null;
  return { type, gas: hexToBigInt(slice(options, gasAt, end)), end };
}
