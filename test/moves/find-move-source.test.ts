import { expect, test } from "vitest";
import { findMovedVault, vaultOfShare } from "../../src/moves/find-move-source.ts";
import { BuildInput } from "../../src/schemas/build-input-schema.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { createWithdrawalFixture, storedOf } from "../support/withdrawals/withdrawing.ts";

const INTO = "0x1111111111111111111111111111111111111111";
const into = { ...storedOf(vault), address: INTO, shareToken: INTO, entryPoint: INTO };

/** What pays for a deposit into the second vault; the registry holds these rows, and Postgres says `stored`. */
async function paidWith(
  token: string,
  of: { rows?: readonly (typeof into)[]; stored?: readonly (typeof into)[]; fromChain?: number } = {},
) {
  const rows = of.rows ?? [storedOf(vault), into];
  const world = await createWithdrawalFixture({ vaults: rows });
  const input = BuildInput.parse({
    ...{ from_chain_id: of.fromChain ?? vault.chainId, from_token: token, from_amount: "5" },
    ...{ vault_id: `${vault.chainId}:${INTO}`, user_address: USER },
  });
  const answers = [rows, of.stored ?? rows];
  const db = { run: async <T>() => (answers.shift() ?? rows) as T };
  return findMovedVault({ ...world.ctx, db }, input);
}

test("findMovedVault() finds the vault whose share token pays", async () => {
  expect(await paidWith(VAULT)).toMatchObject({ kind: "other", vault: { vaultId: vault.vaultId } });
});

test("vaultOfShare() prefers the open vault of two with one share token", () => {
  const older = { ...vault, address: OTHER, status: "paused" as const };
  const share = { chainId: vault.chainId, token: vault.shareToken };
  expect(vaultOfShare([older, vault], share)).toBe(vault);
  expect(vaultOfShare([vault, older], share)).toBe(vault);
  expect(vaultOfShare([older], share)).toBe(older);
  expect(vaultOfShare([vault], { ...share, chainId: 31338 })).toBeUndefined();
});

test("findMovedVault() takes a token that is nobody's share, or another chain's, for a plain payment", async () => {
  expect(await paidWith(USDC)).toEqual({ kind: "none" });
  expect(await paidWith(OTHER)).toEqual({ kind: "none" });
  expect(await paidWith(VAULT, { fromChain: 31338 })).toEqual({ kind: "none" });
});

test("findMovedVault() deposits a share that the other vault accepts, and names the vault's own", async () => {
  const accepts = { ...into, acceptedAssets: [{ address: VAULT, symbol: "tUSDC", decimals: 18 }] };
  expect(await paidWith(VAULT, { rows: [storedOf(vault), accepts] })).toEqual({ kind: "none" });
  expect(await paidWith(INTO)).toEqual({ kind: "own" });
});

test("findMovedVault() refuses a share that Postgres no longer names", async () => {
  const changed = { ...storedOf(vault), shareToken: OTHER };
  await expect(paidWith(VAULT, { stored: [changed] })).rejects.toMatchObject({ code: "token_unsupported" });
});
