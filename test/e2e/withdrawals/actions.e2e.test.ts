import { describe, expect, inject, test } from "vitest";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { VaultActions } from "../../../src/schemas/position-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser } from "../../support/e2e/chain.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
// A vault that was never active is not known to either.
const known = inject("stack").vaults.filter(({ scenario }) => scenario !== "unsupported");

const actionsOf = async (user: string, vault: StackVault) =>
  bodyOf(await api.send(`/v1/actions/${user}/${vault.vault_id}`), { schema: VaultActions });

/** What a build of these shares says: null if it can be signed, else its code. */
async function buildCode(user: string, of: { vault: StackVault; shares: string }): Promise<string | null> {
  const { vault, shares } = of;
  const body = { vault_id: vault.vault_id, user_address: user, shares };
  const answer = await api.send("/v1/withdraw/build", { body });
  return answer.status === 200 ? null : (answer.json as { code: string }).code;
}

/** What builds of a small and of a large deposit of the asset say: null if it can be signed, else its code. */
async function depositCodes(user: string, vault: StackVault): Promise<(string | null)[]> {
  const { asset, min_deposit: least } = await api.vault(vault.vault_id);
  const whole = 10n ** BigInt(asset.decimals);
  const small = BigInt(least ?? 0) > whole ? BigInt(least ?? 0) : whole;
  const build = async (amount: bigint) => {
    const paid = { from_chain_id: vault.chain_id, from_token: asset.address, from_amount: String(amount) };
    const body = { ...paid, vault_id: vault.vault_id, user_address: user };
    const answer = await api.send("/v1/quote/build", { body });
    return answer.status === 200 ? null : (answer.json as { code: string }).code;
  };
  return Promise.all([small, 1_000n * small].map(build));
}

/** Returns a user who holds shares where the vault gives them at once, else one who holds none. */
async function userOf(vault: StackVault): Promise<string> {
  try {
    return (await holderOf(api, vault)).user.address;
  } catch {
    return (await newUser(chainOf(vault.chain_id), {})).address;
  }
}

describe.each(known.map((vault) => [`${vault.chain_id}: ${vault.name}`, vault] as const))(
  "%s",
  (_name, vault) => {
    test("the action to deposit names what a build says, also to a user who holds nothing", async () => {
      const { address } = await newUser(chainOf(vault.chain_id), {});
      const { deposit } = await actionsOf(address, vault);
      const codes = await depositCodes(address, vault);
      expect(codes).toContain(deposit.code);
      expect(deposit.allowed).toBe(codes.includes(null));
    });

    test("the action to withdraw names what a build says", async () => {
      const stranger = await newUser(chainOf(vault.chain_id), {});
      for (const user of [stranger.address, await userOf(vault)]) {
        const { withdraw } = await actionsOf(user, vault);
        const code = await buildCode(user, {
          vault,
          shares: (withdraw.allowed ? withdraw.max : null) ?? "all",
        });
        const said = { user, allowed: withdraw.allowed, code: withdraw.code };
        expect(said).toEqual({ user, allowed: code === null, code });
      }
    });
  },
);
