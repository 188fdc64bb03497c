import { concatHex, type Hex } from "viem";
import { depositRouterCreate2, depositRouterCreationCode } from "./deposit-router-artifact.ts";

/** Address of the DepositRouter, the same on every chain because factory, salt and creation code are the same. */
export const depositRouterAddress = depositRouterCreate2.address;

/** Address of the Executor implementation, which the Router's constructor creates and every order clones. */
export const executorImplementationAddress = depositRouterCreate2.child;

/**
 * keccak256 of the Router's runtime code (EXTCODEHASH), against which the code at the Router's address on a chain is
 * checked.
 */
export const depositRouterCodeHash = depositRouterCreate2.codeHash;

/** keccak256 of the Executor implementation's runtime code, which contains the Router's address and its own. */
export const executorCodeHash = depositRouterCreate2.childCodeHash;

/** keccak256 of the CREATE2 factory's runtime code. Source: github.com/Arachnid/deterministic-deployment-proxy. */
export const create2FactoryCodeHash = "0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989";

/**
 * Address of the CREATE2 factory that deploys the Router. It has no owner, and its address is the same on every chain
 * where it is deployed.
 */
export const create2Factory = depositRouterCreate2.factory;

/**
 * Returns the transaction that deploys the Router, from any account. It reverts if the Router already exists, and
 * deploys nothing on a chain without the factory. Source: github.com/Arachnid/deterministic-deployment-proxy.
 */
export function deployTransaction(): { to: Hex; data: Hex } {
  return { to: create2Factory, data: concatHex([depositRouterCreate2.salt, depositRouterCreationCode]) };
}
