import type { Hex } from "viem";
import { describe, expect, test } from "vitest";
import { settleRedemptions } from "../../../scripts/stack/playground/settle-redemptions.ts";
import { VaultActions } from "../../../src/schemas/position-schema.ts";
import { BuiltRequestAction } from "../../../src/schemas/withdraw-build-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, type KeyedUser, mined, tokenOn, vaultsFor } from "../../support/e2e/chain.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();
/**
 * Families whose redemptions the playground's `settle` settles: whether the user claims the payment, and what ends a
 * cancellation: the user's transaction, or the answer of the operator and a claim. Null: there is none.
 */
const FAMILIES: Readonly<Record<string, { claims: boolean; cancels: "at_once" | "answered" | null }>> = {
  lagoon: { claims: true, cancels: null },
  centrifuge: { claims: true, cancels: "answered" },
  accountable: { claims: true, cancels: "at_once" },
  ipor: { claims: true, cancels: null },
  mellow: { claims: true, cancels: null },
  midas: { claims: false, cancels: null },
};
const vaults = vaultsFor("family").filter(({ adapter }) => adapter in FAMILIES);

test("vaults: the stack has a vault of each family that takes redemption requests", () => {
  expect([...new Set(vaults.map(({ adapter }) => adapter))].sort()).toEqual(Object.keys(FAMILIES).sort());
});

describe.each(vaults)("$chain_id: $name", (vault) => {
  const chain = chainOf(vault.chain_id);
  const { claims = false, cancels = null } = FAMILIES[vault.adapter] ?? {};
  const asset = tokenOn(chain, vault.asset_symbol);
  const until = async (hash: Hex, wanted: object) => {
    const ask = () => api.status(hash, vault.chain_id);
    await expect.poll(ask, { interval: 200 }).toMatchObject(wanted);
    return ask();
  };
  const sharesOf = (owner: KeyedUser["address"]) => balanceOf(chain, { token: vault.share_token, owner });
  const positionOf = async (user: string) =>
    (await api.positions(user)).positions.find(({ vault_id: id }) => id === vault.vault_id);
  const actionsOf = async (user: string) =>
    bodyOf(await api.send(`/v1/actions/${user}/${vault.vault_id}`), { schema: VaultActions });

  /** Builds a claim or cancellation of the user's first open request, and returns the response, whatever its status. */
  async function ask(user: KeyedUser, action: "claim" | "cancel") {
    const [request] = (await positionOf(user.address))?.requests ?? [];
    const body = { vault_id: vault.vault_id, user_address: user.address, request_id: request?.request_id };
    return api.send(`/v1/withdraw/${action}`, { body });
  }

  async function sign(
    user: KeyedUser,
    what: Pick<BuiltRequestAction, "transaction_request" | "approval" | "calls">,
  ): Promise<Hex> {
    const sent = await signDeposit(chain, { user, built: what, style: "calls" });
    await mined(chain, sent);
    return sent;
  }

  /** Claims with the step that the status offers, which is the call that `/v1/withdraw/claim` builds. */
  async function claim(user: KeyedUser, hash: Hex): Promise<void> {
    const ready = await until(hash, {
      substatus: "WAIT_CLAIM_TRANSACTION",
      withdrawal: { next: { kind: "claim" } },
    });
    const step = ready.withdrawal?.steps.find(({ state }) => state === "required");
    const follow = bodyOf(await ask(user, "claim"), { schema: BuiltRequestAction });
    expect(step).toMatchObject({
      step_id: "claim",
      transaction_request: { data: follow.transaction_request.data },
    });
    await sign(user, follow);
  }

  /** Creates a holder who has requested the redemption of all shares. */
  async function requested() {
    const { user, shares } = await holderOf(api, vault);
    const before = await balanceOf(chain, { token: asset, owner: user.address });
    const named = { vault_id: vault.vault_id, user_address: user.address };
    const body = { ...named, shares: "all", mode: "request" } as const;
    expect((await api.withdrawQuote(body)).options[0]).toMatchObject({ mode: "request", reasons: [] });
    const built = await api.withdraw(body);
    const hash = await sign(user, built);
    await until(hash, { status: "PENDING", substatus: "WAIT_VAULT_SETTLEMENT" });
    return { user, shares, before, built, hash };
  }

  test("a request is settled, claimed and ends as completed with what arrived", async () => {
    const { user, shares, before, built, hash } = await requested();
    const pending = await positionOf(user.address);
    expect(pending?.requests).toMatchObject([
      { kind: "redeem", state: "pending", shares: String(shares), tracking_id: built.tracking_id },
    ]);
    await settleRedemptions({ vault, rpcUrl: chain.rpcUrl });
    if (claims) await claim(user, hash);
    const done = await until(hash, { status: "DONE", substatus: "COMPLETED" });
    const received = (await balanceOf(chain, { token: asset, owner: user.address })) - before;
    expect(received).toBeGreaterThan(0n);
    expect(done.withdrawal).toMatchObject({ state: "completed", assets: String(received), next: null });
    expect(await sharesOf(user.address)).toBe(0n);
    expect(await positionOf(user.address)).toBeUndefined();
  });

  test("a request is cancelled where the vault allows it, otherwise refused with the actions' code", async () => {
    const { user, shares, hash } = await requested();
    const { cancel } = await actionsOf(user.address);
    const answer = await ask(user, "cancel");
    expect(cancel.allowed).toBe(cancels !== null);
    if (cancels === null)
      return expect(answer).toMatchObject({ json: { code: cancel.code, request_id: expect.any(String) } });
    await sign(user, bodyOf(answer, { schema: BuiltRequestAction }));
    if (cancels === "answered") {
      await settleRedemptions({ vault, rpcUrl: chain.rpcUrl });
      await claim(user, hash);
    }
    await until(hash, { status: "DONE", substatus: "CANCELLED" });
    expect(await sharesOf(user.address)).toBe(shares);
    expect(await positionOf(user.address)).toMatchObject({ share_balance: String(shares), requests: [] });
  });
});
