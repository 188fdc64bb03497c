import { erc4626Abi } from "viem";
import { describe, expect, test } from "vitest";
import { Api } from "../../support/e2e/api.ts";
import { addressOf, chainOf, give, newUser, vaultNamed, vaultsFor } from "../../support/e2e/chain.ts";
import { query } from "../../support/e2e/database.ts";
import { amounts, bodyFor, depositAndCheck } from "../../support/e2e/deposit.ts";
import { findingsOf, problemOf } from "../../support/e2e/http.ts";
import { normalise } from "../../support/e2e/normalise.ts";
import { signDeposit } from "../../support/e2e/sign-deposit.ts";

const api = new Api();
const vault = vaultNamed("Plain USDC");
const chain = chainOf(vault.chain_id);

async function built() {
  const user = await newUser(chain, { USDC: amounts.USDC });
  return { user, deposit: await api.build(bodyFor(vault, { user: user.address })) };
}

describe.each([...vaultsFor("honest"), vaultNamed("Members USDC"), vaultNamed("Toll FEE")])(
  "after a deposit into $chain_id: $name",
  (into) => {
    test("status, deposit and position agree with the chain", async () => {
      const on = chainOf(into.chain_id);
      const user = await newUser(on, { [into.asset_symbol]: amounts[into.asset_symbol] });
      const body = bodyFor(into, { user: user.address });
      const {
        built: made,
        hash,
        minted,
      } = await depositAndCheck(api, { vault: into, user, style: "calls", body });

      const status = await api.status(hash, into.chain_id);
      expect(status).toMatchObject({
        status: "DONE",
        substatus: "COMPLETED",
        sending: { tx_hash: hash, chain_id: into.chain_id, amount: body.from_amount },
        receiving: { tx_hash: hash, chain_id: into.chain_id, amount: String(minted) },
        deposit: { tracking_id: made.tracking_id, state: "completed", shares: String(minted), next: null },
      });

      const deposit = await api.deposit(made.tracking_id);
      expect(deposit).toMatchObject({ state: "completed", shares: String(minted), source_tx_hash: hash });
      const { steps: _steps, poll_after_ms: _poll, same_as: _same, ...listed } = deposit;
      expect(await api.deposits(user.address)).toEqual([listed]);

      const { positions, chains } = await api.positions(user.address);
      const block = chains.find(({ chain_id }) => chain_id === into.chain_id)?.block_number ?? 0;
      const assets = await on.client.readContract({
        address: addressOf(into),
        abi: erc4626Abi,
        functionName: "convertToAssets",
        args: [minted],
        blockNumber: BigInt(block),
      });
      expect(positions).toHaveLength(1);
      expect(positions[0]).toMatchObject({
        vault_id: into.vault_id,
        share_balance: String(minted),
        current_assets: String(assets),
        deposited_assets: null,
        yield_assets: null,
      });
    });
  },
);

describe("GET /v1/deposits", () => {
  test("returns the whole record after the build", async () => {
    const { user, deposit } = await built();
    const { estimated_shares, min_shares } = deposit.estimate;
    // Every earlier deposit of other files has left the vault a part of the asset's smallest unit by its rounding.
    const { steps: _steps, ...shown } = await api.deposit(deposit.tracking_id);
    const { estimated_shares: estimated, min_shares: least, ...record } = shown;
    expect([estimated, least]).toEqual([estimated_shares, min_shares]);
    expect(normalise(record, { user: user.address, vault: addressOf(vault) })).toMatchInlineSnapshot(`
      {
        "bridge": null,
        "claim_tx_hash": null,
        "created_at": "<time>",
        "delivered_amount": null,
        "deposit_tx_hash": null,
        "destination_tx_hash": null,
        "expires_at": "<time>",
        "from_amount": "1234567891",
        "from_chain_id": 31337,
        "from_token": "<address>",
        "history": [
          {
            "at": "<time>",
            "state": "built",
          },
        ],
        "next": null,
        "next_refusal": null,
        "parent_tracking_id": null,
        "poll_after_ms": 3000,
        "refund_tx_hash": null,
        "router_explorer": null,
        "same_as": null,
        "shares": null,
        "source_tx_hash": null,
        "state": "built",
        "status": "NOT_FOUND",
        "substatus": null,
        "to_chain_id": 31337,
        "tracking_id": "<tracking id>",
        "two_step": false,
        "updated_at": "<time>",
        "user_address": "<user>",
        "vault_id": "31337:<vault>",
      }
    `);
  });

  test("keeps the agreed fields when the deposit completes", async () => {
    const { user, deposit } = await built();
    const before = await api.deposit(deposit.tracking_id);
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    await api.status(hash, vault.chain_id);
    const { state: _, ...after } = await api.deposit(deposit.tracking_id);
    const { shares, status, substatus, source_tx_hash, updated_at, history, ...others } = after;
    const { steps: _steps, poll_after_ms: _poll, ...agreed } = others;
    expect(before).toMatchObject(agreed);
    expect(history.map((entry) => entry.state)).toEqual(["built", "completed"]);
    expect({ status, substatus, source_tx_hash }).toEqual({
      status: "DONE",
      substatus: "COMPLETED",
      source_tx_hash: hash,
    });
    expect(BigInt(shares ?? "0")).toBeGreaterThan(0n);
    expect(updated_at >= before.updated_at).toBe(true);
  });

  test("lists deposits newest first with pagination, each once", async () => {
    const user = await newUser(chain);
    const ids: string[] = [];
    for (let index = 0; index < 5; index += 1)
      ids.unshift((await api.build(bodyFor(vault, { user: user.address }))).tracking_id);
    const seen: string[] = [];
    let path: string | null = `/v1/deposits?user_address=${user.address.toLowerCase()}&state=built&limit=2`;
    for (let page = 0; path !== null && page < 9; page += 1) {
      const answer = await api.send(path);
      seen.push(...(answer.json as { tracking_id: string }[]).map(({ tracking_id }) => tracking_id));
      path = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1] ?? null;
    }
    expect(seen).toEqual(ids);
  });

  test("refuses an invalid and an unknown tracking id", async () => {
    expect(findingsOf(await api.send("/v1/deposits/trk_1"))).toEqual(["path.tracking_id"]);
    const unknown = problemOf(await api.send(`/v1/deposits/trk_${"0".repeat(32)}`));
    expect(unknown).toMatchObject({ status: 404, code: "deposit_not_found" });
  });
});

