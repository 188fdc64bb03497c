import { expect, test } from "vitest";
import { mellowDeriver } from "../../../../src/vaults/families/mellow/mellow-derivation.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, USER } from "../../../support/deposits/fixtures.ts";
import { answer } from "../../../support/vaults/answer.ts";

const SHARES = "0x3333333333333333333333333333333333333333";
const ORACLE = "0x4444444444444444444444444444444444444444";
const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE";
const QUEUES = {
  async: "0x1111111111111111111111111111111111111111",
  signed: "0x2222222222222222222222222222222222222222",
  redeem: "0x5555555555555555555555555555555555555555",
  sync: "0x6666666666666666666666666666666666666666",
} as const;
type Kind = keyof typeof QUEUES;

/** Derives a vault with some tokens, all with the same queues. Only USDC reports symbol and decimals. */
function derived(of: { assets: readonly string[]; queues: readonly Kind[] }) {
  const table: Record<string, unknown> = {
    ...{ shares: SHARES, oracle: ORACLE, count: BigInt(of.assets.length) },
    ...{ "share/name": "A vault", "share/decimals": 18, "share/supply": 5n },
    ...Object.fromEntries(of.assets.map((asset, index) => [`${index}`, asset])),
  };
  for (const asset of of.assets) {
    const own = `markets/${asset}`;
    Object.assign(table, { [`${own}/queues/count`]: BigInt(of.queues.length) });
    if (asset === USDC)
      Object.assign(table, { [`${own}/asset/symbol`]: "USDC", [`${own}/asset/decimals`]: 6 });
    for (const [index, kind] of of.queues.entries()) {
      const queue = `${own}/queues/${QUEUES[kind]}`;
      table[`${own}/queues/${index}`] = QUEUES[kind];
      table[`${queue}/deposits`] = kind !== "redeem";
      if (kind === "sync") table[`${queue}/sync`] = [0n, 1];
      if (kind === "signed") table[`${queue}/consensus`] = OTHER;
      if (kind === "async") table[`${queue}/async`] = [0n, 0n];
    }
  }
  return answer(mellowDeriver.derive(unreviewedSubject({ chainId: 1, address: OTHER })), table);
}

test("the Mellow deriver chooses the queue that mints at once and lists the others", () => {
  const derivation = derived({ assets: [USDC], queues: ["async", "signed", "redeem", "sync"] });
  expect(derivation).toMatchObject({
    ok: true,
    vault: {
      ...{ asset: { address: USDC, symbol: "USDC", decimals: 6 }, shareToken: SHARES, pricer: ORACLE },
      ...{ entryPoint: QUEUES.sync, spender: QUEUES.sync, caller: "user" },
      params: { queue: "sync", redeem_queues: QUEUES.redeem, deposit_queues: QUEUES.async },
    },
  });
});

test("the Mellow deriver skips a queue of signed orders", () => {
  expect(derived({ assets: [USDC], queues: ["signed", "async"] })).toMatchObject({
    vault: { entryPoint: QUEUES.async, params: { queue: "async", deposit_queues: "" } },
  });
  expect(derived({ assets: [USDC], queues: ["signed", "redeem"] })).toMatchObject({ ok: false });
});

test("the Mellow deriver skips the native token", () => {
  expect(derived({ assets: [NATIVE, USDC], queues: ["sync"] })).toMatchObject({
    vault: { asset: { address: USDC }, entryPoint: QUEUES.sync },
  });
  expect(derived({ assets: [NATIVE, USER], queues: ["sync"] })).toMatchObject({ ok: false });
  expect(derived({ assets: [], queues: [] })).toMatchObject({ ok: false });
});
