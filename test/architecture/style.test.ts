import { describe, test } from "vitest";
import { checkTree } from "../support/planted-tree.ts";

const lines = (count: number): string => "// a line\n".repeat(count);
/** Enough short files that a few long ones do not change the median. */
const tidy = Object.fromEntries(
  [..."abcdefghij"].map((name) => [`src/http/${name}.ts`, "export const x = 1;\n"]),
);
const check = (planted: Readonly<Record<string, string>> = {}) =>
  checkTree("style.ts", { ...tidy, ...planted });

describe("style.ts", { concurrent: true }, () => {
  test("accepts a tidy tree", async ({ expect }) => {
    expect(await check()).toEqual({
      code: 0,
      problems: [],
      said: "style: 10 files in src, median 1 lines, longest 1",
    });
  });

  test("reports clocks, randomness, disabled checks, shared state, long files and skipped tests", async ({
    expect,
  }) => {
    const { code, problems } = await check({
      "scripts/w.ts": 'import { x } from "../test/x.ts";\n',
      "scripts/x.ts": lines(351),
      "src/http/env.ts": "process.env.X;\n",
      "src/http/ignore.ts": "// biome-ignore lint: why\n",
      "src/http/long.ts": lines(351),
      "src/http/silenced.ts": "// @ts-expect-error\n",
      "src/lib/w.ts": "const now = new Date();\n",
      "src/lib/x.ts": "const now = Date.now();\n",
      "src/lib/y.ts": "const now = new Date;\n",
      "src/lib/z.ts": "const now = performance.now();\n",
      "src/orders/order-slippage.ts": "\nMath.random();\n",
      "src/vaults/families/x.ts": "Date.now();\n",
      "test/a.test.ts": `test.${"only"}("x");\n`,
      "test/b.test.ts": `describe.${"skip"}("x");\n`,
      "test/c.test.ts": `vi.${"mock"}("x");\n`,
      "test/d.ts": "export let runtime = null;\n",
      "test/e.ts": "const seen: Map<string, string> = new Map();\n",
      "test/f.ts": "neonConfig.fetchEndpoint = url;\n",
    });
    expect([code, problems]).toEqual([
      1,
      [
        "scripts/w.ts:1: what scripts share with tests lives in scripts",
        "scripts/x.ts: 351 lines, at most 350",
        "src/http/env.ts:1: the environment is read in config.ts, from the bindings",
        "src/http/ignore.ts:1: a silenced check",
        "src/http/long.ts: 351 lines, at most 350",
        "src/http/silenced.ts:1: a silenced check",
        "src/lib/w.ts:1: pure code takes the time as input",
        "src/lib/x.ts:1: pure code takes the time as input",
        "src/lib/y.ts:1: pure code takes the time as input",
        "src/lib/z.ts:1: pure code takes the time as input",
        "src/orders/order-slippage.ts:2: pure code takes the time as input",
        "src/vaults/families/x.ts:1: pure code takes the time as input",
        "test/a.test.ts:1: a test that does not run",
        "test/b.test.ts:1: a test that does not run",
        "test/c.test.ts:1: a mocked module",
        "test/d.ts:1: state that one file of tests would hand to the next",
        "test/e.ts:1: state that one file of tests would hand to the next",
        "test/f.ts:1: a setting of all clients of the database",
      ],
    ]);
  });

  test("accepts generated files, clocks outside pure code, and expected type errors in tests", async ({
    expect,
  }) => {
    const planted = {
      "src/http/clock.ts": "Date.now();\n",
      "src/lib/time.ts": "export const at = (ms: number) => new Date(ms);\n",
      "src/vaults/artifact.ts": lines(5_000),
      "src/http/long.ts": lines(350),
      "test/x.test.ts": "// @ts-expect-error\nlet chain: TestChain;\n",
      "test/names.ts": 'const names = new Set(["a"]);\n',
    };
    expect(await check(planted)).toMatchObject({ code: 0, problems: [] });
  });

  test("reports a high median file length", async ({ expect }) => {
    const long = Object.fromEntries([..."klmnopqrstuv"].map((name) => [`src/http/${name}.ts`, lines(120)]));
    expect((await check(long)).problems).toEqual(["src: the median file has 120 lines, at most 110"]);
  });
});
