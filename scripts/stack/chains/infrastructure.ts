import { type Address, type Hex, keccak256 } from "viem";
import { permit2CreationCode } from "#stand-ins/authorization";
import {
  deployTransaction,
  depositRouterAddress,
  depositRouterCodeHash,
} from "../../../src/router/router-address.ts";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import type { ChainScript } from "./chain-script.ts";
import { rpc } from "./json-rpc.ts";
import { publishedCode } from "./published-code.ts";

/**
 * Multicall3's address on every chain where its presigned transaction was sent. The service's own reads do not use
 * it.
 */
const CANONICAL_MULTICALL3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** Sets Multicall3's runtime code at its canonical address, and returns the address. */
export async function installMulticall3(url: string): Promise<Address> {
  const runtime = await rpc(url, "eth_call", { data: publishedCode("multicall3") }, "latest");
  await rpc(url, "anvil_setCode", CANONICAL_MULTICALL3, runtime);
  return CANONICAL_MULTICALL3;
}

/** Sets the code of Permit2's stand-in at Permit2's address. It has no immutables, so it works at any address. */
export async function installPermit2(url: string): Promise<void> {
  const runtime = await rpc(url, "eth_call", { data: permit2CreationCode }, "latest");
  await rpc(url, "anvil_setCode", permit2Address, runtime);
}

/**
 * Queues the deployment of the DepositRouter through the CREATE2 factory, which every anvil includes; returns its
 * address.
 */
export function scriptRouterDeployment(script: ChainScript): Address {
  script.send("deploy DepositRouter", deployTransaction());
  return depositRouterAddress;
}

/** Throws unless the chain holds the expected code of the DepositRouter. */
export async function verifyRouter(url: string, chainId: number): Promise<void> {
  const code = String(await rpc(url, "eth_getCode", depositRouterAddress, "latest")) as Hex;
  const found = code === "0x" ? "no code" : `code hash ${keccak256(code)}`;
  if (found !== `code hash ${depositRouterCodeHash}`) {
    throw new Error(
      `chain ${chainId}: DepositRouter at ${depositRouterAddress} has ${found}, expected ${depositRouterCodeHash}; ` +
        "run npm run contracts:build",
    );
  }
}
