import { expect, test } from "vitest";
import { leanRedis, sentCommands } from "../../../scripts/worker/lean-redis.ts";

const CLIENT = `var GetCommand = class {};
var ZAddCommand = class {};
var Redis = class {
  client;
  constructor(client) { this.client = client; }
  get json() { return { get: () => new JsonGetCommand() }; }
  use = (middleware) => middleware;
  addTelemetry = () => {};
  createScript(script) { return new Script(script); }
  get = (...args) => new GetCommand(args).exec(this.client);
  zadd = (...args) => new ZAddCommand(args).exec(this.client);
};
export { Redis };`;

test("leanRedis() leaves the client the commands that are sent, and what its constructors use", () => {
  const lean = leanRedis("chunk.mjs", CLIENT, new Set(["get"]));
  expect(lean).toContain("GetCommand(args)");
  for (const kept of ["client;", "constructor(client)", "use = ", "addTelemetry = "])
    expect(lean).toContain(kept);
  for (const cut of ["json()", "createScript", "zadd"]) expect(lean).not.toContain(cut);
});

test("leanRedis() throws if the package's module has another form", () => {
  expect(() => leanRedis("chunk.mjs", "class Redis {", new Set())).toThrow();
  expect(() => leanRedis("chunk.mjs", "export const Redis = 1;", new Set())).toThrow("no commands");
});

test("sentCommands() returns the commands that the Worker's sources send", () => {
  const sent = sentCommands(process.cwd());
  for (const name of ["get", "set", "del", "eval", "getdel", "ping"]) expect(sent).toContain(name);
  expect(sent).not.toContain("zadd");
});
