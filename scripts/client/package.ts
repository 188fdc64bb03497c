/** Builds the package of the client into dist/client and checks it. */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../command.ts";
import { runSteps } from "../run-steps.ts";

readArguments({
  help: `Builds the package causeway-client into dist/client, and checks it with publint, attw and size-limit.

  npm run client:build

  --help  show this text`,
});

const root = join(import.meta.dirname, "../..");
const folder = join(root, "dist/client");
/** Modules that the package exports, in the order in which their types are listed. */
const modules = [
  "causeway-client",
  "causeway-client-error",
  "operations/read-operations",
  "operations/deposit-operations",
  "operations/withdrawal-operations",
  "client-embed-types",
  "execution/execute-steps",
  "execution/execution-options",
  "execution/execution-storage",
  "client-wallet-steps",
];
/** Minimum version of viem, the first with the EIP-5792 actions that the client uses. */
const VIEM = "^2.28.0";

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const { version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<
  string,
  string
>;
const manifest = {
  name: "causeway-client",
  version,
  description: "Typed client of the Causeway API: deposits into yield vaults, executed and watched",
  license,
  type: "module",
  sideEffects: false,
  files: ["*.js", "*.d.ts", "operations", "execution"],
  exports: { ".": { types: "./index.d.ts", default: "./index.js" }, "./package.json": "./package.json" },
  types: "./index.d.ts",
  peerDependencies: { viem: VIEM },
  engines: { node: ">=20" },
};
writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
copyFileSync(join(root, ".github/docs/client.md"), join(folder, "README.md"));
const entry = modules.map((name) => `export * from "./${name}.js";\n`).join("");
for (const file of ["index.js", "index.d.ts"]) writeFileSync(join(folder, file), entry);

await runSteps("client", [
  { name: "compiled", command: "tsc -p tsconfig.client.json" },
  { name: "publint", command: "publint --strict dist/client" },
  { name: "types resolve", command: "attw --pack dist/client --profile esm-only" },
  { name: "size", command: "size-limit" },
]);
