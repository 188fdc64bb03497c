/** A call of an ERC-4626 vault that moves money, as the standard lays it out. */
export interface Erc4626Call {
  name: "deposit" | "mint" | "withdraw" | "redeem";
  /** Assets of `deposit` and `withdraw`, shares of `mint` and `redeem`. */
  amount: bigint;
  receiver: string;
  /** Whose shares are burned; null where shares are made. */
  owner: string | null;
}

/**
 * The functions by selector, with their arguments in order. Restated from EIP-4626, "Methods"; a selector is the first
 * four bytes of the Keccak-256 digest of the signature.
 */
export const erc4626Functions = {
  "6e553f65": { name: "deposit", signature: "deposit(uint256,address)", owned: false },
  "94bf804d": { name: "mint", signature: "mint(uint256,address)", owned: false },
  b460af94: { name: "withdraw", signature: "withdraw(uint256,address,address)", owned: true },
  ba087652: { name: "redeem", signature: "redeem(uint256,address,address)", owned: true },
} as const;

/** Byte offsets of the arguments in the calldata: after the selector, one word each. */
export const argumentOffsets = { amount: 4, receiver: 36, owner: 68 } as const;

/**
 * Decodes calldata of an ERC-4626 vault by hand, independently of the encoder. Returns null for another function. Throws
 * RangeError if it is longer or shorter than its arguments, or if an address has bits above 160.
 */
export function decodeErc4626Call(data: string): Erc4626Call | null {
  const hex = data.toLowerCase();
  const known = Object.entries(erc4626Functions).find(([selector]) => hex.startsWith(`0x${selector}`))?.[1];
  if (known === undefined) return null;
  const words = hex.slice(10).match(/.{1,64}/g) ?? [];
  const expected = known.owned ? 3 : 2;
  if (words.length !== expected || words.some((word) => word.length !== 64))
    throw new RangeError(`${known.name} has ${expected} words, not ${hex.length / 64}`);
  const addressAt = (index: number): string => {
    const word = words[index] ?? "";
    if (!/^0{24}[0-9a-f]{40}$/.test(word)) throw new RangeError(`argument ${index} is no address: ${word}`);
    return `0x${word.slice(24)}`;
  };
  return {
    name: known.name,
    amount: BigInt(`0x${words[0]}`),
    receiver: addressAt(1),
    owner: known.owned ? addressAt(2) : null,
  };
}
