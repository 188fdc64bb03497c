import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { resolveKyberDeployments } from "../../../src/providers/kyber/kyber-deployments.ts";

const router = `0x${"aa".repeat(20)}` as const;

describe("resolveKyberDeployments()", () => {
  test("has one router on the thirteen chains that KyberSwap serves, and none on Gnosis and Katana", () => {
    const deployments = [...resolveKyberDeployments([]).values()];
    expect(deployments.map(({ chainId }) => chainId)).toEqual([
      1, 10, 56, 130, 137, 143, 146, 999, 8453, 9745, 42161, 43114, 59144,
    ]);
    expect(new Set(deployments.map((one) => one.router))).toEqual(
      new Set(["0x6131B5fae19EA4f9D964eAc0408E4408b66337b5"]),
    );
    expect(new Set(deployments.map(({ slug }) => slug)).size).toBe(deployments.length);
  });

  test("adds a deployment on a chain that the code does not know", () => {
    const local = { chainId: 31337, slug: "local-31337", router };
    expect(resolveKyberDeployments([local]).get(31337)).toEqual(local);
  });

  test.each([
    ["replaces a router", 8453],
    ["adds a router on a known chain that KyberSwap does not serve", 100],
  ])("throws when a setting %s", (_name, chainId) => {
    const made = () => resolveKyberDeployments([{ chainId, slug: "x", router }]);
    expect(made).toThrow(AppError);
    expect(made).toThrow(`chain ${chainId} ships in code`);
  });
});
