import { expect, test } from "vitest";
import { getActions } from "../../src/actions/get-available-actions.ts";
import type { ChainClient } from "../../src/chains/chain-client.ts";
import type { StoredVault, Vault } from "../../src/vaults/vault.ts";
import { testContext } from "../support/context.ts";
import { NOW, USDC, USER, VAULT, vault } from "../support/deposits/fixtures.ts";
import { cacheStorageLayout } from "../support/deposits/routed-fixtures.ts";
import { balanceKey, sharesFor, simulatedChain } from "../support/deposits/simulated-chain.ts";
import { fixedDatabase, rememberRouter, storedOf } from "../support/withdrawals/withdrawing.ts";

/** A vault that its users call. */
const own: Vault = { ...vault, caller: "user" };
const effects = () => ({ rises: { [balanceKey(VAULT, USER)]: sharesFor(1_000_000n) } });

/** Lets everything start that needs no answer of a node. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the actions, with the RPC requests and the number of those that wait for each other. */
async function actionsOf(answers: Record<string, unknown>, status: StoredVault["status"] = "active") {
  const { client } = simulatedChain({ answers, effects });
  let [requests, waits] = [0, 0];
  const counting: ChainClient = {
    ...client,
    request: async (method, params) => {
      const place = waits + 1;
      requests += 1;
      await nextTurn();
      const answer = await client.request(method, params);
      waits = Math.max(waits, place);
      return answer;
    },
  };
  const row = storedOf(own, { caller: "user", status });
  const ctx = testContext({ clients: [counting], nowMs: NOW, db: fixedDatabase(() => [row]) });
  await rememberRouter(ctx, false);
  await cacheStorageLayout(ctx, USDC);
  const asked = { user: USER, vaultId: own.vaultId };
  // Keeps the vault and the modules in memory.
  await getActions(ctx, asked);
  [requests, waits] = [0, 0];
  const { deposit, withdraw } = await getActions(ctx, asked);
  return { deposit: deposit.code, withdraw: withdraw.code, requests, waits };
}

test("an account without shares waits for two requests to the chain, one after the other", async () => {
  expect(await actionsOf({ balanceOf: 0n })).toEqual({
    ...{ deposit: null, withdraw: "nothing_to_withdraw", requests: 3, waits: 2 },
  });
});

test("a deposit that is paused here is not simulated", async () => {
  expect(await actionsOf({ balanceOf: 0n }, "paused")).toEqual({
    ...{ deposit: "vault_paused", withdraw: "nothing_to_withdraw", requests: 2, waits: 2 },
  });
});
