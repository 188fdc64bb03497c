import { expect, test } from "vitest";
import { readPortfolioSearch, totalUsd } from "../../../src/console/portfolio/portfolio-search.ts";

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
