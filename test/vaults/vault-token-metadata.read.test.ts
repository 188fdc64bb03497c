import { numberToHex } from "viem";
import { expect, test } from "vitest";
import { readTokenMetadata } from "../../src/vaults/vault-token-metadata.ts";
import { contractsClient } from "../support/chains/multicall.ts";
import { testContext } from "../support/context.ts";
import { USDC, vault } from "../support/deposits/fixtures.ts";

const DECIMALS = "0x313ce567";
const read = (decimals: bigint) => {
  const client = contractsClient(({ data }) =>
    data.startsWith(DECIMALS)
      ? { ok: true, data: numberToHex(decimals, { size: 32 }) }
      : { ok: false, data: "0x" },
  );
  return readTokenMetadata(testContext({ clients: [client] }), { chainId: vault.chainId, address: USDC });
};

test("readTokenMetadata() reads decimals that are a uint8", async () => {
  expect(await read(6n)).toEqual({ symbol: "", decimals: 6 });
  expect(await read(255n)).toEqual({ symbol: "", decimals: 255 });
});

test.each([256n, 2n ** 52n, 2n ** 255n])("readTokenMetadata() takes no decimals of %s", async (decimals) => {
  await expect(read(decimals)).rejects.toMatchObject({ code: "token_unsupported" });
});
