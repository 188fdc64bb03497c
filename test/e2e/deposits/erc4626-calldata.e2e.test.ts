import { type Address, decodeFunctionData, type Hex } from "viem";
import { describe, expect, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { Api } from "../../support/e2e/api.ts";
import { routerParts } from "../../support/e2e/balances.ts";
import { addressOf, chainOf, newUser, type TestChain, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts, bodyFor } from "../../support/e2e/deposit.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";
import {
  argumentOffsets,
  decodeErc4626Call,
  type Erc4626Call,
} from "../../support/standards/erc4626-calldata.ts";

const api = new Api();
/** The Router's placeholder for the executor's own address. */
const SELF = "0x00000000000000000000000000000000000000ff";
const vaults = vaultsFor("honest", "caller", "family");
/** Families whose vaults are called as EIP-4626 says; Fluid's have functions of their own, with a minimum. */
const standard = ["erc4626", "metamorpho", "euler", "gearbox", "yearn", "silo"];

interface RouterStep {
  target: Address;
  data: Hex;
  patches: readonly { offset: bigint; token: Address }[];
}
/** A call of a vault: the decoded arguments, and which of them the Router writes, with what. */
interface VaultCall {
  call: Erc4626Call;
  patched: Readonly<Record<number, string>>;
  direct: boolean;
}

/** Returns the ERC-4626 calls that a built transaction makes at a vault, itself or as steps of the Router. */
async function vaultCalls(
  chain: TestChain,
  { vault, request }: { vault: StackVault; request: { to: string; data: string } },
): Promise<VaultCall[]> {
  const isVault = (target: string) => target.toLowerCase() === addressOf(vault).toLowerCase();
  if (isVault(request.to)) {
    const call = decodeErc4626Call(request.data);
    return call === null ? [] : [{ call, patched: {}, direct: true }];
  }
  const { router } = await routerParts(chain);
  if (request.to.toLowerCase() !== router.toLowerCase()) return [];
  const { args } = decodeFunctionData({ abi: depositRouterAbi, data: request.data as Hex });
  const steps = (args?.[1] ?? []) as readonly RouterStep[];
  return steps.flatMap(({ target, data, patches }) => {
    const call = isVault(target) ? decodeErc4626Call(data) : null;
    if (call === null) return [];
    const patched = patches.map(({ offset, token }) => [Number(offset), token.toLowerCase()] as const);
    return [{ call, patched: Object.fromEntries(patched), direct: false }];
  });
}

describe("calldata of ERC-4626 vaults, read by a decoder of its own", () => {
  const seen = new Set<string>();

  test("deposits name the amount and the user, and the Router writes no argument but the amount", async () => {
    for (const vault of vaults) {
      const chain = chainOf(vault.chain_id);
      const user = await newUser(chain, { [vault.asset_symbol]: amounts[vault.asset_symbol] });
      const answer = await api.send("/v1/quote/build", { body: bodyFor(vault, { user: user.address }) });
      // What the vault refuses by its own rules is tested elsewhere.
      if (answer.status !== 200) continue;
      const built = answer.json as { transaction_request: { to: string; data: string } };
      for (const { call, patched, direct } of await vaultCalls(chain, {
        vault,
        request: built.transaction_request,
      })) {
        seen.add(vault.adapter);
        expect([vault.name, call.name, call.receiver]).toEqual([
          vault.name,
          "deposit",
          user.address.toLowerCase(),
        ]);
        if (direct) expect([vault.name, call.amount]).toEqual([vault.name, amounts[vault.asset_symbol]]);
        else expect([vault.name, Object.keys(patched)]).toEqual([vault.name, [`${argumentOffsets.amount}`]]);
      }
    }
    expect([...seen]).toEqual(expect.arrayContaining(standard.filter((one) => adapters.has(one))));
    expect(seen.size).toBeGreaterThan(10);
  });

  const adapters = new Set(vaults.map(({ adapter }) => adapter));
  const oneEach = [...adapters].flatMap((adapter) => vaults.find((vault) => vault.adapter === adapter) ?? []);
  test.each(oneEach.filter(({ adapter }) => standard.includes(adapter)))(
    "a withdrawal from $name burns the user's shares for the user",
    async (vault) => {
      const { user, shares } = await holderOf(api, vault);
      const chain = chainOf(vault.chain_id);
      const body = { vault_id: vault.vault_id, user_address: user.address, shares: String(shares) };
      const built = await api.withdraw(body);
      const calls = await vaultCalls(chain, { vault, request: built.transaction_request });
      expect(calls).toHaveLength(1);
      for (const { call, patched, direct } of calls) {
        expect(call.name).toBe("redeem");
        const own = user.address.toLowerCase();
        if (direct) expect(call).toEqual({ name: "redeem", amount: shares, receiver: own, owner: own });
        else {
          // The executor holds the shares and receives the assets, which the Router then pays out and measures.
          const { amount, receiver, owner } = argumentOffsets;
          expect(
            Object.keys(patched)
              .map(Number)
              .sort((a, b) => a - b),
          ).toEqual([amount, receiver, owner]);
          expect([patched[receiver], patched[owner]]).toEqual([SELF, SELF]);
        }
      }
    },
  );
});
