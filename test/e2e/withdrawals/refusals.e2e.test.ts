import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { chainOf, newUser, tokenOn, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const OTHER = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

describe("a withdrawal that is not possible", () => {
  test.each([
    ["an unknown field", { share: "1" }, "unknown_field"],
    ["a receiver, which there is none of", { receiver: OTHER }, "unknown_field"],
    ["no shares", { shares: "0" }, undefined],
    ["another word than all", { shares: "everything" }, undefined],
    ["another mode", { mode: "cooldown" }, undefined],
  ])("refuses %s before anything is read", async (_name, change, type) => {
    const body = { vault_id: vault.vault_id, user_address: OTHER, shares: "all", ...change };
    for (const path of ["/v1/withdraw/build", "/v1/withdraw/quote"]) {
      const answer = await api.send(path, { body });
      expect(answer.status).toBe(422);
      const { detail } = answer.json as { detail: { type: string }[] };
      if (type !== undefined) expect(detail.map((one) => one.type)).toContain(type);
    }
  });

  test("says of each what stands in the way", async () => {
    const user = await newUser(chainOf(vault.chain_id), {});
    const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all" };
    const codes: [object, string, number][] = [
      [{}, "nothing_to_withdraw", 400],
      [{ to_chain_id: 424242 }, "chain_unsupported", 400],
      [{ to_token: vault.share_token }, "token_unsupported", 400],
      [{ mode: "request" }, "mode_unsupported", 400],
      [{ vault_id: `${vault.chain_id}:0x${"12".repeat(20)}` }, "vault_not_found", 404],
    ];
    for (const [change, code, status] of codes)
      expect(await api.withdrawRefusal({ ...body, ...change })).toMatchObject({ code, status });
  });

  test("names what claims and cancellations lack", async () => {
    const body = { vault_id: vault.vault_id, user_address: OTHER, request_id: "0" };
    for (const path of ["/v1/withdraw/claim", "/v1/withdraw/cancel"])
      expect(await api.withdrawRefusal(body, path)).toMatchObject({ code: "nothing_to_withdraw" });
    const lagoon = vaultsFor("family").find(({ adapter }) => adapter === "lagoon");
    const asked = { ...body, vault_id: lagoon?.vault_id };
    expect(await api.withdrawRefusal(asked, "/v1/withdraw/claim")).toMatchObject({
      code: "nothing_to_withdraw",
    });
  });
});

test("another account's shares are never redeemed: the transaction is simulated from the account that asks", async () => {
  await holderOf(api, vault);
  const stranger = await newUser(chainOf(vault.chain_id), {});
  const body = { vault_id: vault.vault_id, user_address: stranger.address, shares: "1000000" };
  expect(await api.withdrawRefusal(body)).toMatchObject({ code: "nothing_to_withdraw" });
});

test("the same request under one key is built once", async () => {
  const { user } = await holderOf(api, vault);
  const body = { vault_id: vault.vault_id, user_address: user.address, shares: "all" };
  const headers = { "idempotency-key": `withdraw-${user.address}` };
  const [one, two] = [
    await api.send("/v1/withdraw/build", { body, headers }),
    await api.send("/v1/withdraw/build", { body, headers }),
  ];
  expect(one.status).toBe(200);
  expect(two.json).toEqual(one.json);
  expect(two.headers.get("idempotent-replayed")).toBe("true");
  const token = tokenOn(chainOf(vault.chain_id), "WETH");
  const other = await api.send("/v1/withdraw/build", { body: { ...body, to_token: token }, headers });
  expect(other.json).toMatchObject({ code: "idempotency_conflict" });
});
