import { getContractAddress, isAddress, keccak256, size, sliceHex } from "viem";
import { describe, expect, test } from "vitest";
import {
  depositRouterCreationCode,
  depositRouterRuntimeCode,
} from "../../src/router/deposit-router-artifact.ts";
import {
  create2Factory,
  deployTransaction,
  depositRouterAddress,
  depositRouterCodeHash,
  executorImplementationAddress,
} from "../../src/router/router-address.ts";

const zeroSalt = `0x${"00".repeat(32)}` as const;

/** The opcodes of a runtime code, without the constants that PUSH instructions carry. */
function opcodesOf(code: `0x${string}`): Set<number> {
  const bytes = Buffer.from(code.slice(2), "hex");
  const opcodes = new Set<number>();
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] ?? 0;
    opcodes.add(opcode);
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return opcodes;
}

describe("depositRouterAddress", () => {
  test("is the CREATE2 address of factory, zero salt and creation code", () => {
    expect(depositRouterAddress).toBe(
      getContractAddress({
        opcode: "CREATE2",
        from: create2Factory,
        salt: zeroSalt,
        bytecode: depositRouterCreationCode,
      }),
    );
    expect(create2Factory).toBe("0x4e59b44847b379578588920cA78FbF26c0B4956C");
  });

  test("is written with its checksum, and so is the Executor's", () => {
    expect(isAddress(depositRouterAddress, { strict: true })).toBe(true);
    expect(isAddress(executorImplementationAddress, { strict: true })).toBe(true);
  });

  test("gives the Executor's: the first contract that the Router creates", () => {
    expect(executorImplementationAddress).toBe(
      getContractAddress({ opcode: "CREATE", from: depositRouterAddress, nonce: 1n }),
    );
  });
});

describe("depositRouterCodeHash", () => {
  test("hashes to the constant and names the Executor where the compiler left room for it", () => {
    expect(keccak256(depositRouterRuntimeCode)).toBe(depositRouterCodeHash);
    expect(depositRouterRuntimeCode).toContain(executorImplementationAddress.slice(2).toLowerCase());
    expect(depositRouterRuntimeCode).not.toContain(`7f${"00".repeat(32)}`);
  });

  test("fits the limits of every chain (EIP-170, EIP-3860)", () => {
    expect(size(depositRouterRuntimeCode)).toBeLessThanOrEqual(24_576);
    expect(size(depositRouterCreationCode)).toBeLessThanOrEqual(49_152);
  });

  test.each([
    ["TLOAD", 0x5c],
    ["TSTORE", 0x5d],
    ["MCOPY", 0x5e],
    ["PUSH0", 0x5f],
    ["DELEGATECALL", 0xf4],
    ["SELFDESTRUCT", 0xff],
    ["CREATE2", 0xf5],
  ])("has no %s", (_name, opcode) => {
    expect(opcodesOf(depositRouterRuntimeCode).has(opcode)).toBe(false);
  });
});

test("deployTransaction() sends salt and creation code to the factory", () => {
  const { to, data } = deployTransaction();
  expect(to).toBe(create2Factory);
  expect(sliceHex(data, 0, 32)).toBe(zeroSalt);
  expect(sliceHex(data, 32)).toBe(depositRouterCreationCode);
});
