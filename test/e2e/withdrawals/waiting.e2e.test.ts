import type { Hex } from "viem";
import { describe, expect, inject, test } from "vitest";
import { requestsTo } from "../../../scripts/smoke/http-request.ts";
import type { StackVault } from "../../../scripts/stack/manifest.ts";
import { settleVault } from "../../../scripts/stack/playground/settle-vault.ts";
import { VaultActions } from "../../../src/schemas/position-schema.ts";
import { BuiltRequestAction } from "../../../src/schemas/withdraw-build-schema.ts";
import { Api } from "../../support/e2e/api.ts";
import { balanceOf } from "../../support/e2e/balances.ts";
import { chainOf, type KeyedUser, mined, sendCall, tokenOn, vaultsFor } from "../../support/e2e/chain.ts";
import { amounts } from "../../support/e2e/deposit.ts";
import { bodyOf } from "../../support/e2e/http.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";
import { holderOf } from "../../support/e2e/withdrawal.ts";

const api = new Api();

/** How a vault pays withdrawals later, and what the API says of it. */
interface Waiting {
  mode: "request" | "cooldown";
  substatus: string;
  /** Wait in seconds that the vault states. Null: its operator decides, or `cycles`. */
  seconds: number | null;
  /** Longest wait in seconds for the window in which the vault pays, and takes back requests. */
  cycles?: number;
  /** Code of a claim that comes too early. */
  early: "cooldown" | "request_pending";
  claims: boolean;
  /** Code of a build of a cancellation. Null: it is possible. */
  uncancellable: string | null;
}

const DAY_S = 86_400;
const request = { mode: "request", substatus: "WAIT_VAULT_SETTLEMENT", uncancellable: null } as const;
const kinds: Readonly<Partial<Record<StackVault["scenario"], Waiting>>> = {
  cooldown: {
    ...{ mode: "cooldown", substatus: "WAIT_COOLDOWN", seconds: 7 * DAY_S },
    ...{ early: "cooldown", claims: true, uncancellable: "mode_unsupported" },
  },
  queue: { ...request, seconds: 3 * DAY_S, early: "cooldown", claims: false },
  pool: {
    ...{ ...request, seconds: null, cycles: 15 * DAY_S, early: "cooldown", claims: true },
    uncancellable: "withdrawal_state",
  },
};
const vaults = vaultsFor("cooldown", "queue", "pool");

test("vaults: the stack has one with a cooldown, one with a queue, and a pool", () => {
  expect(vaults.map(({ scenario }) => scenario).sort()).toEqual(["cooldown", "pool", "queue"]);
});

