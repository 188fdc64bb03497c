import { type Address, isAddress } from "viem";
import { describe, expect, test } from "vitest";
import { AppError, type ErrorCode } from "../../../../src/errors.ts";
import { deductParts } from "../../../../src/lib/amount.ts";
import type { Provider, ProviderScope, TransferRequest } from "../../../../src/providers/provider.ts";
import { bridgeKeys } from "../../../../src/schemas/build-input-schema.ts";
import { clearFaults, control } from "../../stack/harness.ts";

/** A provider under test. */
export interface ProviderCase {
  provider: Provider;
  scope: ProviderScope;
  /** URL of the provider's emulated API, which is controlled by `/__control`. */
  emulator: string;
  /** A transfer to the user that the provider supports. */
  plain: TransferRequest;
  /** The same transfer with a destination call. Null if the provider supports no destination calls. */
  called: TransferRequest | null;
}

/** Error codes that a provider may throw, whatever its API does. */
const ALLOWED: readonly ErrorCode[] = [
  "no_route",
  "upstream_rejected",
  "upstream_unavailable",
  "upstream_timeout",
  "rate_limited",
];
const FAULTS = [
  { kind: "status", status: 500 },
  { kind: "status", status: 400 },
  { kind: "status", status: 429 },
  { kind: "html" },
  { kind: "malformed" },
  { kind: "truncate" },
  { kind: "drift" },
  { kind: "hostile" },
] as const;

/** Defines the tests that every provider must pass. `open` returns the case once the stack has started. */
export function describeProvider(name: string, open: () => ProviderCase): void {
  describe(`${name} implements Provider:`, () => {
    test("lists its bridges, each chain once", () => {
      const { provider } = open();
      expect(provider.name).toBe(name);
      for (const { key, chains } of provider.capabilities().bridges) {
        expect(bridgeKeys).toContain(key);
        expect(chains).toEqual([...new Set(chains)]);
      }
    });

    test("quotes supported transfers, with a minimum output up to the expected one", async () => {
      const { provider, scope, plain, called } = open();
      const options = await provider.quote(scope, plain);
      expect(options.some(({ supportsCall }) => supportsCall)).toBe(called !== null);
      expect(provider.capabilities().destinationCall).toBe(called !== null);
      for (const option of options) {
        expect(option).toMatchObject({ provider: name, supportsPlain: true });
        expect(option.supportsCall, option.bridge ?? "").toBe(
          ["across", "stargate"].includes(option.bridge ?? ""),
        );
        expect(option.toAmountMin > 0n && option.toAmountMin <= option.toAmount).toBe(true);
      }
    });

    test("builds with its own contracts, within the slippage limit, with an executor only for a call", async () => {
      const { provider, scope, plain, called } = open();
      for (const request of called === null ? [plain] : [plain, called]) {
        const built = await provider.build(scope, request);
        expect(built.transaction.value).toBe(0n);
        expect(provider.spenders(request)).toContain(built.spender);
        expect(built.executor !== null).toBe(request.call !== null);
        expect(isAddress(built.executor ?? built.transaction.to)).toBe(true);
        const least = request.call?.minIn ?? deductParts(built.toAmount, request.slippage);
        expect(built.toAmountMin).toBeGreaterThanOrEqual(least);
        expect(built.validSeconds).toBeGreaterThan(0);
      }
    });

    test("throws no_route for unsupported transfers without a request", async () => {
      const { provider, scope, plain } = open();
      const before = scope.timing.requests("provider");
      const elsewhere = { ...plain, toChainId: 999_999 };
      await expect(provider.quote(scope, elsewhere)).rejects.toMatchObject({ code: "no_route" });
      await expect(provider.build(scope, { ...plain, bridges: ["nobody"] })).rejects.toMatchObject({
        code: "no_route",
      });
      expect(scope.timing.requests("provider")).toBe(before);
      const nobody: readonly Address[] = [];
      expect(provider.spenders({ ...plain, fromChainId: 999_999 })).toEqual(nobody);
    });

    test("ends at the deadline", async () => {
      const { provider, scope, plain, emulator } = open();
      await control(emulator, { faults: [{ kind: "timeout", ms: 3_000 }] });
      const late = { ...scope, deadline: scope.now() + 300 };
      await expect(provider.quote(late, plain)).rejects.toMatchObject({ code: "upstream_timeout" });
      await clearFaults(emulator);
    });

    test.each(FAULTS)("throws only AppError: $kind $status", async (fault) => {
      const { provider, scope, plain, called, emulator } = open();
      await control(emulator, { faults: [fault] });
      const works = [
        () => provider.quote(scope, plain),
        () => provider.build(scope, plain),
        () => provider.build(scope, called ?? plain),
      ];
      for (const work of works) {
        const error: unknown = await work().catch((reason: unknown) => reason);
        if (!(error instanceof AppError)) {
          // Prices carry no authority: a lie in a place that is not read may pass them, never a transaction.
          expect(fault.kind).toBe("hostile");
          continue;
        }
        expect(ALLOWED).toContain(error.code);
        expect(error.message).not.toMatch(/http|127\.0\.0\.1/);
      }
      if (fault.kind === "hostile") {
        const built = provider.build(scope, called ?? plain);
        await expect(built).rejects.toMatchObject({ code: "upstream_rejected" });
      }
      await clearFaults(emulator);
      await new Promise((resolve) => setTimeout(resolve, fault.kind === "status" ? 1_100 : 0));
    });
  });
}
