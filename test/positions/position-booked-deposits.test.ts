import { expect, test } from "vitest";
import { pendingQuery } from "../../src/positions/position-pending-deposits.ts";
import { joinRequests } from "../../src/positions/position-redemptions.ts";
import type { Vault } from "../../src/vaults/vault.ts";
import { OTHER, USER, vault } from "../support/deposits/fixtures.ts";
import { answer } from "../support/vaults/answer.ts";

const OTHER_TOKEN_QUEUE = "0x1111111111111111111111111111111111111111";
const core: Vault = {
  ...{ ...vault, adapter: "mellow" },
  params: { queue: "sync", deposit_queues: OTHER, other_deposit_queues: OTHER_TOKEN_QUEUE },
};
const at = (queue: string) => `${core.vaultId}/${queue.toLowerCase()}/request`;
const none = [0n, 0n];
const held = [{ vault: core, shares: 5n, assets: 20n }];

test.each([
  ["no request", { [at(OTHER)]: none, [at(OTHER_TOKEN_QUEUE)]: none }, [], 0n, null],
  ["a request", { [at(OTHER)]: [9n, 4n], [at(OTHER_TOKEN_QUEUE)]: none }, [core.vaultId], -4n, 9],
  ["one in another token", { [at(OTHER)]: none, [at(OTHER_TOKEN_QUEUE)]: [9n, 4n] }, [core.vaultId], null, 9],
  ["unread queues", {}, [], null, 0],
] as const)(
  "%s at another queue than the entry point is no loss",
  (_, table, shown, correction, correctFrom) => {
    const query = pendingQuery({ user: USER, vaults: [core], open: [] });
    const deposits = query === null ? [] : answer(query, table);
    expect(deposits.filter(({ hidden }) => hidden !== true).map((one) => one.vault.vaultId)).toEqual(shown);
    expect(joinRequests(held, { redemptions: [], deposits })).toMatchObject([{ correction, correctFrom }]);
    expect(joinRequests([], { redemptions: [], deposits })).toHaveLength(shown.length);
  },
);
