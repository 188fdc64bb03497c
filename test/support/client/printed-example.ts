import { readFileSync } from "node:fs";
import { inject } from "vitest";

/** Returns the client's example as the README prints it. Throws if there is none. */
export function printedExample(): string {
  const printed = /```ts\n([\s\S]*?)```/.exec(readFileSync("README.md", "utf8"))?.[1];
  if (printed === undefined) throw new Error("the README has no example of the client");
  return printed;
}

/** Returns the README's example with the addresses of its API, token and vault replaced by some of the stack. */
export const exampleOnStack = (of: { chainId: number; token: string; vaultId: string }): string =>
  printedExample()
    .replace("https://api.example", inject("stack").api)
    .replace("fromChainId: 8453", `fromChainId: ${of.chainId}`)
    .replace("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", of.token)
    .replace("8453:0xbeef010f9cb27031ad51e3333f9af9c6b1228183", of.vaultId);
