import {
  type AbiParameter,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
} from "viem";

/**
 * Decodes ABI data that is encoded in the one canonical way, so that what was read is all there is: no
 * trailing bytes, no overlapping or hidden parts, no dirty padding. Null for anything else.
 */
export function decodeCanonical<const P extends readonly AbiParameter[]>(
  parameters: P,
  data: Hex,
): DecodeAbiParametersReturnType<P> | null {
  try {
    const values = decodeAbiParameters(parameters, data);
    const again = encodeAbiParameters(parameters as readonly AbiParameter[], values as readonly unknown[]);
    return again === data.toLowerCase() ? values : null;
  } catch {
    return null;
  }
}