describe.each(vaults)("$scenario: $name", (vault) => {
  const kind = kinds[vault.scenario];
  if (kind === undefined) throw new Error(`${vault.scenario} is not expected to wait`);
  const chain = chainOf(vault.chain_id);
  const asset = tokenOn(chain, vault.asset_symbol);
  const here = `?chain_id=${vault.chain_id}`;
  const idOf = (user: KeyedUser) => ({ vault_id: vault.vault_id, user_address: user.address });
  const sharesOf = (user: KeyedUser) => balanceOf(chain, { token: vault.share_token, owner: user.address });
  const positionOf = async (user: KeyedUser) =>
    (await api.positions(user.address, here)).positions.find(({ vault_id: id }) => id === vault.vault_id);
  const actionsOf = async (user: KeyedUser) =>
    bodyOf(await api.send(`/v1/actions/${user.address}/${vault.vault_id}`), { schema: VaultActions });
  const until = async (hash: Hex, wanted: object) => {
    const ask = () => api.status(hash, vault.chain_id);
    await expect.poll(ask, { interval: 200 }).toMatchObject(wanted);
    return ask();
  };
  const follow = async (user: KeyedUser, what: "claim" | "cancel") => {
    const answer = await api.send(`/v1/withdraw/${what}`, {
      body: { ...idOf(user), ...(await openOf(user)) },
    });
    return bodyOf(answer, { schema: BuiltRequestAction });
  };
  const openOf = async (user: KeyedUser) => {
    const [open] = (await positionOf(user))?.requests ?? [];
    return { request_id: open?.request_id };
  };
  const sendAll = async (user: KeyedUser, calls: readonly { to: string; data: string }[]) => {
    for (const { to, data } of calls)
      await mined(chain, await sendCall(user, { to: to as Hex, data: data as Hex }));
  };

  /** Creates a holder who has requested the withdrawal of all shares. */
  async function leaving() {
    const { user, shares } = await holderOf(api, vault);
    const before = await balanceOf(chain, { token: asset, owner: user.address });
    const built = await api.withdraw({ ...idOf(user), shares: "all" });
    const hash = await signDeposit(chain, { user, built, style: "calls" });
    const { timestamp } = await chain.client.getBlock({ blockHash: (await mined(chain, hash)).blockHash });
    const later = (seconds: number) => new Date((Number(timestamp) + seconds) * 1_000).toISOString();
    const earliest = kind?.seconds == null ? null : later(kind.seconds);
    if (kind?.cycles === undefined) return { user, shares, before, built, hash, earliest };
    await until(hash, { substatus: kind.substatus });
    const window = (await positionOf(user))?.requests[0]?.earliest ?? "";
    expect(window > later(0) && window <= later(kind.cycles)).toBe(true);
    return { user, shares, before, built, hash, earliest: window };
  }

  test("is proven by the registry, and states how long withdrawals take", async () => {
    const { api: origin, admin_token: token } = inject("stack");
    const headers = { authorization: `Bearer ${token}` };
    const proven = await new Api(origin).send(`/v1/admin/vaults/${vault.vault_id}/prove`, {
      headers,
      method: "POST",
    });
    expect([proven.status, proven.json]).toMatchObject([200, { status: "active", proof: { ok: true } }]);
    expect(await api.vault(vault.vault_id)).toMatchObject({
      settlement: { deposit: "instant", withdraw: kind.mode, withdraw_seconds: kind.seconds },
      paused: false,
    });
  });

  test("everything is requested, shown while it waits, settled, paid, and leaves no share", async () => {
    const { user, shares, before, built, hash, earliest } = await leaving();
    expect(built).toMatchObject({ mode: kind.mode, estimate: { shares: String(shares) } });
    expect(await sharesOf(user)).toBe(0n);
    await until(hash, { status: "PENDING", substatus: kind.substatus });
    // The vault's price may round down twice, on the way in and out.
    const position = await positionOf(user);
    const worth = BigInt(position?.current_assets ?? "0");
    expect(amounts[vault.asset_symbol] - worth).toBeLessThanOrEqual(2n);
    expect(amounts[vault.asset_symbol] - worth).toBeGreaterThanOrEqual(0n);
    expect(position).toMatchObject({
      share_balance: "0",
      requests: [{ kind: "redeem", state: "pending", earliest, tracking_id: built.tracking_id }],
    });
    // The window of a request's cycle is read once the cycle is known.
    const reads = kind.cycles === undefined ? 1 : 2;
    expect(requestsTo(await api.send(`/v1/positions/${user.address}${here}`), "rpc")).toBe(reads);
    const { claim, withdraw, requests } = await actionsOf(user);
    expect(claim).toMatchObject({ allowed: false, max: "0", code: kind.early, until: earliest });
    expect(withdraw.allowed).toBe(false);
    expect(requests).toEqual(position?.requests);
    const early = await api.withdrawRefusal({ ...idOf(user), ...(await openOf(user)) }, "/v1/withdraw/claim");
    expect(early).toMatchObject({ status: 400, code: kind.early });
    expect(early["until"] ?? null).toBe(earliest);
    expect(await settleVault(inject("stack"), [vault.vault_id])).toContain(
      `${vault.name}: settled the redemption of ${user.address}`,
    );
    if (kind.claims) {
      const ready = await until(hash, { substatus: "WAIT_CLAIM_TRANSACTION" });
      const step = ready.withdrawal?.steps.find(({ state }) => state === "required");
      const claiming = await follow(user, "claim");
      expect(step).toMatchObject({ transaction_request: { data: claiming.transaction_request.data } });
      expect((await actionsOf(user)).claim).toMatchObject({ allowed: true, code: null, until: null });
      await sendAll(user, claiming.calls);
    }
    const done = await until(hash, { status: "DONE", substatus: "COMPLETED" });
    const received = (await balanceOf(chain, { token: asset, owner: user.address })) - before;
    expect(received).toBe(worth);
    expect(done.withdrawal).toMatchObject({ state: "completed", assets: String(received), next: null });
    expect(await sharesOf(user)).toBe(0n);
    expect(await positionOf(user)).toBeUndefined();
  });

  test("a request is cancelled where the vault allows it", async () => {
    const { user, shares, hash } = await leaving();
    await until(hash, { substatus: kind.substatus });
    const { cancel } = await actionsOf(user);
    expect(cancel).toMatchObject({ allowed: kind.uncancellable === null, code: kind.uncancellable });
    if (kind.uncancellable !== null) {
      const refused = await api.withdrawRefusal(
        { ...idOf(user), ...(await openOf(user)) },
        "/v1/withdraw/cancel",
      );
      expect(refused).toMatchObject({ code: kind.uncancellable });
      return;
    }
    await sendAll(user, (await follow(user, "cancel")).calls);
    await until(hash, { status: "DONE", substatus: "CANCELLED" });
    expect(await sharesOf(user)).toBe(shares);
    expect(await positionOf(user)).toMatchObject({ share_balance: String(shares), requests: [] });
  });

  test("settling twice finds nothing to settle", async () => {
    await settleVault(inject("stack"), [vault.vault_id]);
    expect(await settleVault(inject("stack"), [vault.vault_id])).toEqual([
      `${vault.name}: no request is open`,
    ]);
  });
});
