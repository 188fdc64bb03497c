import { getAddress, type Hex, numberToHex, pad, toFunctionSelector, zeroAddress } from "viem";
import { expect, test } from "vitest";
import { readGovernance } from "../../src/registry/read-registry-governance.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { OTHER, USER, vault } from "../support/deposits/fixtures.ts";

const CONTRACT = getAddress("0x00000000000000000000000000000000000c0de0");
const codes: Readonly<Record<string, Hex>> = {
  [CONTRACT]: "0x6080",
  [USER]: "0x",
  // An account with a single key that delegates to a contract (EIP-7702).
  [OTHER]: `0xef0100${"c0".repeat(20)}`,
};

/** Reads the governance of a vault with these views; a view that is not named reverts. */
function governanceOf(adapter: string, views: Record<string, Hex>) {
  const bySelector = new Map(
    Object.entries(views).map(([name, value]) => [toFunctionSelector(`${name}()`), value]),
  );
  const client = contractsClient(({ data }) => {
    const answer = bySelector.get(data);
    return answer === undefined ? { ok: false, data: "0x" } : { ok: true, data: pad(answer) };
  });
  return readGovernance(
    {
      ...client,
      request: async (method, params) =>
        method === "eth_getCode" ? codes[String(params[0])] : client.request(method, params),
    },
    { ...vault, adapter },
  );
}
const wait = numberToHex(86_400);

test("readGovernance() finds every role of a single key, delegated or not", async () => {
  const roles = { owner: USER, curator: OTHER, timelock: wait };
  expect(await governanceOf("metamorpho", roles)).toEqual({ keys: [USER, OTHER], timelockS: 86_400n });
  expect(await governanceOf("metamorpho", { ...roles, owner: CONTRACT, curator: zeroAddress })).toEqual({
    ...{ keys: [], timelockS: 86_400n },
  });
});

test("readGovernance() does not take a role that cannot be read for none", async () => {
  expect(await governanceOf("metamorpho", { owner: CONTRACT, timelock: wait })).toMatchObject({
    keys: "unread",
  });
  expect(await governanceOf("euler", { owner: CONTRACT })).toMatchObject({ keys: "unread" });
  // A tokenized strategy has no role manager, and a vault no management.
  for (const role of ["management", "role_manager"])
    expect(await governanceOf("yearn_v3", { [role]: USER })).toMatchObject({ keys: [USER] });
  expect(await governanceOf("yearn_v3", {})).toMatchObject({ keys: "unread" });
  // Aave's static tokens name nobody, but what one of them says counts.
  expect(await governanceOf("aave_stata", {})).toEqual({ keys: [], timelockS: null });
  expect(await governanceOf("aave_stata", { owner: USER })).toMatchObject({ keys: [USER] });
});

test("readGovernance() tells a timelock that cannot be read from a family without one", async () => {
  const roles = { owner: CONTRACT, curator: CONTRACT };
  expect(await governanceOf("metamorpho", roles)).toEqual({ keys: [], timelockS: "unread" });
  expect(await governanceOf("euler", { governorAdmin: CONTRACT })).toEqual({ keys: [], timelockS: null });
});
