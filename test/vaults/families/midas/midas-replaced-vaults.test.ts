import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { runQuery } from "../../../../src/chains/aggregator/aggregate-reads.ts";
import { midasExits } from "../../../../src/vaults/families/midas/midas-exits.ts";
import { midasFlows } from "../../../../src/vaults/families/midas/midas-flow-events.ts";
import { checkMidasParams } from "../../../../src/vaults/families/midas/midas-params.ts";
import { midasTakenOut } from "../../../../src/vaults/families/midas/midas-redemption-requests.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { contractsClient } from "../../../support/chains/multicall.ts";
import { NOW, vault as plain, USDC, USER } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const WAD = 10n ** 18n;
const [FIRST, SECOND, OTHER] = [
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
  "0x4444444444444444444444444444444444444444",
] as const;
const required = { deposit: "instant", recipient: "argument", asset_rate: "stable" };
const redeemTokens = `${USDC.toLowerCase()}/6/USDC`;

/** A vault whose first RedemptionVault was replaced by a second one, which numbers its requests from 1 again. */
const vault: Vault = {
  ...plain,
  adapter: "midas",
  params: {
    ...{ ...required, redeem_tokens: redeemTokens, redemption_vault: SECOND },
    redemption_requests: [FIRST, SECOND].join(),
  },
};
const before: Vault = { ...vault, params: { ...required, redemption_vault: FIRST } };
const idAt = (redemptions: Address): string => (redemptions === FIRST ? "7" : `7@${redemptions}`);

const requestedAt = (address: Address) =>
  eventLog(
    address,
    "event RedeemRequest(uint256 indexed requestId, address indexed user, address indexed tokenOut, uint256 amountMTokenIn, uint256 feeAmount)",
    { requestId: 7n, user: USER, tokenOut: USDC, amountMTokenIn: 2n * WAD, feeAmount: 0n },
  );
const approvedAt = (address: Address) =>
  eventLog(address, "event ApproveRequest(uint256 indexed requestId, uint256 newMTokenRate)", {
    ...{ requestId: 7n, newMTokenRate: WAD },
  });
const both = [FIRST, SECOND] as const;

describe("Midas's RedemptionVault that another one replaced", () => {
  test("keeps the ids of its requests, and leaves those of the next one to tell", () => {
    const source = midasFlows(vault);
    for (const address of both) {
      const log = requestedAt(address);
      const shares = 2n * WAD;
      expect(source.addresses).toContain(address);
      expect(source.decode(log)).toMatchObject({ kind: "withdrawal", user: USER, requestId: idAt(address) });
      expect(midasExits.findRequest?.(vault, { user: USER, logs: [log as unknown as Log] })).toEqual({
        ...{ requestId: idAt(address), shares, token: USDC },
      });
    }
    expect(midasFlows(before).decode(requestedAt(FIRST))?.requestId).toBe("7");
    expect(source.decode(requestedAt(OTHER))).toBeNull();
    // An operator may remove the present one; what was asked before stays.
    const { redemption_vault: _, ...closed } = vault.params;
    const left = midasFlows({ ...vault, params: closed });
    expect(left.decode(requestedAt(FIRST))?.requestId).toBe("7");
    expect(midasExits.modes({ ...vault, params: closed })).toEqual([]);
    expect(() => checkMidasParams(vault)).not.toThrow();
    const wrong = { ...vault, params: { ...vault.params, redemption_requests: "0x12" } };
    expect(() => checkMidasParams(wrong)).toThrow(/redemption_requests/);
  });

  test("is asked for the requests that it numbered", () => {
    const pendingAt = (answers: Record<string, unknown>, ids: readonly string[] = both.map(idAt)) => {
      const query = midasExits.pending?.(vault, { user: USER, requestIds: ids, now: NOW });
      if (query === undefined) throw new Error("no requests");
      for (const [id, { to }] of Object.entries(query.reads).filter(([name]) => name.includes("entries/7")))
        expect(idAt(to)).toBe(id.slice("entries/".length));
      return answer(query, { "rates/mToken/rate": WAD, ...answers });
    };
    const open = [USER, USDC, 0, 2n * WAD, WAD, WAD];
    const answers = { [`entries/${idAt(FIRST)}`]: open, [`entries/${idAt(SECOND)}`]: open };
    expect(pendingAt(answers)).toMatchObject(
      both.map((one) => ({ requestId: idAt(one), assets: 2_000_000n })),
    );
    const paid = [USER, USDC, 1, 2n * WAD, WAD, WAD];
    expect(pendingAt({ ...answers, [`entries/${idAt(SECOND)}`]: paid })).toMatchObject([{ requestId: "7" }]);
    expect(pendingAt({ [`entries/${idAt(SECOND)}`]: open })).toBeNull();
    expect(pendingAt(answers, [idAt(OTHER), "seven", `x@${SECOND}`])).toEqual([]);
  });

  test("says what it paid for them", async () => {
    const words = (status: bigint, shares: bigint) =>
      [BigInt(USER), BigInt(USDC), status, shares, WAD, WAD]
        .map((word) => word.toString(16).padStart(64, "0"))
        .join("");
    const client = contractsClient(({ to }) => ({
      ok: true,
      data: `0x${to.toLowerCase() === FIRST ? words(1n, 5n * WAD) : words(0n, 9n * WAD)}`,
    }));
    const flows = both.map((one) => {
      return { kind: "withdrawal", requestId: idAt(one), assets: null, shares: null } as const;
    });
    const taken = async (some: typeof flows) =>
      (await runQuery(client, midasTakenOut(vault, { user: USER, flows: some }))).value;
    expect(await taken(flows)).toBe(5_000_000n);
    expect(await taken(flows.slice(1))).toBe(0n);
  });

  test("shows in logs how its requests ended, and each only its own", () => {
    for (const address of both) {
      const logs = [transferLog({ token: USDC, from: address, value: 5n }), approvedAt(address)] as Log[];
      for (const named of both) {
        const of = { user: USER, requestId: idAt(named), logs, requestLogs: [] };
        const ended = named === address ? { outcome: "paid", assets: 5n, alone: true } : null;
        expect(midasExits.findSettlement?.(vault, of)).toEqual(ended);
      }
    }
  });

  test("converts what it paid at once by its own settings", () => {
    const paid = eventLog(
      FIRST,
      "event RedeemInstant(address indexed user, address indexed tokenOut, uint256 amount, uint256 feeAmount, uint256 amountTokenOut)",
      { user: USER, tokenOut: OTHER, amount: 2n * WAD, feeAmount: 0n, amountTokenOut: WAD },
    );
    const flow = midasFlows(vault).decode(paid);
    expect(Object.values(flow?.conversion?.reads ?? {}).map(({ to }) => to)).toEqual([FIRST]);
  });
});
