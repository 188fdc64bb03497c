/** Fails when the schema in code differs from the migrations: generating one must produce nothing. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readArguments } from "../command.ts";
import { runTool } from "../run-tool.ts";

readArguments({
  help: `Fails when the schema in code differs from the migrations.

  node scripts/checks/migrations.ts

  --help  show this text`,
});

/** Same files as in drizzle.config.ts; the command line takes only one pattern. */
const SCHEMA = "./src/db/{schema,tables/*}.ts";

const scratch = mkdtempSync(join(tmpdir(), "causeway-migrations-"));
try {
  cpSync("drizzle", scratch, { recursive: true });
  const count = (): number => readdirSync(scratch).filter((name) => name.endsWith(".sql")).length;
  const before = count();
  const args = ["generate", "--dialect", "postgresql", "--schema", SCHEMA, "--out", scratch];
  const code = runTool({ package: "drizzle-kit", command: "drizzle-kit", args, quiet: true });
  if (code !== 0 || count() !== before) {
    console.error(
      "the schema has changes that no migration makes: run npm run db:generate and commit the result",
    );
    process.exitCode = 1;
  } else {
    console.log(`migrations: ${before}, and the schema is what they make`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
