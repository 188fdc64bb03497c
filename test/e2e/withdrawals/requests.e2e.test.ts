import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { settleRedemptions } from "../../../scripts/stack/playground/settle-redemptions.ts";
import { BuiltRequestAction } from "../../../src/schemas/withdraw-build-schema.ts";
import { Api, type SentDeposit } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, mined, tokenOn, vaultsFor } from "../../support/e2e/chain.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
/** Families whose redemptions the playground's `settle` settles, and whether the user claims the payment. */
const FAMILIES: Readonly<Record<string, { claims: boolean }>> = {
  lagoon: { claims: true },
  centrifuge: { claims: true },
  accountable: { claims: true },
  ipor: { claims: true },
  mellow: { claims: true },
  midas: { claims: false },
};
const vaults = vaultsFor("family").filter(({ adapter }) => adapter in FAMILIES);

test("vaults: the stack has a vault of each family that takes redemption requests", () => {
  expect([...new Set(vaults.map(({ adapter }) => adapter))].sort()).toEqual(Object.keys(FAMILIES).sort());
});

describe.each(vaults)("$chain_id: $name", (vault) => {
  const chain = chainOf(vault.chain_id);
  const claims = FAMILIES[vault.adapter]?.claims === true;
  const asset = tokenOn(chain, vault.asset_symbol);
  const until = async (hash: Hex, wanted: object) => {
    const ask = () => api.status(hash, vault.chain_id);
    await expect.poll(ask, { interval: 200 }).toMatchObject(wanted);
    return ask();
  };
  const positionOf = async (user: string) =>
    (await api.positions(user)).positions.find(({ vault_id: id }) => id === vault.vault_id);

  test("a request is settled, claimed and ends as completed with what arrived", async () => {
    const { user, shares } = await holderOf(api, vault);
    const before = await balanceOf(chain, { token: asset, owner: user.address });
    const body = {
      vault_id: vault.vault_id,
      user_address: user.address,
      shares: "all",
      mode: "request",
    } as const;
    expect((await api.withdrawQuote(body)).options[0]).toMatchObject({ mode: "request", reasons: [] });
    const built = await api.withdraw(body);
    const hash = await sign(built);
    await until(hash, { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" });
    const pending = await positionOf(user.address);
    expect(pending?.requests).toMatchObject([
      { kind: "redeem", state: "pending", shares: String(shares), tracking_id: built.tracking_id },
    ]);
    await settleRedemptions({ vault, rpcUrl: chain.rpcUrl });
    if (claims) await claim();
    const done = await until(hash, { status: "DONE", substatus: "COMPLETED" });
    const received = (await balanceOf(chain, { token: asset, owner: user.address })) - before;
    expect(received).toBeGreaterThan(0n);
    expect(done.withdrawal).toMatchObject({ state: "completed", assets: String(received), next: null });
    expect(await balanceOf(chain, { token: vault.share_token, owner: user.address })).toBe(0n);
    expect(await positionOf(user.address)).toBeUndefined();

    async function sign(
      what: Pick<typeof built, "transaction_request" | "approval" | "calls">,
    ): Promise<Hex> {
      const { transaction_request: request } = what;
      if (request === null) throw new Error("nothing to send");
      const signable: Pick<SentDeposit, "transaction_request" | "approval" | "calls"> = {
        ...what,
        transaction_request: request,
      };
      const sent = await signDeposit(chain, { user, built: signable, style: "calls" });
      await mined(chain, sent);
      return sent;
    }

    /** Claims with the step that the status offers, which is the call that `/v1/withdraw/claim` builds. */
    async function claim(): Promise<void> {
      const ready = await until(hash, {
        substatus: "WAIT_CLAIM_TRANSACTION",
        withdrawal: { next: { kind: "claim" } },
      });
      const step = ready.withdrawal?.steps.find(({ state }) => state === "required");
      const [request] = (await positionOf(user.address))?.requests ?? [];
      const named = { vault_id: vault.vault_id, user_address: user.address, request_id: request?.request_id };
      const answer = await api.send("/v1/withdraw/claim", { body: named });
      const follow = bodyOf(answer, { schema: BuiltRequestAction });
      expect(step).toMatchObject({
        step_id: "claim",
        transaction_request: { data: follow.transaction_request.data },
      });
      await sign(follow);
    }
  });
});
