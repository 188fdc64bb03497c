import { setImmediate as turn } from "node:timers/promises";
import { beforeAll } from "vitest";

/** What keeps a process alive and is somebody's to close. */
const OWNED = new Set(["TCPServerWrap", "PipeServerWrap", "ProcessWrap", "FSEventWrap", "StatWatcher"]);
/** Turns of the event loop that a handle gets whose end has been told but not yet carried out. */
const TURNS = 100;
/** Objects of the process whose members a test may replace. */
const shared = { globalThis, AbortSignal, Date, Math, Response, console, crypto, performance, process };

type State = ReadonlyMap<string, unknown>;

/**
 * Files of one worker share a process. A file fails that leaves something of itself in it: what it started and did
 * not close, and what it replaced and did not put back.
 */
beforeAll(() => {
  const before = look();
  return async () => {
    let left = differences(before, look());
    for (let turns = 0; left.length > 0 && turns < TURNS; turns += 1) {
      await turn();
      left = differences(before, look());
    }
    if (left.length > 0) throw new Error(`left to the next file: ${left.join(", ")}`);
  };
});

function look(): State {
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

/** Names only: the environment's values are nobody's to print. */
const differences = (one: State, other: State): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((name) => !Object.is(one.get(name), other.get(name)));
