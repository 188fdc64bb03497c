import { type Address, erc20Abi, getContractAddress, type Hex } from "viem";
import type { TestChain } from "./chain.ts";

/** Returns an account's balance of an ERC-20 token. */
export function balanceOf(
  chain: Pick<TestChain, "client">,
  of: { token: Address; owner: Address },
): Promise<bigint> {
  const { token, owner } = of;
  return chain.client.readContract({
    address: token,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [owner],
  });
}

/** Returns an allowance of an ERC-20 token. */
export function allowanceOf(
  chain: TestChain,
  of: { token: Address; owner: Address; spender: Address },
): Promise<bigint> {
  const args = [of.owner, of.spender] as const;
  return chain.client.readContract({ address: of.token, abi: erc20Abi, functionName: "allowance", args });
}

/**
 * Returns the addresses of the Router, its Executor, and the clone that will run the next deposit (derived from
 * CREATE's nonce).
 */
export async function routerParts(
  chain: TestChain,
): Promise<Record<"router" | "executor" | "clone", Address>> {
  const router = chain.info.contracts.deposit_router;
  const nonce = BigInt(await chain.client.getTransactionCount({ address: router }));
  return {
    router,
    executor: getContractAddress({ from: router, nonce: 1n }),
    clone: getContractAddress({ from: router, nonce }),
  };
}

/**
 * Returns the contracts' remaining balances of tokens and native currency, and the allowances between them and other
 * accounts. Only nonzero entries are included, so `{}` means that nothing is left.
 */
export async function leftIn(
  chain: TestChain,
  look: { at: Record<string, Address>; tokens: Record<string, Address>; others: Record<string, Address> },
): Promise<Record<string, bigint>> {
  const found: Record<string, bigint> = {};
  const note = (name: string, amount: bigint) => {
    if (amount !== 0n) found[name] = amount;
  };
  const work: Promise<void>[] = [];
  for (const [name, owner] of Object.entries(look.at)) {
    work.push(chain.client.getBalance({ address: owner }).then((amount) => note(`${name}: native`, amount)));
    for (const [symbol, token] of Object.entries(look.tokens)) {
      work.push(balanceOf(chain, { token, owner }).then((amount) => note(`${name}: ${symbol}`, amount)));
      for (const [other, address] of Object.entries({ ...look.at, ...look.others })) {
        const out = allowanceOf(chain, { token, owner, spender: address });
        work.push(out.then((amount) => note(`${symbol}: ${name} allows ${other}`, amount)));
        const back = allowanceOf(chain, { token, owner: address, spender: owner });
        work.push(back.then((amount) => note(`${symbol}: ${other} allows ${name}`, amount)));
      }
    }
  }
  await Promise.all(work);
  return found;
}

/** Returns true when an address has code. */
export async function hasCode(chain: TestChain, address: Address): Promise<boolean> {
  const code: Hex | undefined = await chain.client.getCode({ address });
  return code !== undefined && code !== "0x";
}
