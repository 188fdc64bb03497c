import { expect, test } from "vitest";
import {
  readPortfolioSearch,
  requestedAssets,
  totalUsd,
} from "../../../src/console/portfolio/portfolio-search.ts";

test("totalUsd() adds cents exactly, and is no total of a part", () => {
  const of = (...values: (string | null)[]) => totalUsd(values.map((valueUsd) => ({ valueUsd })));
  expect(of("0.10", "0.20", "1")).toBe("1.30");
  expect(of("0.019", "0.019")).toBe("0.02");
  expect(of("1.00", null)).toBeNull();
  expect(of()).toBeNull();
});

test("readPortfolioSearch() takes addresses only", () => {
  const address = `0x${"a".repeat(40)}`;
  expect(readPortfolioSearch({ address })).toEqual({ address });
  expect(readPortfolioSearch({ address: "vitalik.eth" })).toEqual({});
});

test("requestedAssets() adds what deposit requests were paid, if all of it was the vault's asset", () => {
  const assetAddress = `0x${"1".repeat(40)}` as const;
  const request = (kind: "deposit" | "redeem", assets: bigint | null, address = assetAddress) => ({
    ...{ kind, assets },
    token: { address, symbol: "USDC", decimals: 6 },
  });
  const of = (...requests: ReturnType<typeof request>[]) => requestedAssets({ assetAddress, requests });
  expect(of(request("deposit", 5n), request("redeem", 9n), request("deposit", 7n))).toBe(12n);
  expect(of(request("redeem", 9n))).toBeNull();
  expect(of(request("deposit", 5n), request("deposit", null))).toBeNull();
  expect(of(request("deposit", 5n), request("deposit", 7n, `0x${"2".repeat(40)}` as never))).toBeNull();
});
