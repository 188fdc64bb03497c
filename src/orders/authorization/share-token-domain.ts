import { type Address, domainSeparator, type Hex, parseAbi } from "viem";
import { createQuery, type Query, read, valueOrNull } from "../../chains/chain-reads.ts";
import type { SigningToken } from "../../config/signing-token-setting.ts";
import { sameAddress } from "../../lib/address.ts";
import { once } from "../../lib/once.ts";

/**
 * What a share token's view functions return about its EIP-712 domain. A field is null if its function is missing or
 * failed.
 */
export interface StatedDomain {
  separator: Hex | null;
  /**
   * Domain from `eip712Domain()` (EIP-5267), or null if it has other fields than name, version, chain and contract, or
   * extensions.
   */
  own: { name: string; version: string; chainId: bigint; verifyingContract: Address } | null;
  name: string | null;
  /** Version of the domain of Yearn's vaults, from `apiVersion()`. */
  apiVersion: string | null;
}

const domainAbi = once(() =>
  parseAbi([
    "function DOMAIN_SEPARATOR() view returns (bytes32)",
    "function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)",
    "function name() view returns (string)",
    "function apiVersion() view returns (string)",
  ]),
);

/** Bit mask of a domain with exactly name, version, chain and contract. Source: EIP-5267. */
const FOUR_FIELDS = "0x0f";

/**
 * Returns the query for a vault's share token with its EIP-712 domain for permits (ERC-2612), to be batched with other
 * reads. The result is that of `findShareToken`.
 */
export function sharePermitQuery(of: { chainId: number; token: Address }): Query<SigningToken | null> {
  const on = { to: of.token, abi: domainAbi() };
  return createQuery(
    {
      separator: read({ ...on, name: "DOMAIN_SEPARATOR" }),
      own: read({ ...on, name: "eip712Domain" }),
      name: read({ ...on, name: "name" }),
      apiVersion: read({ ...on, name: "apiVersion" }),
    },
    (seen): SigningToken | null => {
      const own = valueOrNull(seen.own);
      const plain = own !== null && own[0] === FOUR_FIELDS && own[6].length === 0;
      return findShareToken(of, {
        separator: valueOrNull(seen.separator),
        own: plain ? { name: own[1], version: own[2], chainId: own[3], verifyingContract: own[4] } : null,
        name: valueOrNull(seen.name),
        apiVersion: valueOrNull(seen.apiVersion),
      });
    },
  );
}

/** Maximum length of a domain's name, in characters. */
const MAX_NAME = 100;

/**
 * Returns a share token with its EIP-712 domain, for permits, or null if no tried domain has its separator, if
 * `eip712Domain()` names another chain or contract, or if the name exceeds 100 characters. How the token verifies
 * signatures is unknown, so `checks` is `code`. Source: EIP-5267.
 */
export function findShareToken(
  { chainId, token }: { chainId: number; token: Address },
  stated: StatedDomain,
): SigningToken | null {
  const { separator, own, name, apiVersion } = stated;
  if (separator === null) return null;
  const elsewhere =
    own !== null && (own.chainId !== BigInt(chainId) || !sameAddress(own.verifyingContract, token));
  if (elsewhere) return null;
  const here = { chainId, verifyingContract: token };
  const candidates = [
    ...(own === null ? [] : [{ name: own.name, version: own.version, ...here }]),
    ...(name === null ? [] : [{ name, version: "1", ...here }]),
    ...(apiVersion === null ? [] : [{ name: "Yearn Vault", version: apiVersion, ...here }]),
    here,
  ];
  const domain = candidates.find((one) => domainSeparator({ domain: one }) === separator);
  if (domain === undefined || ("name" in domain && domain.name.length > MAX_NAME)) return null;
  return { domain, separator, permit: true, erc3009: false, checks: "code" };
}
