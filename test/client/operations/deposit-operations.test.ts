import { describe, expect, test } from "vitest";
import { claimDeposit } from "../../../src/client/operations/deposit-operations.ts";
import { account, fakeWallet, readings, step } from "../../support/client/fake-order.ts";

const vaultId = "1:0x00000000000000000000000000000000000000ff";
const { transaction_request: request } = step("claim", "required");
const pending = (more: object) => ({
  body: {
    pending: [
      { vault_id: "1:0x00000000000000000000000000000000000000ee", next: null, next_refusal: null },
      { vault_id: vaultId, pending_assets: "0", claimable_shares: "7", next_refusal: null, ...more },
    ],
  },
});
const claimable = { next: { kind: "claim", transaction_request: request, approval: null, calls: [] } };

describe("claimDeposit()", () => {
  test("sends the claim that the positions offer, and reports to nobody", async () => {
    const { client, requests } = readings([pending(claimable)]);
    const { wallet, sent } = fakeWallet();
    await claimDeposit(client, {
      vaultId: vaultId.toUpperCase().replace("0X", "0x").replace(":", "%3A"),
      wallet,
    });
    expect(sent()).toBe(1);
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET /v1/positions/${account.address}?chain_id=1`,
    ]);
  });

  test("throws the API's reason if the claim would fail", async () => {
    const refusal = { code: "would_revert", detail: "the vault is closed" };
    const { client } = readings([pending({ next: null, next_refusal: refusal })]);
    const { wallet, sent } = fakeWallet();
    await expect(claimDeposit(client, { vaultId, wallet })).rejects.toMatchObject({
      ...{ name: "CausewayError", code: "would_revert", message: "the vault is closed" },
    });
    expect(sent()).toBe(0);
  });

  test.each([
    ["is not settled", pending({ next: null })],
    ["does not exist", { body: { pending: [] } }],
  ])("throws nothing_to_withdraw for a request that %s", async (_name, reply) => {
    const { client } = readings([reply]);
    const { wallet } = fakeWallet();
    await expect(claimDeposit(client, { vaultId, wallet })).rejects.toMatchObject({
      code: "nothing_to_withdraw",
    });
  });
});
