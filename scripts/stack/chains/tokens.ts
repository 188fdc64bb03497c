import { type Address, encodeDeployData, encodeFunctionData, erc20Abi } from "viem";
import { fiatTokenAbi, fiatTokenCreationCode } from "#stand-ins/authorization";
import {
  feeTokenAbi,
  feeTokenCreationCode,
  noReturnTokenAbi,
  noReturnTokenCreationCode,
  stackTokenAbi,
  stackTokenCreationCode,
  wrappedNativeAbi,
  wrappedNativeCreationCode,
} from "#stand-ins/standard";
import type { ChainScript } from "./chain-script.ts";
import { FIAT_VERSION, type TokenPlan } from "./plan.ts";

/** Queues the deployment of a token of the plan and returns its address. */
export function deployToken(script: ChainScript, token: TokenPlan): Address {
  const { name, symbol, decimals } = token;
  const args = [name, symbol, decimals] as const;
  switch (token.kind) {
    case "plain":
      return script.deploy(
        symbol,
        encodeDeployData({ abi: stackTokenAbi, bytecode: stackTokenCreationCode, args }),
      );
    case "fiat":
      return script.deploy(
        symbol,
        encodeDeployData({
          abi: fiatTokenAbi,
          bytecode: fiatTokenCreationCode,
          args: [...args, FIAT_VERSION],
        }),
      );
    case "no_return":
      return script.deploy(
        symbol,
        encodeDeployData({ abi: noReturnTokenAbi, bytecode: noReturnTokenCreationCode, args }),
      );
    case "fee":
      return script.deploy(
        symbol,
        encodeDeployData({ abi: feeTokenAbi, bytecode: feeTokenCreationCode, args }),
      );
    case "wrapped_native":
      return script.deploy(symbol, wrappedNativeCreationCode);
  }
}

/** Queues mints of a token: `amount` (smallest units) to the deployer and the token's funding to each of `accounts`. */
export function fundAccounts(
  script: ChainScript,
  input: { token: TokenPlan; address: Address; amount: bigint; accounts: readonly Address[] },
): void {
  const { token, address, amount, accounts } = input;
  if (token.kind === "wrapped_native") {
    const value = amount + token.funding * BigInt(accounts.length);
    const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: "deposit" });
    script.send("wrap", { to: address, value, data });
    for (const account of accounts) {
      const args = [account, token.funding] as const;
      const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
      script.send("transfer WETH", { to: address, data: transfer });
    }
    return;
  }
  const mint = (to: Address, value: bigint) => {
    const data = encodeFunctionData({ abi: stackTokenAbi, functionName: "mint", args: [to, value] });
    script.send(`mint ${token.symbol}`, { to: address, data });
  };
  mint(script.deployer, amount);
  for (const account of accounts) mint(account, token.funding);
}
