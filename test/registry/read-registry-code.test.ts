import {
  concatHex,
  getAddress,
  type Hex,
  keccak256,
  pad,
  stringToHex,
  toFunctionSelector,
  zeroHash,
} from "viem";
import { expect, test } from "vitest";
import {
  canRunOtherCode,
  namesImplementation,
  readVaultCode,
} from "../../src/registry/read-registry-code.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { clientOn, startHonestNode } from "../support/chains/rpc-node.ts";
import { OTHER, USER, VAULT } from "../support/deposits/fixtures.ts";

const IMPLEMENTATION_SLOT = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc";
const BEACON_SLOT = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50";
const CODE: Hex = "0x6080604052";
/** Code that delegates its calls to an address from its storage, as proxies do. */
const DELEGATING: Hex = "0x363d3d373d3d3d363d5f545af43d82803e903d91602b57fd5bf3";
/** A minimal proxy of an address. Source: ERC-1167. */
const cloneOf = (target: Hex): Hex =>
  concatHex(["0x363d3d373d3d3d363d73", target, "0x5af43d82803e903d91602b57fd5bf3"]);

interface Stage {
  slots?: Record<string, Hex>;
  code?: Hex;
  /** Code at the address of the clones' target. */
  target?: Hex;
  implementation?: Hex | null;
}

/** A client of a chain with one vault, the target of its clones, and a beacon with the given implementation. */
function clientOf({ slots = {}, code = CODE, target = CODE, implementation = null }: Stage) {
  const client = contractsClient(({ to, data }) =>
    implementation !== null && to === getAddress(OTHER) && data === toFunctionSelector("implementation()")
      ? { ok: true, data: pad(implementation) }
      : { ok: false, data: "0x" },
  );
  return {
    ...client,
    async request(method: string, params: readonly unknown[]) {
      if (method === "eth_getStorageAt") return slots[String(params[1])] ?? zeroHash;
      if (method === "eth_getCode") return params[0] === VAULT ? code : target;
      return client.request(method, params);
    },
  };
}

const read = (of: Stage): Promise<string> => readVaultCode(clientOf(of), VAULT);
const runsOther = (of: Stage): Promise<boolean> => canRunOtherCode(clientOf(of), VAULT);

test("readVaultCode() names the implementation of a proxy, which its owner can replace", async () => {
  const code = await read({ slots: { [IMPLEMENTATION_SLOT]: pad(USER) } });
  expect(code).toBe(`implementation:${getAddress(USER)}/${keccak256(CODE)}`);
  expect(namesImplementation(code)).toBe(true);
});

test("readVaultCode() names a beacon with its implementation, so that either change shows", async () => {
  const slots = { [BEACON_SLOT]: pad(OTHER) };
  const beacon = `beacon:${getAddress(OTHER)}`;
  const own = keccak256(CODE);
  expect(await read({ slots, implementation: USER })).toBe(`${beacon}/${getAddress(USER)}/${own}`);
  expect(await read({ slots, implementation: VAULT })).toBe(`${beacon}/${getAddress(VAULT)}/${own}`);
  expect(await read({ slots })).toBe(`${beacon}/unknown/${own}`);
  expect(namesImplementation(`${beacon}/${getAddress(USER)}/${own}`)).toBe(true);
  expect(namesImplementation(`${beacon}/unknown/${own}`)).toBe(false);
});

test("readVaultCode() names the target of a minimal proxy, with immutable arguments too", async () => {
  const target = `clone:${getAddress(USER)}`;
  expect(await read({ code: cloneOf(USER) })).toBe(target);
  expect(await read({ code: concatHex([cloneOf(USER), pad(OTHER)]) })).toBe(target);
  expect(namesImplementation(target)).toBe(false);
});

test("readVaultCode() hashes any other code, also one that contains a minimal proxy", async () => {
  expect(await read({})).toBe(`code:${keccak256(CODE)}`);
  for (const before of ["0x00", pad("0x60", { size: 600 })] as const) {
    const code = concatHex([before, cloneOf(USER)]);
    expect(await read({ code })).toBe(`code:${keccak256(code)}`);
  }
  // It calls another contract, and names this one where nothing runs.
  const pretender = concatHex([cloneOf(OTHER).replace("602b57fd5bf3", "602b57fd5bf4") as Hex, cloneOf(USER)]);
  expect(await read({ code: pretender })).toBe(`code:${keccak256(pretender)}`);
});

test("readVaultCode() tells a contract that writes a proxy's slot from that proxy", async () => {
  const slots = { [IMPLEMENTATION_SLOT]: pad(USER) };
  expect(await read({ slots, code: "0x60016002" })).not.toBe(await read({ slots }));
  const beacon = { [BEACON_SLOT]: pad(OTHER) };
  expect(await read({ slots: beacon, code: "0x60016002" })).not.toBe(await read({ slots: beacon }));
});

test.each(["org.zeppelinos.proxy.implementation", "PROXIABLE"])(
  "readVaultCode() names the implementation in the slot %s of older proxies",
  async (name) => {
    const slots = { [keccak256(stringToHex(name))]: pad(USER) };
    expect(await read({ slots, code: DELEGATING })).toBe(
      `implementation:${getAddress(USER)}/${keccak256(DELEGATING)}`,
    );
    expect(await read({ slots })).toBe(`code:${keccak256(CODE)}`);
    expect(await read({ code: DELEGATING })).toBe(`code:${keccak256(DELEGATING)}`);
  },
);

test("readVaultCode() asks the next node if one returns no word for a slot or no code", async () => {
  const nodeOf = (slot: unknown, code: unknown) =>
    startHonestNode(({ method }) => ({ result: method === "eth_getStorageAt" ? slot : code }));
  const expected = `code:${keccak256(CODE)}`;
  for (const broken of [await nodeOf("0x0", CODE), await nodeOf(zeroHash, null)])
    expect(await readVaultCode(clientOn([broken, await nodeOf(zeroHash, CODE)]).client, VAULT)).toBe(
      expected,
    );
});

test("canRunOtherCode() is false only for code that shows it, and for clones of such code", async () => {
  expect(await runsOther({})).toBe(false);
  expect(await runsOther({ code: cloneOf(USER) })).toBe(false);
  expect(await runsOther({ code: concatHex([cloneOf(USER), pad(OTHER)]) })).toBe(false);
  const metaProxy = concatHex([
    ...(["0x363d3d373d3d3d3d60368038038091363936013d73", USER] as const),
    ...(["0x5af43d3d93803e603457fd5bf3", pad(OTHER)] as const),
  ]);
  expect(await runsOther({ code: metaProxy })).toBe(false);
});

test("canRunOtherCode() is true for proxies, their clones, clones of nothing, and code before a clone", async () => {
  expect(await runsOther({ code: DELEGATING })).toBe(true);
  expect(await runsOther({ code: cloneOf(USER), target: DELEGATING })).toBe(true);
  expect(await runsOther({ code: cloneOf(USER), target: cloneOf(OTHER) })).toBe(true);
  expect(await runsOther({ code: cloneOf(USER), target: "0x" })).toBe(true);
  expect(await runsOther({ code: concatHex(["0x5f50", cloneOf(USER)]) })).toBe(true);
  expect(await runsOther({ code: "0x" })).toBe(true);
});
