import { concatHex, type Hex } from "viem";
import { depositRouterCreate2, depositRouterCreationCode } from "./deposit-router-artifact.ts";

/** The DepositRouter's address on every chain: the same factory, salt and creation code give the same address. */
export const depositRouterAddress = depositRouterCreate2.address;

/** The Executor implementation that the Router's constructor creates and every deposit clones. */
export const executorImplementationAddress = depositRouterCreate2.child;

/** keccak256 of the Router's runtime code (EXTCODEHASH); a chain must show it before it is served. */
export const depositRouterCodeHash = depositRouterCreate2.codeHash;

/**
 * The CREATE2 factory that deploys the Router: without owner or key, preinstalled or deployable on every EVM chain.
 */
export const create2Factory = depositRouterCreate2.factory;

/**
 * Builds the transaction that deploys the Router; anyone may send it, with the same result. The data is the factory's
 * format: a 32-byte salt (zero), then the creation code. It costs about 1.6 million gas and fails where the Router
 * already exists or the factory does not. Source: github.com/Arachnid/deterministic-deployment-proxy.
 */
export function deployTransaction(): { to: Hex; data: Hex } {
  return { to: create2Factory, data: concatHex([depositRouterCreate2.salt, depositRouterCreationCode]) };
}
