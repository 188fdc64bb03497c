import type { Address } from "viem";
import { BuildInput } from "../../../src/schemas/build-input-schema.ts";
import type { Vault } from "../../../src/vaults/vault.ts";
import { USDC, USER, VAULT, vault } from "../deposits/fixtures.ts";
import { balanceKey, sharesFor } from "../deposits/simulated-chain.ts";
import { HELD, WORTH } from "./fixtures.ts";
import { createWithdrawalFixture, storedOf, type WithdrawalFixture } from "./withdrawing.ts";

/** Target vault of the move, with the same asset. */
export const TARGET_VAULT: Address = "0x1111111111111111111111111111111111111111";
export const into: Vault = {
  ...vault,
  ...{ vaultId: `${vault.chainId}:${TARGET_VAULT}`, address: TARGET_VAULT, name: "Other USDC" },
  ...{ shareToken: TARGET_VAULT, entryPoint: TARGET_VAULT, spender: TARGET_VAULT, pricer: TARGET_VAULT },
};
export const NEW_SHARES = sharesFor(WORTH);

/**
 * Creates a chain on which the user can move all shares. The database's first result is the registry with both vaults.
 */
export function createMoveFixture(
  world: Parameters<typeof createWithdrawalFixture>[0] & { target?: Vault } = {},
): Promise<WithdrawalFixture> {
  const { target = into, effects, ...others } = world;
  const rises = { [balanceKey(USDC, USER)]: WORTH, [balanceKey(TARGET_VAULT, USER)]: NEW_SHARES };
  // Postgres is asked for the vault that is moved into.
  const vaults = others.vaults ?? [storedOf(target)];
  return createWithdrawalFixture({ ...others, vaults, effects: effects ?? (() => ({ rises })) });
}

/** Returns a request to deposit all shares of the first vault into the second, with changes. */
export const moveInput = (change: Record<string, unknown> = {}): BuildInput =>
  BuildInput.parse({
    ...{ from_chain_id: vault.chainId, from_token: VAULT, from_amount: HELD.toString() },
    ...{ vault_id: into.vaultId, user_address: USER },
    ...change,
  });
