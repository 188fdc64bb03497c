import { expect, test } from "vitest";
import { withAssetsBeside } from "../../scripts/stack/worker/assets.ts";

const options = {
  name: "program",
  compatibilityDate: "2026-11-01",
  bindings: { A: "1" },
  serviceBindings: { OTHER: "other" },
  assets: {
    directory: "/somewhere/public",
    binding: "FILES",
    run_worker_first: ["/*", "!/scripts/*", "!/page"],
    routerConfig: {
      has_user_worker: true,
      static_routing: { asset_worker: ["/scripts/*", "/page"], user_worker: ["/*"] },
    },
    assetConfig: { html_handling: "none" },
  },
};

test("withAssetsBeside() moves the assets into a Worker with their paths and the binding", () => {
  expect(withAssetsBeside(options)).toEqual([
    {
      name: "program",
      compatibilityDate: "2026-11-01",
      bindings: { A: "1" },
      serviceBindings: { OTHER: "other", FILES: "program-assets" },
    },
    {
      name: "program-assets",
      modules: true,
      script: expect.stringContaining("env.FILES.fetch"),
      compatibilityDate: "2026-11-01",
      routes: ["*/scripts/*", "*/page*"],
      serviceBindings: { PROGRAM: "program" },
      assets: {
        directory: "/somewhere/public",
        binding: "FILES",
        assetConfig: { html_handling: "none" },
        routerConfig: { has_user_worker: false },
      },
    },
  ]);
});

test("withAssetsBeside() returns a Worker without assets unchanged", () => {
  const { assets: _, ...bare } = options;
  expect(withAssetsBeside(bare)).toEqual([bare]);
});

test("withAssetsBeside() rejects assets without asset-first paths", () => {
  const assets = { ...options.assets, routerConfig: { has_user_worker: true } };
  expect(() => withAssetsBeside({ ...options, assets })).toThrow(/static_routing/);
});
