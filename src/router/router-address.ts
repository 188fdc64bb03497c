import { concatHex, type Hex } from "viem";
import { depositRouterCreate2, depositRouterCreationCode } from "./deposit-router-artifact.ts";

/** Address of the DepositRouter, the same on every chain because factory, salt and creation code are the same. */
export const depositRouterAddress = depositRouterCreate2.address;

/** Address of the Executor implementation, which the Router's constructor creates and every deposit clones. */
export const executorImplementationAddress = depositRouterCreate2.child;

/**
 * keccak256 of the Router's runtime code (EXTCODEHASH). A chain is served only if the code at the Router's address has
 * this hash.
 */
export const depositRouterCodeHash = depositRouterCreate2.codeHash;

/**
 * Address of the CREATE2 factory that deploys the Router. It has no owner, and it is preinstalled or can be deployed on
 * every EVM chain.
 */
export const create2Factory = depositRouterCreate2.factory;

/**
 * Returns the transaction that deploys the Router; it can be sent from any account. The data has the factory's format:
 * a 32-byte salt (zero), followed by the creation code. It costs about 3.2 million gas and fails if the Router already
 * exists or the factory does not. Source: github.com/Arachnid/deterministic-deployment-proxy.
 */
export function deployTransaction(): { to: Hex; data: Hex } {
  return { to: create2Factory, data: concatHex([depositRouterCreate2.salt, depositRouterCreationCode]) };
}
