import { concatHex, getAddress, type Hex, keccak256, pad, toFunctionSelector, zeroHash } from "viem";
import { expect, test } from "vitest";
import { isReplaceable, readVaultCode } from "../../src/registry/read-registry-code.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { OTHER, USER, VAULT } from "../support/deposits/fixtures.ts";

const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const CODE: Hex = "0x6080604052";
/** A minimal proxy of an address. Source: ERC-1167. */
const cloneOf = (target: Hex): Hex =>
  concatHex(["0x363d3d373d3d3d363d73", target, "0x5af43d82803e903d91602b57fd5bf3"]);

/** Reads the code of a vault with these slots and this code, whose beacon answers with the given implementation. */
function read(of: { slots?: Record<string, Hex>; code?: Hex; implementation?: Hex | null }): Promise<string> {
  const { slots = {}, code = CODE, implementation = null } = of;
  const client = contractsClient(({ to, data }) =>
    implementation !== null && to === getAddress(OTHER) && data === toFunctionSelector("implementation()")
      ? { ok: true, data: pad(implementation) }
      : { ok: false, data: "0x" },
  );
  return readVaultCode(
    {
      ...client,
      async request(method, params) {
        if (method === "eth_getStorageAt") return slots[String(params[1])] ?? zeroHash;
        return method === "eth_getCode" ? code : client.request(method, params);
      },
    },
    VAULT,
  );
}

test("readVaultCode() names the implementation of a proxy, which its owner can replace", async () => {
  const code = await read({ slots: { [IMPLEMENTATION_SLOT]: pad(USER) } });
  expect(code).toBe(`implementation:${getAddress(USER)}`);
  expect(isReplaceable(code)).toBe(true);
});

test("readVaultCode() names a beacon with its implementation, so that either change shows", async () => {
  const slots = { [BEACON_SLOT]: pad(OTHER) };
  const beacon = `beacon:${getAddress(OTHER)}`;
  expect(await read({ slots, implementation: USER })).toBe(`${beacon}/${getAddress(USER)}`);
  expect(await read({ slots, implementation: VAULT })).toBe(`${beacon}/${getAddress(VAULT)}`);
  expect(await read({ slots })).toBe(`${beacon}/unknown`);
  expect(isReplaceable(`${beacon}/unknown`)).toBe(true);
});

test("readVaultCode() names the target of a minimal proxy, with immutable arguments too", async () => {
  const target = `clone:${getAddress(USER)}`;
  expect(await read({ code: cloneOf(USER) })).toBe(target);
  expect(await read({ code: concatHex([cloneOf(USER), pad(OTHER)]) })).toBe(target);
  expect(isReplaceable(target)).toBe(false);
});

test("readVaultCode() hashes any other code, also a long one that contains a minimal proxy", async () => {
  expect(await read({})).toBe(`code:${keccak256(CODE)}`);
  const factory = concatHex([pad("0x60", { size: 600 }), cloneOf(USER)]);
  expect(await read({ code: factory })).toBe(`code:${keccak256(factory)}`);
});
