import { type Address, getAddress, type Hex, hexToBytes } from "viem";

/** Instructions after which the next one runs only if it is a jump destination: STOP, JUMP, RETURN, REVERT, INVALID. */
const ENDING: ReadonlySet<number> = new Set([0x00, 0x56, 0xf3, 0xfd, 0xfe]);
/** Instructions that run or allow other code at the same address: CALLCODE, DELEGATECALL, SELFDESTRUCT. */
const REPLACING: ReadonlySet<number> = new Set([0xf2, 0xf4, 0xff]);
const JUMPDEST = 0x5b;
const PUSH0 = 0x5f;
const PUSH32 = 0x7f;
/** First byte of code in other formats: EIP-7702 delegations and EVM objects (EIP-3540). */
const OTHER_FORMAT = 0xef;

/**
 * Returns false only if runtime code can neither delegate calls nor be replaced at its address. Unreachable data is
 * ignored. True also for empty code and other formats. Source: Ethereum Yellow Paper, valid jump destinations.
 */
export function delegatesCalls(code: Hex): boolean {
  const bytes = hexToBytes(code);
  if (bytes.length === 0 || bytes[0] === OTHER_FORMAT) return true;
  let reachable = true;
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] ?? 0;
    if (opcode === JUMPDEST) reachable = true;
    if (reachable && REPLACING.has(opcode)) return true;
    if (ENDING.has(opcode)) reachable = false;
    if (opcode > PUSH0 && opcode <= PUSH32) at += opcode - PUSH0;
  }
  return false;
}

/**
 * The code of proxies with a constant target, which they cannot change: data may follow it. The jump in it is constant,
 * so that this data cannot run. Sources: ERC-1167, ERC-3448.
 */
const CLONES: readonly RegExp[] = [
  /^0x363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/,
  /^0x363d3d373d3d3d3d60368038038091363936013d73([0-9a-f]{40})5af43d3d93803e603457fd5bf3/,
];

/**
 * Returns the constant target of a minimal proxy (ERC-1167, ERC-3448), by its runtime code in lowercase hex, or null
 * for any other code.
 */
export function cloneTarget(code: Hex): Address | null {
  const target = CLONES.map((clone) => clone.exec(code)?.[1]).find((found) => found !== undefined);
  return target === undefined ? null : getAddress(`0x${target}`);
}
