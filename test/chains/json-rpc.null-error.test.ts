import { expect, test } from "vitest";
import { callNode } from "../../src/chains/json-rpc.ts";
import { realFetch, serve } from "../support/local-server.ts";

test("callNode() returns the result when the answer also has a null error", async () => {
  const { url } = await serve((_, response) => response.end('{"id":1,"result":"0x1","error":null}'));
  expect(await callNode(realFetch, { url, method: "m", params: [] })).toBe("0x1");
});
