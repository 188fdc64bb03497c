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
    run_worker_first: ["/*", "!/scripts/*"],
    routerConfig: {
      has_user_worker: true,
      static_routing: { asset_worker: ["/scripts/*"], user_worker: ["/*"] },
    },
    assetConfig: { html_handling: "none" },
  },
};

test("assets become a Worker of their own, reached by its paths and by the binding", () => {
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
      script: "export default { fetch: (request, env) => env.FILES.fetch(request) }",
      compatibilityDate: "2026-11-01",
      routes: ["*/scripts/*"],
      assets: {
        directory: "/somewhere/public",
        binding: "FILES",
        assetConfig: { html_handling: "none" },
        routerConfig: { has_user_worker: false },
      },
    },
  ]);
});

test("a Worker without assets stays as it is", () => {
  const { assets: _, ...bare } = options;
  expect(withAssetsBeside(bare)).toEqual([bare]);
});

test("assets that are given first to no path are refused", () => {
  const assets = { ...options.assets, routerConfig: { has_user_worker: true } };
  expect(() => withAssetsBeside({ ...options, assets })).toThrow(/static_routing/);
});
