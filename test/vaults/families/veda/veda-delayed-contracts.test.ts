import type { Address, Log } from "viem";
import { describe, expect, test } from "vitest";
import { vedaExits } from "../../../../src/vaults/families/veda/veda-exits.ts";
import { vedaFlows } from "../../../../src/vaults/families/veda/veda-flow-events.ts";
import { checkVedaParams } from "../../../../src/vaults/families/veda/veda-pricing.ts";
import type { Vault } from "../../../../src/vaults/vault.ts";
import { NOW, vault as plain, USDC, USER } from "../../../support/deposits/fixtures.ts";
import { answer, eventLog } from "../../../support/vaults/answer.ts";

const [FIRST, SECOND, THIRD, OTHER] = [
  "0x1111111111111111111111111111111111111111",
  "0x2222222222222222222222222222222222222222",
  "0x3333333333333333333333333333333333333333",
  "0x4444444444444444444444444444444444444444",
] as const;

/** A vault whose owner has replaced the contract twice; the second one may have lost its right to pay. */
const vault: Vault = {
  ...plain,
  ...{ adapter: "veda", type: "veda", pricer: OTHER, shareDecimals: 6 },
  params: {
    ...{ teller: "d", delayed_withdraw: THIRD },
    delayed_requests: [FIRST, SECOND, THIRD].join(),
  },
};
const entryWith = (params: Record<string, string>): Vault => ({
  ...vault,
  params: { teller: "d", ...params },
});
const idAt = (contract: Address): string => (contract === FIRST ? "0" : `0@${contract}`);

describe("Veda's contracts with a fixed wait that another one replaced", () => {
  const wait = NOW / 1_000 - 60;
  /** A matured request of each contract, of which the second one's shares are not burnt any more. */
  const answers = {
    ...Object.fromEntries(
      [FIRST, SECOND, THIRD].map((contract, index) => [
        `delayed/${contract}/${USDC}/seen/request`,
        [false, 0, wait, BigInt(index + 1), 1_000_000n],
      ]),
    ),
    config: [true, 604_800, 0, 0n, 0, 100],
    ...{ paused: false, rate: 1_000_000n, assetRate: 1_000_000n },
    authority: OTHER,
    [`delayed/${FIRST}/${USDC}/pays/call`]: true,
    [`delayed/${SECOND}/${USDC}/pays/call`]: false,
  };
  const pendingAt = (entry: Vault, table: Record<string, unknown> = answers) => {
    const query = vedaExits.pending?.(entry, { user: USER, requestIds: [], now: NOW });
    if (query === undefined) throw new Error("no requests");
    return answer(query, table);
  };

  test("show the open requests of each, under ids of their own, and which of them is payable", () => {
    expect(pendingAt(vault)).toMatchObject([
      { requestId: "0", shares: 1n, state: "claimable", cancellable: true },
      { requestId: idAt(SECOND), shares: 2n, state: "pending", cancellable: true },
      { requestId: idAt(THIRD), shares: 3n, state: "claimable", cancellable: true },
    ]);
    // What cannot be read rules out no claim, but no request is hidden.
    const { authority: _, ...unread } = { ...answers, [`delayed/${SECOND}/${USDC}/pays/call`]: undefined };
    expect(pendingAt(vault, unread)?.map(({ state }) => state)).toEqual(Array(3).fill("claimable"));
    const missing = { ...answers, [`delayed/${SECOND}/${USDC}/seen/request`]: undefined };
    expect(pendingAt(vault, missing)).toBeNull();
  });

  test("are claimed and cancelled where the request is", () => {
    for (const request of pendingAt(vault) ?? []) {
      const target = [FIRST, SECOND, THIRD].find((one) => idAt(one) === request.requestId);
      expect(vedaExits.cancel?.(vault, { user: USER, request })).toMatchObject({ target });
      const claim = vedaExits.claim?.(vault, { user: USER, request });
      if (target === SECOND) expect(claim).toBeNull();
      else expect(claim).toMatchObject({ target });
      const unknown = { ...request, requestId: `0@${OTHER}` };
      expect(vedaExits.cancel?.(vault, { user: USER, request: unknown })).toBeNull();
    }
  });

  test("keep the ids of their requests when another contract is named, closed or forgotten", () => {
    const idsIn = (params: Record<string, string>) =>
      pendingAt(entryWith(params))?.map(({ requestId }) => requestId);
    // Entries that were stored before name one contract.
    expect(idsIn({ delayed_withdraw: FIRST })).toEqual(["0"]);
    expect(idsIn({ delayed_withdraw: FIRST, delayed_requests: FIRST })).toEqual(["0"]);
    expect(idsIn({ delayed_withdraw: "", delayed_requests: FIRST })).toEqual(["0"]);
    expect(idsIn({ delayed_withdraw: SECOND, delayed_requests: FIRST })).toEqual(["0", idAt(SECOND)]);
    const closed = [FIRST, THIRD, FIRST].join();
    expect(idsIn({ delayed_withdraw: "", delayed_requests: closed })).toEqual(["0", idAt(THIRD)]);
    expect(idsIn({})).toEqual([]);
    expect(() => checkVedaParams(vault)).not.toThrow();
    expect(() => checkVedaParams(entryWith({ delayed_requests: `${FIRST},0x12` }))).toThrow(
      /delayed_requests/,
    );
  });

  test("show in logs what became of their requests, and each only of its own", () => {
    const logAt = (address: Address, signature: string, values: Record<string, unknown>) =>
      eventLog(address, signature, { account: USER, asset: USDC, shares: 5n, ...values });
    const requestedAt = (address: Address) =>
      logAt(
        address,
        "event WithdrawRequested(address indexed account, address indexed asset, uint96 shares, uint40 maturity)",
        { maturity: 9 },
      );
    const completedAt = (address: Address) =>
      logAt(
        address,
        "event WithdrawCompleted(address indexed account, address indexed asset, uint256 shares, uint256 assets)",
        { assets: 7n },
      );
    for (const at of [FIRST, SECOND, THIRD]) {
      const logs = (log: unknown) => [log as Log];
      expect(vedaExits.findRequest?.(vault, { user: USER, logs: logs(requestedAt(at)) })).toEqual({
        ...{ requestId: idAt(at), shares: 5n, mode: "cooldown", token: USDC },
      });
      for (const named of [FIRST, SECOND, THIRD]) {
        const ended = vedaExits.findSettlement?.(vault, {
          ...{ user: USER, requestId: idAt(named), logs: logs(completedAt(at)), requestLogs: [] },
        });
        expect(ended).toEqual(named === at ? { outcome: "paid", assets: 7n } : null);
      }
      const flows = vedaFlows(vault);
      expect(flows.addresses).toContain(at);
      expect(flows.decode(completedAt(at))).toMatchObject({ kind: "withdrawal", user: USER, assets: 7n });
      const exit =
        "event Exit(address indexed to, address indexed asset, uint256 amount, address indexed from, uint256 shares)";
      const paid = eventLog(vault.shareToken, exit, {
        ...{ to: USER, asset: USDC, amount: 7n, from: at, shares: 5n },
      });
      expect(flows.decode(paid)).toBeNull();
    }
    expect(
      vedaExits.findRequest?.(vault, { user: USER, logs: [requestedAt(OTHER) as unknown as Log] }),
    ).toBeNull();
  });
});
