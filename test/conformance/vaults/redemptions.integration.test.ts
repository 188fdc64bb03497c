import type { Hex } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Step } from "../../../src/schemas/step-schema.ts";
import { sampleAmount } from "../../support/conformance/vaults/deposit.ts";
import type { Placed } from "../../support/conformance/vaults/family.ts";
import { place } from "../../support/conformance/vaults/suite.ts";
import { startWorld, type World } from "../../support/conformance/vaults/world.ts";
import { confirm, Holder } from "../../support/withdrawals/holder.ts";
import { pass, requestingVaults } from "../../support/withdrawals/requesting-vaults.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const DECIMALS = 6;
const amount = sampleAmount(DECIMALS);
/** Units by which values may differ that the vault rounds at each step. */
const ROUNDING = 3n;

describe.each(requestingVaults)("$name", (kind) => {
  let placed: Placed;
  beforeAll(async () => {
    placed = await place(world, { family: kind, decimals: DECIMALS });
  });

  async function holder(): Promise<Holder> {
    const one = await Holder.with(placed, amount);
    await one.deposit(amount);
    await kind.invest?.(placed);
    await confirm(placed);
    return one;
  }

  /** Lets a request's time pass, if it cannot be cancelled before: then its shares wait for a `cancel` step. */
  async function missed(one: Holder, hash: Hex): Promise<void> {
    if (kind.miss === undefined) return;
    await kind.miss(placed, one.address);
    await confirm(placed);
    const next = { state: "requested", next: { kind: "cancel" } };
    expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT", withdrawal: next });
    const [request] = (await one.position())?.requests ?? [];
    expect(request).toMatchObject({ state: "pending", cancellable: true, expires_at: expect.any(String) });
  }

  test("requests all, is paid, and ends as completed with what arrived", async () => {
    const one = await holder();
    const before = await one.position();
    // The first run of the indexer finds the block in which the vault begins, and the second its flows.
    await confirm(placed);
    const net = (await world.netFlow(placed.vault)) ?? 0n;
    expect(net).toBeGreaterThanOrEqual(amount - ROUNDING);
    const shares = await one.held("share");
    const quote = await one.quote("all", { mode: "request" });
    expect(quote).toMatchObject({ status: 200 });
    const { built, hash } = await one.withdraw("all", { mode: "request" });
    const at = await one.held("asset");
    expect(built).toMatchObject({ mode: kind.mode, two_step: false });
    // A vault that pays by itself asks for no claim.
    const hasClaim = (steps: readonly Step[]) => steps.some(({ step_id: id }) => id === "claim");
    expect(hasClaim(built.steps)).toBe(kind.pushes !== true);
    expect(await one.held("share")).toBe(kind.inWallet ? shares : 0n);
    await confirm(placed);
    const pending = await one.position();
    const [request] = pending?.requests ?? [];
    expect(request).toMatchObject({ kind: "redeem", in_wallet: kind.inWallet === true, state: "pending" });
    if (request?.shares !== null) expect(request?.shares).toBe(String(shares));
    near(BigInt(pending?.current_assets ?? "-1") + at, BigInt(before?.current_assets ?? "-1"));
    // A request is no loss: nothing is deducted from the deposits before the vault pays.
    if (at === 0n) near(BigInt(pending?.deposited_assets ?? "-1"), amount);
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "PENDING", withdrawal: { tracking_id: built.tracking_id } },
      substatus: kind.mode === "cooldown" ? "WAIT_COOLDOWN" : "WAIT_VAULT_SETTLEMENT",
    });
    expect(await one.position()).toMatchObject({ requests: [{ tracking_id: built.tracking_id }] });
    const { steps } = await one.record(built.tracking_id);
    expect(hasClaim(steps)).toBe(kind.pushes !== true);
    expect(steps.some(({ state }) => state === "waiting")).toBe(true);
    const requestIds = [request?.request_id ?? ""];
    await kind.settle(placed, { user: one.address, requestIds });
    await confirm(placed);
    if (kind.pushes !== true) {
      const waiting = await one.status(hash);
      expect(waiting).toMatchObject({
        substatus: "WAIT_CLAIM_TRANSACTION",
        withdrawal: { next: { kind: "claim" } },
      });
      expect(waiting.withdrawal?.steps.find(({ step_id: id }) => id === "claim")?.state).toBe("required");
      await one.follow("claim", requestIds[0] ?? "");
    }
    await confirm(placed);
    const received = await one.held("asset");
    near(received, BigInt(before?.current_assets ?? "-1"));
    expect(await one.status(hash)).toMatchObject({
      ...{ status: "DONE", substatus: "COMPLETED" },
      withdrawal: { state: "completed", assets: String(received), next: null },
    });
    expect(await one.position()).toBe(null);
    expect(await one.held("share")).toBe(0n);
    // Request, payment and claim are one withdrawal from the vault, unless its events do not state the amount.
    const left = await world.netFlow(placed.vault);
    if (left !== null) near(left, net - received);
    expect(left === null).toBe(kind.adapter === "midas");
  });

  test("is in the position at once where its transaction is reported and read", async () => {
    const one = await holder();
    const before = await one.position();
    const { built, hash } = await one.withdraw((await one.held("share")) / 2n, { mode: "request" });
    await one.report(built.tracking_id, { hash, step: kind.mode });
    const { state } = await one.record(built.tracking_id);
    expect(state).toBe(kind.mode === "cooldown" ? "cooling" : "requested");
    const pending = await one.position();
    expect(pending?.requests).toMatchObject([{ kind: "redeem", state: "pending" }]);
    const inWallet = await one.held("asset");
    near(BigInt(pending?.current_assets ?? "-1") + inWallet, BigInt(before?.current_assets ?? "-1"));
  });

  test.runIf(kind.cancels !== null)("takes a request back, and ends as cancelled", async () => {
    const one = await holder();
    const shares = await one.held("share");
    const before = await one.position();
    const { hash } = await one.withdraw("all", { mode: "request" });
    await confirm(placed);
    await one.status(hash);
    await missed(one, hash);
    const [request] = (await one.position())?.requests ?? [];
    expect(request).toMatchObject({ cancellable: true });
    await one.follow("cancel", request?.request_id ?? "");
    if (typeof kind.cancels === "function") {
      await kind.cancels(placed, one.address);
      await confirm(placed);
      const [returned] = (await one.position())?.requests ?? [];
      await one.follow("claim", returned?.request_id ?? "");
    }
    await confirm(placed);
    expect(await one.held("share")).toBe(shares);
    expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "CANCELLED" });
    const after = await one.position();
    expect(after).toMatchObject({ requests: [], current_assets: before?.current_assets });
    expect(after?.deposited_assets).toBe(before?.deposited_assets);
  });

  const { settlePart, reject } = kind;
  test.runIf(settlePart !== undefined)(
    "is paid in parts, and ends with the sum of what arrived",
    async () => {
      const one = await holder();
      const shares = await one.held("share");
      const { hash, built } = await one.withdraw("all", { mode: "request" });
      await confirm(placed);
      const claimed = async (step: () => Promise<void>) => {
        await step();
        await confirm(placed);
        if (kind.pushes === true) return;
        const [request] = (await one.position())?.requests ?? [];
        const claim = await one.follow("claim", request?.request_id ?? "");
        await one.report(built.tracking_id, { hash: claim, step: "claim" });
        await confirm(placed);
      };
      await claimed(async () => settlePart?.(placed, { user: one.address, shares: shares / 3n }));
      const first = await one.held("asset");
      expect(first).toBeGreaterThan(0n);
      expect(await one.status(hash)).toMatchObject({ substatus: "WAIT_VAULT_SETTLEMENT" });
      await claimed(() => kind.settle(placed, { user: one.address, requestIds: [] }));
      const received = await one.held("asset");
      expect(received).toBeGreaterThan(first);
      expect(await one.status(hash)).toMatchObject({
        ...{ status: "DONE", substatus: "COMPLETED" },
        withdrawal: { state: "completed", assets: String(received) },
      });
    },
  );

  test("is settled in parts, or its contracts settle whole requests only", () => {
    expect([settlePart === undefined, kind.whole === undefined]).toContain(true);
    expect(settlePart === undefined && kind.whole === undefined).toBe(false);
  });

  test.runIf(settlePart !== undefined && kind.cancels !== null)(
    "is paid in part and takes the rest back, and ends as partial",
    async () => {
      const one = await holder();
      const shares = await one.held("share");
      const { hash } = await one.withdraw("all", { mode: "request" });
      await confirm(placed);
      await settlePart?.(placed, { user: one.address, shares: shares / 3n });
      await confirm(placed);
      const [request] = (await one.position())?.requests ?? [];
      if (kind.pushes !== true) await one.follow("claim", request?.request_id ?? "");
      await confirm(placed);
      await missed(one, hash);
      await one.follow("cancel", request?.request_id ?? "");
      await confirm(placed);
      if (typeof kind.cancels === "function") {
        await kind.cancels(placed, one.address);
        await confirm(placed);
        const [returned] = (await one.position())?.requests ?? [];
        await one.follow("claim", returned?.request_id ?? "");
        await confirm(placed);
      }
      const received = await one.held("asset");
      expect(await one.status(hash)).toMatchObject({
        ...{ status: "DONE", substatus: "PARTIAL" },
        withdrawal: { state: "partial", assets: String(received), next: null },
      });
      expect(await one.held("share")).toBe(shares - shares / 3n);
    },
  );

  test.runIf(reject !== undefined)(
    "is rejected: the shares are lost, and nothing says otherwise",
    async () => {
      const one = await holder();
      const before = await one.position();
      const { hash } = await one.withdraw((await one.held("share")) / 2n, { mode: "request" });
      await confirm(placed);
      const [request] = (await one.position())?.requests ?? [];
      await reject?.(placed, { user: one.address, requestIds: [request?.request_id ?? ""] });
      await confirm(placed);
      expect(await one.status(hash)).toMatchObject({ status: "FAILED", substatus: "REJECTED" });
      const after = await one.position();
      expect(after).toMatchObject({ requests: [], deposited_assets: before?.deposited_assets });
      expect(BigInt(after?.yield_assets ?? "0")).toBeLessThan(0n);
    },
  );

  test.runIf(kind.invest !== undefined)(
    "is completed by its own transaction where the vault holds all that it pays",
    async () => {
      const one = await Holder.with(placed, amount);
      await one.deposit(amount);
      await confirm(placed);
      const { hash } = await one.withdraw("all", { mode: "request" });
      await confirm(placed);
      expect(await one.status(hash)).toMatchObject({ status: "DONE", substatus: "COMPLETED" });
      expect(await one.position()).toBe(null);
      near(await one.held("asset"), amount);
    },
  );

  test("that was not built here is shown, and claimed by what the API builds", async () => {
    const one = await holder();
    // A release pays all requests up to its second, those of other tests included.
    await pass(placed, 2);
    const hash = await one.sendForeign(await one.held("share"));
    await confirm(placed);
    const status = await one.status(hash);
    expect(status).toMatchObject({ withdrawal: null, deposit: null, status: "PENDING" });
    const [request] = (await one.position())?.requests ?? [];
    expect(request).toMatchObject({ kind: "redeem", state: "pending", tracking_id: null });
    await kind.settle(placed, { user: one.address, requestIds: [request?.request_id ?? ""] });
    await confirm(placed);
    if (kind.pushes !== true) await one.follow("claim", request?.request_id ?? "");
    await confirm(placed);
    expect(await one.held("asset")).toBeGreaterThan(0n);
    expect(await one.position()).toBe(null);
  });
});

function near(seen: bigint, wanted: bigint): void {
  expect(seen - wanted).toBeLessThanOrEqual(ROUNDING);
  expect(wanted - seen).toBeLessThanOrEqual(ROUNDING);
}
