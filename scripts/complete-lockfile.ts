/**
 * Completes package-lock.json with the optional platform packages that its packages name, so that `npm ci` works on
 * every system even when the lockfile was written on one. Run it after every `npm install` that changes the lockfile.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { readArguments } from "./command.ts";

interface LockedPackage {
  version?: string;
  os?: string[];
  cpu?: string[];
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

const SYSTEMS = [
  "darwin",
  "linux",
  "win32",
  "freebsd",
  "openbsd",
  "netbsd",
  "android",
  "sunos",
  "aix",
  "openharmony",
];
const PROCESSORS = ["x64", "arm64", "arm", "ia32", "ppc64", "s390x", "riscv64", "loong64", "mips64el"];

/** Returns the operating system and processor in a platform package's name; null when it names none. */
function platformOf(name: string): { os?: string[]; cpu: string[] } | null {
  const lower = name.toLowerCase();
  // WebAssembly is a processor to npm; it runs on every system.
  if (lower.includes("wasm32")) return { cpu: ["wasm32"] };
  const os = /win32|windows/.test(lower) ? "win32" : SYSTEMS.find((system) => lower.includes(system));
  if (os === undefined) return null;
  const isX64 = /amd64|x86_64|(^|[^a-z0-9])64$/.test(lower);
  const named = PROCESSORS.find((cpu) => new RegExp(`(^|[^a-z0-9])${cpu}([^0-9a-z]|$)`).test(lower));
  return { os: [os], cpu: [isX64 ? "x64" : (named ?? "x64")] };
}

readArguments({
  help: `Adds to package-lock.json the optional platform packages of systems other than this one.
Run it after every npm install that changes the lockfile.

  npm run lockfile

  --help  show this text`,
});
const file = "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Record<string, LockedPackage> };
let added = 0;
for (const [path, locked] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
    const nested = path === "" ? `node_modules/${name}` : `${path}/node_modules/${name}`;
    const hoisted = `node_modules/${name}`;
    if (lock.packages[nested] !== undefined || lock.packages[hoisted] !== undefined) continue;
    const platform = platformOf(name);
    if (platform === null || !/^\d/.test(version)) continue;
    lock.packages[hoisted] = { version, ...platform, dev: true, optional: true };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added to ${file}`);
