import {
  type AbiParameter,
  type DecodeAbiParametersReturnType,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
} from "viem";

/**
 * Decodes canonically encoded ABI parameters (without a selector), or returns null for any other data, such as data
 * with trailing bytes. The decoded values are the entire content of the data. Never throws.
 */
export function decodeCanonical<const P extends readonly AbiParameter[]>(
  parameters: P,
  data: Hex,
): DecodeAbiParametersReturnType<P> | null {
  try {
    const values = decodeAbiParameters(parameters, data);
    const canonical = encodeAbiParameters(
      parameters as readonly AbiParameter[],
      values as readonly unknown[],
    );
    return canonical === data.toLowerCase() ? values : null;
  } catch {
    return null;
  }
}
