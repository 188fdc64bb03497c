import { setImmediate as turn } from "node:timers/promises";
import { beforeAll } from "vitest";

/** Types of handles that keep a process alive and that a test must close. */
const OWNED = new Set(["TCPServerWrap", "PipeServerWrap", "ProcessWrap", "FSEventWrap", "StatWatcher"]);
/** Number of event loop turns to wait for handles that are being closed. */
const TURNS = 100;
/** Global objects whose members a test may replace and must restore. */
const shared = { globalThis, AbortSignal, Date, Math, Response, console, crypto, performance, process };

type State = ReadonlyMap<string, unknown>;

/**
 * Fails a test file that leaves open handles, or global members and environment variables that it replaced, because the
 * files of one worker share a process.
 */
beforeAll(() => {
  const before = readState();
  return async () => {
    let left = differences(before, readState());
    for (let turns = 0; left.length > 0 && turns < TURNS; turns += 1) {
      await turn();
      left = differences(before, readState());
    }
    if (left.length > 0) throw new Error(`left to the next file: ${left.join(", ")}`);
  };
});

function readState(): State {
  const found = new Map<string, unknown>([["the working directory", process.cwd()]]);
  for (const type of process.getActiveResourcesInfo().filter((one) => OWNED.has(one)))
    found.set(type, Number(found.get(type) ?? 0) + 1);
  for (const [name, value] of Object.entries(process.env)) found.set(`the environment's ${name}`, value);
  for (const [owner, object] of Object.entries(shared)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(object));
    for (const [name, { value, get }] of members.filter(([name]) => !name.startsWith("_")))
      found.set(`${owner}.${name}`, value ?? get);
  }
  return found;
}

/**
 * Returns the names of the members that differ. Values are left out, because environment variables may contain secrets.
 */
const differences = (one: State, other: State): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => !Object.is(one.get(name), other.get(name)));
