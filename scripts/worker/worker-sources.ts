/** Pattern of the client's and the console's files, which the Worker does not import. */
const BESIDE = /^src\/(client|console)\//;

/** Returns true for a file that the Worker may contain, by its path relative to the repository. */
export function isWorkerSource(path: string): boolean {
  return /^src\//.test(path) && !BESIDE.test(path);
}
