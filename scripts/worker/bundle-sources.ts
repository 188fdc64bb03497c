import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type OutputChunk, type Plugin, rolldown } from "rolldown";
import { leanNeon } from "./lean-neon.ts";
import { leanRedis, sentCommands } from "./lean-redis.ts";
import { leanSource } from "./lean-source.ts";
import { calledMethods, leanZod } from "./lean-zod.ts";
import { isWorkerSource } from "./worker-sources.ts";

/** Folder of the modules that wrangler makes one of and minifies, relative to the repository. */
const BUNDLED = ".cache/bundled";
/** Part of the names of files that are being written. */
const DRAFT = ".draft-";
/** Start of the ids of modules that the bundler adds. */
const GENERATED = "\0";

/** A module of the bundle. */
export interface BundledModule {
  /** Name of its file. */
  file: string;
  /** Names of the modules that it imports when it is loaded. */
  imports: readonly string[];
  /** Paths of the files of which it contains code, relative to the repository. */
  sources: readonly string[];
}

/**
 * Bundles `src/worker.ts` with its packages into `.cache/bundled/worker.js` and one module for each set of files that
 * is loaded separately. Leaves out what nothing uses, what only the OpenAPI document and migrations read, clients of
 * Postgres that use sockets, commands of Redis that the Worker never sends and formats of strings that it never checks.
 * `root`: absolute path of the repository. Builds of the same sources may run at the same time. Throws an Error if a
 * file does not parse, an import does not resolve, or a file is neither a source of the Worker nor part of a package.
 */
export async function bundleSources(root: string): Promise<BundledModule[]> {
  const chunks = await bundle(root);
  const folder = join(root, BUNDLED);
  mkdirSync(folder, { recursive: true });
  // The entry is last: it imports the others, whose names contain a hash of their content.
  for (const { fileName, code } of chunks.toSorted((a, b) => Number(a.isEntry) - Number(b.isEntry)))
    writeWhole(join(folder, fileName), code);
  const current = new Set(chunks.map(({ fileName }) => fileName));
  for (const name of readdirSync(folder))
    if (!current.has(name) && !name.includes(DRAFT))
      rmSync(join(folder, name), { recursive: true, force: true });
  return chunks.map(({ fileName, imports, modules }) => {
    const files = Object.entries(modules).filter(([id]) => !id.startsWith(GENERATED));
    const kept = files.filter(([, { renderedLength }]) => renderedLength > 0);
    return { file: fileName, imports, sources: kept.map(([id]) => relative(root, id)) };
  });
}

async function bundle(root: string): Promise<OutputChunk[]> {
  const build = await rolldown({
    cwd: root,
    input: "./src/worker.ts",
    platform: "neutral",
    external: /^(?:cloudflare|node):/,
    tsconfig: false,
    // By these conditions wrangler, too, selects files of packages.
    resolve: { conditionNames: ["workerd", "worker", "browser", "import"] },
    // No source reads a property or a global for its effect.
    treeshake: { propertyReadSideEffects: false, unknownGlobalSideEffects: false },
    plugins: [
      leanSources(root),
      withoutUnused(),
      withoutSockets(),
      withoutCommands(root),
      withoutFormats(root),
    ],
    onLog(level, { message }) {
      if (level === "warn") throw new Error(message);
    },
  });
  try {
    // From the maps wrangler makes one that leads back to `src`.
    const { output } = await build.generate({
      ...{ dir: BUNDLED, format: "esm", sourcemap: "inline" },
      // It simplifies what wrangler's minifier, which only shortens names and space afterwards, would keep.
      minify: { compress: true, mangle: false, codegen: false },
    });
    return output.filter((file) => file.type === "chunk");
  } finally {
    await build.close();
  }
}

/** Returns a plugin that passes the Worker's sources through `leanSource`, and refuses other files of the project. */
function leanSources(root: string): Plugin {
  return {
    name: "lean-sources",
    transform: {
      filter: { id: { exclude: /\0|\/node_modules\// } },
      handler(code, id) {
        const path = relative(root, id);
        if (!isWorkerSource(path)) throw new Error(`${path} is not a source of the Worker`);
        return { code: leanSource(path, code), map: null };
      },
    },
  };
}

/**
 * Modules of packages that the Worker does not use, though other modules refer to them: zod's for JSON schemas, of which
 * the OpenAPI document is made without the Worker, and drizzle's for relational queries and for types of columns that
 * no table has.
 */
const UNUSED = new RegExp(
  [
    "/zod/v4/core/(?:json-schema-processors|to-json-schema)",
    "/drizzle-orm/(?:relations|pg-core/query-builders/query)",
    "/drizzle-orm/pg-core/columns/(?:(?:big|small)?serial|(?:var)?char|cidr|inet|interval|line|macaddr8?|point|real)",
    "/drizzle-orm/pg-core/columns/(?:postgis|vector)_extension/\\w+",
  ]
    .map((path) => `${path}\\.js$`)
    .join("|"),
);
/** Functions of zod's modules whose results every schema gets when it is created. */
const METHODS = /^create\w+Method$/;

/** Returns a plugin that replaces what `UNUSED` modules export by functions that throw. */
function withoutUnused(): Plugin {
  return {
    name: "without-unused",
    transform: {
      filter: { id: UNUSED },
      handler(code, id) {
        const declared = [...code.matchAll(/^export (?:const|function) (\w+)/gm)].map(
          ([, name = ""]) => name,
        );
        const listed = [...code.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = ""]) =>
          names.split(","),
        );
        const names = [...declared, ...listed.map((name) => name.trim()).filter(Boolean)];
        if (names.length === 0) throw new Error(`${id} exports nothing that is known`);
        const refuse = 'const refuse = () => { throw new Error("this part of the package is left out"); };';
        const exported = names.map(
          (name) => `export const ${name} = ${METHODS.test(name) ? "() => " : ""}refuse;`,
        );
        return { code: [refuse, ...exported].join("\n"), map: null };
      },
    },
  };
}

/** Returns a plugin that leaves out the parts of Neon's driver that do not send by HTTP. */
function withoutSockets(): Plugin {
  return {
    name: "without-sockets",
    transform: {
      filter: { id: /\/@neondatabase\/serverless\/index\.mjs$/ },
      handler: (code, id) => ({ code: leanNeon(id, code), map: null }),
    },
  };
}

/** Returns a plugin that leaves out the commands of Upstash's client that the Worker does not send. */
function withoutCommands(root: string): Plugin {
  const sent = sentCommands(root);
  return {
    name: "without-commands",
    transform: {
      filter: { id: /\/@upstash\/redis\/chunk-\w+\.mjs$/ },
      handler: (code, id) => ({ code: leanRedis(id, code, sent), map: null }),
    },
  };
}

/** Returns a plugin that leaves out the formats of zod's strings that the Worker does not use. */
function withoutFormats(root: string): Plugin {
  const called = calledMethods(root);
  return {
    name: "without-formats",
    transform: {
      filter: { id: /\/zod\/v4\/classic\/schemas\.js$/ },
      handler: (code, id) => ({ code: leanZod(id, code, called), map: null }),
    },
  };
}

/** Writes a file so that other processes see it whole. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}${DRAFT}${randomUUID()}`;
  writeFileSync(draft, text);
  renameSync(draft, file);
}
