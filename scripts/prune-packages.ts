/** Removes unused files from node_modules; runs at the end of `npm ci` and `npm install`. */
import { readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./command.ts";

readArguments({
  help: `Removes unused files from node_modules: Node's C headers and source maps. Runs after every install.

  node scripts/prune-packages.ts

  --help  show this text`,
});
const folder = join(import.meta.dirname, "../node_modules");
/** Node's headers, which only native addons need, and source maps. */
const UNREAD = /^node\/node_modules\/node-[^/]+\/include\/.+|\.(c|m)?(j|t)s\.map$/;

let [files, bytes] = [0, 0];
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const inside = path.slice(folder.length + 1).replaceAll("\\", "/");
  if (!entry.isFile() || !UNREAD.test(inside)) continue;
  bytes += statSync(path).size;
  files += 1;
  rmSync(path);
}
console.log(`pruned   ${files} files of packages, ${Math.round(bytes / 2 ** 20)} MB`);
