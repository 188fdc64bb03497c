import { describe, expect, test } from "vitest";
import type { Relayer } from "../../scripts/stack/emulators/control.ts";
import { nextAction, shortfall } from "../../scripts/stack/relayer/next-action.ts";
import type {
  LifiStart,
  MessagingTransfer,
  RelayData,
  TransferState,
} from "../../scripts/stack/relayer/transfer.ts";

const DEADLINE = 1_000;
const settings = (mode: Relayer["mode"], delay_ms = 0): Relayer => ({
  mode,
  delay_ms,
  underdeliver: "3",
  underdeliver_bps: 50,
});
interface At {
  mode: Relayer["mode"];
  delay?: number;
  late?: boolean;
  messaging?: MessagingTransfer;
}

const step = (state: TransferState, at: At) =>
  nextAction(
    {
      ...{ state, seenAt: 5_000, messaging: at.messaging ?? null },
      relay: { fillDeadline: DEADLINE } as RelayData,
    },
    {
      relayer: settings(at.mode, at.delay),
      now: 6_000,
      destinationTime: at.late === true ? DEADLINE + 1 : DEADLINE,
    },
  );

describe("nextAction()", () => {
  test("follows the relayer's mode", () => {
    const modes = ["deliver", "underdeliver", "fail_destination", "expire", "refund", "stall"] as const;
    const table = modes.map((mode) => [mode, step("pending", { mode }), step("expired", { mode })]);
    expect(table).toEqual([
      ["deliver", "fill", "refund"],
      ["underdeliver", "fill", "refund"],
      ["fail_destination", "fill", "refund"],
      ["expire", "outlast", "wait"],
      ["refund", "outlast", "refund"],
      ["stall", "wait", "wait"],
    ]);
  });

  test("gives a transfer up only after its deadline, unless the bridge has none", () => {
    const messaging = { kind: "circle", transmitter: "0x", message: "0x" } as const;
    for (const mode of ["refund", "expire"] as const) {
      expect(step("pending", { mode, late: true })).toBe("expire");
      expect(step("pending", { mode, messaging })).toBe("expire");
    }
  });

  test("waits for the delay and never fills after the deadline", () => {
    expect(step("pending", { mode: "deliver", delay: 1_001 })).toBe("wait");
    expect(step("pending", { mode: "deliver", delay: 1_000 })).toBe("fill");
    expect(step("pending", { mode: "deliver", late: true })).toBe("expire");
    expect(step("pending", { mode: "stall", late: true })).toBe("wait");
  });

  test("waits for a filled or refunded transfer", () => {
    for (const state of ["filled", "refunded"] as const)
      expect(step(state, { mode: "refund", late: true })).toBe("wait");
  });
});

describe("shortfall()", () => {
  test("adds units and basis points, capped at the amount, and is zero for Across and other modes", () => {
    const of = (outputAmount: bigint, mode: Relayer["mode"]) => {
      const transfer = { lifi: {} as LifiStart, relay: { outputAmount } as RelayData };
      return [shortfall(transfer, settings(mode)), shortfall({ ...transfer, lifi: null }, settings(mode))];
    };
    expect(of(10_000n, "underdeliver")).toEqual([53n, 0n]);
    expect(of(2n, "underdeliver")).toEqual([2n, 0n]);
    expect(of(10_000n, "deliver")).toEqual([0n, 0n]);
  });
});
