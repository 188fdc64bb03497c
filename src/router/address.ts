import { concatHex, type Hex } from "viem";
import { depositRouterCreate2, depositRouterCreationCode } from "./artifact.ts";

/** Where the DepositRouter is, on every chain that has it. The same compiler, source and factory give this address. */
export const depositRouterAddress = depositRouterCreate2.address;

/** The Executor that the Router's constructor creates and every deposit clones. */
export const executorImplementationAddress = depositRouterCreate2.child;

/** keccak256 of the Router's runtime code: what EXTCODEHASH gives, and what a chain must show before it is served. */
export const depositRouterCodeHash = depositRouterCreate2.codeHash;

/** The factory that deploys it: keyless, ownerless, preinstalled or deployable on every EVM chain. */
export const create2Factory = depositRouterCreate2.factory;

/**
 * Builds the transaction that deploys the Router; anyone may send it, and the result is the same.
 *
 * Its data is the factory's own format: a 32-byte salt (zero), then the creation code. It costs about 1.6 million gas
 * and fails where the Router already exists or the factory does not.
 * @see https://github.com/Arachnid/deterministic-deployment-proxy
 */
export function deployTransaction(): { to: Hex; data: Hex } {
  return { to: create2Factory, data: concatHex([depositRouterCreate2.salt, depositRouterCreationCode]) };
}
