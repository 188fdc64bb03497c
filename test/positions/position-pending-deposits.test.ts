import {
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  numberToHex,
  parseAbi,
  toFunctionSelector,
} from "viem";
import { expect, test } from "vitest";
import { runQuery } from "../../src/chains/aggregator/aggregate-reads.ts";
import { RpcError } from "../../src/chains/json-rpc.ts";
import type { OpenRequest } from "../../src/db/queries/user-flow-queries.ts";
import type { PendingPosition } from "../../src/positions/position-pending-deposits.ts";
import { pendingQuery, toWirePending } from "../../src/positions/position-pending-deposits.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { TRACKING_ID, USER, VAULT, vault } from "../support/deposits/fixtures.ts";

const HEAD_TIME = 1_700_000_000;
const call = { target: VAULT, data: "0x12345678" } as const;
const settled: PendingPosition = {
  ...{ vault: { ...vault, adapter: "lagoon" }, claim: call },
  ...{ pendingAssets: 0n, claimableShares: 7n, claimableAssets: 5n },
};
const waiting: PendingPosition = { ...settled, claim: null, pendingAssets: 5n, claimableShares: 0n };

/** A node that simulates every call to the same end, and what it was asked. */
function simulating(end: { reverts: Hex } | "works" | "cannot") {
  const simulated: unknown[] = [];
  const client = contractsClient(() => ({ ok: false, data: "0x" }));
  const word = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);
  const request = async (method: string, params: readonly unknown[]) => {
    simulated.push(params);
    if (end === "cannot") throw new RpcError("unsupported", method);
    const before = { status: "0x1", returnData: word(0n), gasUsed: "0x1" };
    const after = { ...before, returnData: word(7n) };
    const made =
      end === "works"
        ? { status: "0x1", returnData: "0x", gasUsed: numberToHex(90_000) }
        : { status: "0x0", returnData: "0x", gasUsed: "0x1", error: { data: end.reverts } };
    return [{ number: "0x5", timestamp: numberToHex(HEAD_TIME), calls: [before, made, after] }];
  };
  return { simulated, ctx: testContext({ clients: [{ ...client, request }] }) };
}

test("pendingQuery() includes a known request whose claimable shares cannot be read", async () => {
  const nothing = encodeAbiParameters([{ type: "uint256" }], [0n]);
  const waits = toFunctionSelector("pendingDepositRequest(uint256,address)");
  const client = contractsClient(({ data }) =>
    data.startsWith(waits) ? { ok: true, data: nothing } : { ok: false, data: "0x" },
  );
  const known: OpenRequest = {
    ...{ trackingId: TRACKING_ID, direction: "deposit", requestId: "0", shares: null },
    ...{ chainId: vault.chainId, vaultAddress: VAULT.toLowerCase() },
  };
  const found = async (open: readonly OpenRequest[]) => {
    const query = pendingQuery({ user: USER, vaults: [settled.vault], open });
    return query === null ? null : (await runQuery(client, query)).value;
  };
  expect(await found([])).toEqual([]);
  expect(await found([known])).toMatchObject([{ pendingAssets: 0n, claimableShares: null, claim: null }]);
});

test("toWirePending() includes a claim with its gas when the simulation succeeds", async () => {
  const { ctx } = simulating("works");
  const [shown] = await toWirePending(ctx, { user: USER, pending: [settled], headTime: HEAD_TIME });
  expect(shown).toMatchObject({
    ...{ vault_id: settled.vault.vaultId, pending_assets: "0", claimable_shares: "7", next_refusal: null },
    next: { kind: "claim", transaction_request: { to: VAULT, data: call.data, value: "0" } },
  });
  expect(Number(shown?.next?.transaction_request.gas_limit)).toBeGreaterThan(90_000);
});

test("toWirePending() gives next_refusal when the claim would revert", async () => {
  const data = encodeErrorResult({ abi: parseAbi(["error NotWhitelisted()"]), errorName: "NotWhitelisted" });
  const { ctx } = simulating({ reverts: data });
  const [shown] = await toWirePending(ctx, { user: USER, pending: [settled], headTime: HEAD_TIME });
  const detail = "the claim would revert: NotWhitelisted";
  expect(shown).toMatchObject({ claimable_shares: "7", next: null });
  expect(shown?.next_refusal).toEqual({ code: "not_allowed", detail });
});

test("toWirePending() omits a claim that no node could simulate and keeps the rest", async () => {
  const { ctx } = simulating("cannot");
  const [shown] = await toWirePending(ctx, { user: USER, pending: [settled], headTime: HEAD_TIME });
  expect(shown).toMatchObject({ claimable_shares: "7", next: null });
  expect(shown?.next_refusal?.code).toBe("simulation_unavailable");
});

test("toWirePending() simulates only settled requests, at most eight", async () => {
  const { ctx, simulated } = simulating("works");
  const none = await toWirePending(ctx, { user: USER, pending: [waiting], headTime: HEAD_TIME });
  expect([none[0]?.next, none[0]?.next_refusal, simulated.length]).toEqual([null, null, 0]);
  const many = Array.from({ length: 10 }, () => ({ ...settled }));
  const shown = await toWirePending(ctx, { user: USER, pending: many, headTime: HEAD_TIME });
  expect(simulated).toHaveLength(8);
  expect(shown.map(({ next, next_refusal }) => [next === null, next_refusal?.code ?? null])).toEqual([
    ...Array.from({ length: 8 }, () => [false, null]),
    ...Array.from({ length: 2 }, () => [true, "simulation_unavailable"]),
  ]);
});
