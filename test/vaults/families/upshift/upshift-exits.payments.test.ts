import type { Log } from "viem";
import { expect, test } from "vitest";
import { upshift } from "../../../../src/vaults/families/upshift/upshift-adapter.ts";
import { upshiftLegacy } from "../../../../src/vaults/families/upshift/upshift-legacy-adapter.ts";
import { OTHER, USDC, USER, VAULT, vault } from "../../../support/deposits/fixtures.ts";
import { transferLog } from "../../../support/deposits/logs.ts";
import { eventLog } from "../../../support/vaults/answer.ts";

const members = "uint256 assetsAmount, uint256 processedOn, address receiverAddr, uint256 requestedOn";
const values = { assetsAmount: 9n, processedOn: 2n, receiverAddr: USER, requestedOn: 1n };

const families = [
  [
    "a multi-asset vault",
    upshift,
    "event WithdrawalProcessed(uint256 assetsAmount, address indexed receiverAddr)",
  ],
  ["an older legacy vault", upshiftLegacy, `event WithdrawalProcessed(${members})`],
  ["a newer legacy vault", upshiftLegacy, `event WithdrawalProcessed(${members}, bool wasBlacklisted)`],
] as const;

test.each(families)("a request to %s is paid by a transfer in a transaction with its event", (...of) => {
  const [, { exits }, signature] = of;
  const processedFor = (receiverAddr = USER) =>
    eventLog(VAULT, signature, { ...values, receiverAddr, wasBlacklisted: false }) as unknown as Log;
  const processed = processedFor();
  const paid = (to = USER) => transferLog({ token: USDC, from: VAULT, to, value: 9n });
  const endIn = (logs: Log[]) =>
    exits?.findSettlement?.(vault, { user: USER, requestId: "2026-03-10", logs, requestLogs: [] });
  expect(endIn([paid(), processed])).toEqual({ outcome: "paid", assets: 9n });
  expect(endIn([paid()])).toBeNull();
  expect(endIn([paid(OTHER), processed])).toBeNull();
  // Anyone can make a payment of another vault in the same transaction; the vault may pay less than it says.
  const elsewhere = transferLog({ token: USDC, from: OTHER, value: 5n });
  expect(endIn([paid(), processed, elsewhere])).toEqual({ outcome: "paid", assets: 9n });
  expect(endIn([elsewhere, processed])).toEqual({ outcome: "paid", assets: 5n });
  expect(endIn([paid(), processed, paid(), processed])).toEqual({ outcome: "paid", assets: 18n });
  expect(endIn([paid(), processed, paid(), processedFor(OTHER)])).toEqual({ outcome: "paid", assets: 9n });
  // A stranger's request is paid, and the stranger sends the user something in the same transaction.
  expect(endIn([paid(), processedFor(OTHER)])).toBeNull();
});

test("a request of a blacklisted receiver, for which a legacy vault pays another account, is paid nothing", () => {
  const [, , [, { exits }, signature]] = families;
  const processed = (wasBlacklisted: boolean) =>
    eventLog(VAULT, signature, { ...values, wasBlacklisted }) as unknown as Log;
  const elsewhere = transferLog({ token: USDC, from: VAULT, to: OTHER, value: 9n });
  const endIn = (...logs: Log[]) =>
    exits?.findSettlement?.(vault, { user: USER, requestId: "2026-03-10", logs, requestLogs: [] });
  const nothing = { outcome: "paid", assets: 0n };
  expect(endIn(processed(true), elsewhere)).toEqual(nothing);
  // What another account sends the user is none of it.
  const sent = transferLog({ token: USDC, from: OTHER, value: 9n });
  expect(endIn(processed(true), elsewhere, sent)).toEqual(nothing);
  expect(endIn(processed(false), elsewhere)).toBeNull();
});