describe("quote expiry", () => {
  const expire = (id: string) =>
    query("update deposits set expires_at = now() - interval '1 second' where tracking_id = $1", [id]);

  test("shows the deposit as expired and allows abandoning it", async () => {
    const { deposit } = await built();
    await expire(deposit.tracking_id);
    expect(await api.deposit(deposit.tracking_id)).toMatchObject({
      state: "expired",
      status: "NOT_FOUND",
      substatus: null,
    });
    expect((await api.abandon(deposit.tracking_id)).json).toMatchObject({ state: "abandoned" });
  });

  test("completes a deposit after its quote's expiry", async () => {
    const { user, deposit } = await built();
    await expire(deposit.tracking_id);
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { state: "completed" },
    });
  });
});

describe("proof of a deposit", () => {
  test("is written once under concurrent requests", async () => {
    const { user, deposit } = await built();
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.status(hash, vault.chain_id)));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const { history } = await api.deposit(deposit.tracking_id);
    expect(history.map(({ state }) => state)).toEqual(["built", "completed"]);
  });

  test("proves one deposit only", async () => {
    const [mine, other] = [await built(), await built()];
    const hash = await signDeposit(chain, { user: other.user, built: other.deposit, style: "calls" });
    await api.report(mine.deposit.tracking_id, { tx_hash: hash });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { tracking_id: other.deposit.tracking_id },
    });
    expect(await api.deposit(mine.deposit.tracking_id)).toMatchObject({ state: "built" });
  });

  test("of a replay shows what it did and leaves the original deposit unchanged", async () => {
    const { user, deposit } = await built();
    const first = await signDeposit(chain, { user, built: deposit, style: "calls" });
    const before = await api.status(first, vault.chain_id);
    await give(chain, { user, symbol: "USDC", amount: amounts.USDC });
    const second = await signDeposit(chain, { user, built: deposit, style: "calls" });
    expect(await api.status(second, vault.chain_id)).toMatchObject({
      status: "DONE",
      sending: { tx_hash: second, amount: before.sending?.amount },
      receiving: { tx_hash: second },
      deposit: { tracking_id: deposit.tracking_id, state: "completed", next: null },
    });
    expect(await api.status(first, vault.chain_id)).toEqual(before);
  });

  test("accepts any payer when the shares reach the user", async () => {
    const { user, deposit } = await built();
    const payer = await newUser(chain, { USDC: amounts.USDC });
    const hash = await signDeposit(chain, { user: payer, built: deposit, style: "calls" });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { tracking_id: deposit.tracking_id, state: "completed" },
    });
    expect((await api.positions(user.address)).positions).toHaveLength(1);
    expect((await api.positions(payer.address)).positions).toHaveLength(0);
  });
});

describe("PATCH abandon", () => {
  test("abandons an unsent deposit, idempotently", async () => {
    const { deposit } = await built();
    for (let times = 0; times < 2; times += 1) {
      const answer = await api.abandon(deposit.tracking_id);
      expect(answer.json).toMatchObject({ state: "abandoned", status: "NOT_FOUND", substatus: null });
    }
    expect((await api.deposit(deposit.tracking_id)).history.map(({ state }) => state)).toEqual([
      "built",
      "abandoned",
    ]);
  });

  test("reopens an abandoned deposit that appears on chain", async () => {
    const { user, deposit } = await built();
    await api.abandon(deposit.tracking_id);
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    expect(await api.status(hash, vault.chain_id)).toMatchObject({
      status: "DONE",
      deposit: { state: "completed" },
    });
  });

  test("refuses a deposit that was sent", async () => {
    const { user, deposit } = await built();
    const hash = await signDeposit(chain, { user, built: deposit, style: "calls" });
    await api.status(hash, vault.chain_id);
    const refused = problemOf(await api.abandon(deposit.tracking_id));
    expect(refused).toMatchObject({ status: 409, code: "deposit_state" });
  });
});
