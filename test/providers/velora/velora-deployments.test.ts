import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { resolveKyberDeployments } from "../../../src/providers/kyber/kyber-deployments.ts";
import { resolveVeloraDeployments } from "../../../src/providers/velora/velora-deployments.ts";

const router = `0x${"aa".repeat(20)}` as const;

describe("resolveVeloraDeployments()", () => {
  test("has Augustus V6.2 on Gnosis, and no chain that KyberSwap serves", () => {
    const deployments = [...resolveVeloraDeployments([]).values()];
    expect(deployments).toEqual([{ chainId: 100, router: "0x6A000F20005980200259B80c5102003040001068" }]);
    const kyber = resolveKyberDeployments([]);
    expect(deployments.filter(({ chainId }) => kyber.has(chainId))).toEqual([]);
  });

  test("adds a deployment on a chain that the code does not know", () => {
    expect(resolveVeloraDeployments([{ chainId: 31337, router }]).get(31337)).toEqual({
      chainId: 31337,
      router,
    });
  });

  test.each([
    ["replaces a router", 100],
    ["adds a router on a known chain", 8453],
  ])("throws when a setting %s", (_name, chainId) => {
    const made = () => resolveVeloraDeployments([{ chainId, router }]);
    expect(made).toThrow(AppError);
    expect(made).toThrow(`chain ${chainId} ships in code`);
  });

  test("throws when two settings name the same chain", () => {
    const made = () => resolveVeloraDeployments([31337, 31337].map((chainId) => ({ chainId, router })));
    expect(made).toThrow(AppError);
    expect(made).toThrow("chain 31337");
  });
});
