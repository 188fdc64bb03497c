import { describe, expect, test } from "vitest";
import { ownRequest } from "../../../src/tracking/withdrawals/own-exit-request.ts";
import { type PendingExit, unknownPendingExit } from "../../../src/vaults/vault-exits.ts";
import { USDC } from "../../support/deposits/fixtures.ts";
import { askedAt } from "../../support/withdrawals/several-requests.ts";

const [FIRST, SECOND] = [`0x${"11".repeat(20)}`, `0x${"22".repeat(20)}`];
const openAs = (requestId: string, change: Partial<PendingExit> = {}): PendingExit => ({
  ...{ ...unknownPendingExit, token: USDC, requestId },
  ...change,
});
const rowOf = (requestId: string | null) => askedAt(0, { shares: "100", requestId });

describe("a request whose queue has become, or is no longer, the one that takes requests", () => {
  const moved = openAs(`${FIRST}:7`);

  test("is the only one of its time", () => {
    expect(ownRequest(rowOf("7"), { open: [openAs("8"), moved], others: [] })).toBe(moved);
    const [main, later] = [openAs("7"), openAs("17")];
    expect(ownRequest(rowOf(`${FIRST}:7`), { open: [later, main], others: [] })).toBe(main);
  });

  test("is not another one of the same time", () => {
    const other = openAs(`${SECOND}:7`);
    const named = { ...rowOf(`${FIRST}:7`), state: "requested" } as const;
    expect(ownRequest(rowOf("7"), { open: [moved], others: [named] })).toBeNull();
    expect(ownRequest(rowOf("7"), { open: [moved, other], others: [] })).toBeNull();
    expect(ownRequest(rowOf(`${FIRST}:7`), { open: [other], others: [] })).toBeNull();
    expect(ownRequest(rowOf("7"), { open: [openAs(`${FIRST}:17`)], others: [] })).toBeNull();
  });

  test("is the one of its own id, if there is one", () => {
    const own = openAs("7");
    expect(ownRequest(rowOf("7"), { open: [moved, own], others: [] })).toBe(own);
  });
});

test("a request that is not listed is the claim of its returned shares, if there is one", () => {
  const returned = openAs("shares", { pays: "shares" });
  expect(ownRequest(rowOf("7"), { open: [openAs("8"), returned], others: [] })).toBe(returned);
  expect(ownRequest(rowOf("7"), { open: [openAs("8")], others: [] })).toBeNull();
});
