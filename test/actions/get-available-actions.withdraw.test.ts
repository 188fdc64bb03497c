import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import { OTHER, USER, VAULT } from "../support/deposits/fixtures.ts";
import { balanceKey } from "../support/deposits/simulated-chain.ts";
import { HELD } from "../support/withdrawals/fixtures.ts";
import { vedaQueue } from "../support/withdrawals/veda-exit-answers.ts";
import {
  cooling,
  createWithdrawalFixture,
  storedOf,
  waitingFunctions,
} from "../support/withdrawals/withdrawing.ts";

test("getActions() offers a withdrawal in another token than the asset if the vault pays only that", async () => {
  const withdrawal = async (pays: readonly string[]) => {
    const { vault, ...world } = vedaQueue({ pays });
    const effects = () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } });
    const vaults = [storedOf(vault, { acceptedAssets: [...vault.acceptedAssets] })];
    const { ctx } = await createWithdrawalFixture({ ...world, effects, vaults });
    return (await getActions(ctx, { user: USER, vaultId: vault.vaultId })).withdraw;
  };
  expect(await withdrawal([OTHER])).toMatchObject({ allowed: true, mode: "request", max: `${HELD}` });
  expect(await withdrawal([])).toMatchObject({ allowed: false, code: "token_unsupported" });
});

test("getActions() says that a cooldown is open, not that nothing is paid at once, and that none is ever cancelled", async () => {
  const actions = async (open: bigint) => {
    const { ctx } = await createWithdrawalFixture({
      ...{ vaults: [storedOf(cooling)], functions: waitingFunctions },
      answers: { cooldowns: [1n, open], cooldownDuration: 604_800, maxRedeem: HELD },
      effects: () => ({ rises: { [balanceKey(VAULT, USER)]: -HELD } }),
    });
    return getActions(ctx, { user: USER, vaultId: cooling.vaultId });
  };
  expect((await actions(0n)).withdraw).toMatchObject({ allowed: true, mode: "cooldown" });
  const { withdraw, cancel } = await actions(5n);
  expect(withdraw).toMatchObject({ allowed: false, code: "request_pending", mode: "cooldown" });
  expect(cancel).toMatchObject({ allowed: false, code: "mode_unsupported", mode: "cooldown" });
});
