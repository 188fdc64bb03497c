import { zeroAddress } from "viem";
import { describe, expect, test } from "vitest";
import { unlessUnmade } from "../../../../src/chains/chain-reads.ts";
import { vedaDeriver } from "../../../../src/vaults/families/veda/veda-derivation.ts";
import { unreviewedSubject } from "../../../../src/vaults/vault-deriver.ts";
import { OTHER, USDC, vault } from "../../../support/deposits/fixtures.ts";
import { answer, Revert, reasonData, UNMADE } from "../../../support/vaults/answer.ts";

const TELLER = "0x1111111111111111111111111111111111111111";
const views = {
  ...{ hook: TELLER, name: "Boring", decimals: 6, supply: 1n, symbol: "USDC" },
  ...{ vault: vault.shareToken, accountant: OTHER, lock: 0n, base: USDC },
  ...{ data: [true, true, 0], rate: 1_000_000n },
};
const derived = (table: Record<string, unknown>) => {
  const subject = unreviewedSubject({ chainId: 8453, address: vault.shareToken });
  const derivation = answer(vedaDeriver.derive(subject), { ...views, ...table });
  if (!derivation.ok) throw new Error(derivation.reason);
  const { caller, params } = derivation.vault;
  return { caller, params };
};

/** The revert of a teller that has the function, for an account without a role. */
const REFUSED = new Revert(reasonData("UNAUTHORIZED"));
const UNKNOWN = new Revert("0x");

describe("Veda deriver, teller generation", () => {
  test.each([
    ["2024-04", { data: UNKNOWN, supported: true, referred: UNKNOWN }, "a"],
    ["2024-09", { referred: UNKNOWN }, "b"],
    ["2025-04", { cap: 5n, referred: UNKNOWN }, "c"],
    ["2025-08, with a version", { cap: 5n, version: "V0.1", referred: UNKNOWN }, "c"],
    ["2025-09", { cap: 5n, version: "Base V0.1", referred: REFUSED }, "d"],
  ])("%s", (_name, table, teller) => {
    expect(derived(table).params).toEqual({ teller });
  });

  test("an accountant with streamed yield sets params.rate", () => {
    expect(derived({ referred: REFUSED, virtual: 1n }).params).toEqual({ teller: "d", rate: "streamed" });
  });
});

describe("Veda deriver, tokens that the teller takes", () => {
  test.each([
    [
      "says that it takes none",
      { data: [false, false, 0] },
      "the teller accepts neither the base asset nor a token of the registry entry",
    ],
    [
      "says so by the older view",
      { data: UNKNOWN, supported: false },
      "the teller accepts neither the base asset nor a token of the registry entry",
    ],
    [
      "has neither view, as Nucleus's",
      { data: UNKNOWN, supported: UNKNOWN },
      "this version of the teller is not supported: it has neither assetData() nor isSupported()",
    ],
  ])("a teller that %s", (_what, table, reason) => {
    expect(() => derived(table)).toThrow(reason);
  });
});

describe("Veda deriver, caller", () => {
  test.each([
    ["the Router by default", { referred: REFUSED, permissioned: false }, "router"],
    ["the user where shares are locked", { referred: REFUSED, lock: 1n }, "user"],
    ["the user where share transfers are permissioned", { referred: REFUSED, permissioned: true }, "user"],
    [
      "the user for the first generation, which locks shares for the block",
      { data: UNKNOWN, supported: true, referred: UNKNOWN },
      "user",
    ],
  ])("%s", (_name, table, caller) => {
    expect(derived(table).caller).toBe(caller);
  });
});

describe("Veda deriver, wait for withdrawals", () => {
  const [QUEUE, DELAYED] = [
    "0x2222222222222222222222222222222222222222",
    "0x3333333333333333333333333333333333333333",
  ];
  /** What the contracts say of the asset: the queue three days, the older contract a week. */
  const waits = {
    queue: [true, 259_200, 0, 0, 0, 0n],
    delayed: [true, 604_800, 0, 0n, 0, 0],
  };
  const waitBy = (params: Record<string, string>, table: Record<string, unknown> = {}) => {
    const subject = { ...unreviewedSubject({ chainId: 8453, address: vault.shareToken }), params };
    const own = { own: vault.shareToken, referred: REFUSED };
    const derivation = answer(vedaDeriver.derive(subject), { ...views, ...own, ...waits, ...table });
    if (!derivation.ok) throw new Error(derivation.reason);
    return derivation.vault.params?.["withdraw_seconds"];
  };

  test("is the queue's, else that of the contract with a fixed wait", () => {
    expect(waitBy({ withdraw_queue: QUEUE })).toBe("259200");
    expect(waitBy({ delayed_withdraw: DELAYED })).toBe("604800");
    expect(waitBy({ withdraw_queue: QUEUE, delayed_withdraw: DELAYED })).toBe("259200");
  });

  test("is unknown without such a contract, and where it is another vault's or does not answer", () => {
    expect(waitBy({ withdraw_seconds: "5" })).toBeUndefined();
    expect(waitBy({ withdraw_queue: QUEUE, withdraw_seconds: "5" }, { own: OTHER })).toBeUndefined();
    expect(waitBy({ withdraw_queue: QUEUE }, { queue: undefined })).toBeUndefined();
  });
});

describe("Veda deriver, contracts for withdrawals", () => {
  const QUEUE = "0x2222222222222222222222222222222222222222";
  const DELAYED = "0x3333333333333333333333333333333333333333";
  const entry = { withdraw_queue: QUEUE, delayed_withdraw: DELAYED, teller_withdraw: "public" };
  const exitsBy = (table: Record<string, unknown>) => {
    const subject = { ...unreviewedSubject({ chainId: 8453, address: vault.shareToken }), params: entry };
    const derivation = answer(vedaDeriver.derive(subject), { ...views, referred: REFUSED, ...table });
    if (!derivation.ok) throw new Error(derivation.reason);
    const {
      withdraw_queue: queue,
      delayed_withdraw: delayed,
      teller_withdraw: teller,
    } = derivation.vault.params ?? {};
    return { queue, delayed, teller };
  };
  /** Derives a vault from the parameters that the last derivation found. */
  const derivedFrom = (params: Record<string, string>, table: Record<string, unknown>) => {
    const subject = { ...unreviewedSubject({ chainId: 8453, address: vault.shareToken }), params };
    const derivation = answer(vedaDeriver.derive(subject), { ...views, referred: REFUSED, ...table });
    if (!derivation.ok) throw new Error(derivation.reason);
    const { delayed_withdraw, delayed_requests, queue_requests } = derivation.vault.params ?? {};
    return { delayed_withdraw, delayed_requests, ...(queue_requests !== undefined && { queue_requests }) };
  };
  const kept = { queue: QUEUE, delayed: DELAYED, teller: "public" };
  const [QUEUE_OWN, NAMES] = ["exits/queue/own", "exits/names/own"];
  const [OPEN, BURNS] = ["exits/open/call", "exits/burns/call"];
  const allowed = { authority: OTHER, [OPEN]: true, [BURNS]: true };

  test("keeps contracts that belong to the vault", () => {
    expect(exitsBy({ ...allowed, own: vault.shareToken })).toEqual(kept);
    // The published contract with a fixed wait does not name its vault.
    expect(exitsBy({ ...allowed, [QUEUE_OWN]: vault.shareToken })).toEqual(kept);
  });

  test("keeps contracts that cannot be read", () => {
    expect(exitsBy({})).toEqual(kept);
    expect(exitsBy({ own: UNKNOWN, authority: UNKNOWN })).toEqual(kept);
    expect(exitsBy({ authority: OTHER })).toEqual(kept);
  });

  test("leaves out contracts that belong to another vault, and a right that nobody has", () => {
    expect(exitsBy({ ...allowed, [BURNS]: false, own: OTHER })).toEqual({ ...kept, queue: "", delayed: "" });
    expect(exitsBy({ [NAMES]: OTHER })).toEqual({ ...kept, delayed: "" });
    const denied = { authority: OTHER, [OPEN]: false, [BURNS]: false };
    expect(exitsBy(denied)).toEqual({ queue: QUEUE, delayed: "", teller: undefined });
    expect(exitsBy({ authority: zeroAddress })).toEqual({ queue: QUEUE, delayed: "", teller: undefined });
  });

  test("keeps the last contract that may burn shares, for open requests, until the vault lets it pay again", () => {
    const names = { delayed_withdraw: DELAYED };
    const [paying, closed] = [
      { delayed_withdraw: DELAYED, delayed_requests: DELAYED },
      { delayed_withdraw: "", delayed_requests: DELAYED },
    ];
    expect(derivedFrom(names, allowed)).toEqual(paying);
    expect(derivedFrom(paying, { ...allowed, [BURNS]: false })).toEqual(closed);
    expect(derivedFrom(closed, { ...allowed, [BURNS]: false })).toEqual(closed);
    // What cannot be read changes nothing.
    expect(derivedFrom(closed, { [OPEN]: true })).toEqual(closed);
    expect(derivedFrom(paying, { [OPEN]: true })).toEqual(paying);
    expect(derivedFrom(closed, allowed)).toEqual(paying);
    // An operator who removes the parameter ends new requests for good.
    const ended = { delayed_withdraw: undefined, delayed_requests: DELAYED };
    expect(derivedFrom({ delayed_requests: DELAYED }, allowed)).toEqual(ended);
    // A contract that was never accepted has no requests that count.
    const refused = derivedFrom(names, { ...allowed, [BURNS]: false });
    expect(refused).toEqual({ delayed_withdraw: "", delayed_requests: undefined });
  });

  test("remembers a queue that another one replaced, if it was the vault's", () => {
    const [newer, owned] = [`0x${"9".repeat(40)}`, { [QUEUE_OWN]: vault.shareToken }];
    const queuesAfter = (params: Record<string, string>, table: Record<string, unknown>) =>
      derivedFrom(params, table).queue_requests;
    const first = queuesAfter({ withdraw_queue: QUEUE }, owned);
    expect(first).toBe(QUEUE);
    const both = [QUEUE, newer].join();
    expect(queuesAfter({ withdraw_queue: newer, queue_requests: QUEUE }, owned)).toBe(both);
    expect(queuesAfter({ withdraw_queue: newer, queue_requests: both }, owned)).toBe(both);
    // An operator may remove the queue, and what another vault's queue holds is not this vault's.
    expect(queuesAfter({ queue_requests: both }, owned)).toBe(both);
    expect(queuesAfter({ withdraw_queue: newer }, { [QUEUE_OWN]: OTHER })).toBeUndefined();
    expect(queuesAfter({ withdraw_queue: newer, queue_requests: QUEUE }, {})).toBe(QUEUE);
  });

  test("remembers the contracts that were accepted before, the first and the last three", () => {
    const contracts = [1, 2, 3, 4, 5, 6].map((digit) => `0x${String(digit).repeat(40)}`);
    const [first = "", second = "", third = "", ...later] = contracts;
    const requestsAfter = (before: string, delayed_withdraw: string) =>
      derivedFrom({ delayed_withdraw, delayed_requests: before }, allowed).delayed_requests;
    expect(requestsAfter(first, second)).toBe([first, second].join());
    expect(requestsAfter([first, second].join(), third)).toBe([first, second, third].join());
    let known = [first, second, third].join();
    for (const one of later) known = requestsAfter(known, one) ?? "";
    expect(known).toBe([first, ...later].join());
    // One that was accepted before is accepted last again, and the first one stays the first.
    expect(requestsAfter([first, second, third].join(), second)).toBe([first, third, second].join());
    const again = [first, second, first].join();
    expect(requestsAfter([first, second].join(), first)).toBe(again);
    expect(requestsAfter(again, third)).toBe([first, second, third].join());
    // The vault may let the last one alone pay again.
    const closed = { delayed_withdraw: "", delayed_requests: [first, second].join() };
    expect(derivedFrom(closed, allowed)).toEqual({ ...closed, delayed_withdraw: second });
    expect(derivedFrom(closed, { ...allowed, [BURNS]: false })).toEqual(closed);
  });
});

describe("Veda deriver, accepted tokens", () => {
  const subject = {
    ...unreviewedSubject({ chainId: 8453, address: vault.shareToken }),
    ...{ asset: USDC, tokens: [USDC, OTHER] },
  } as const;
  const derive = (table: Record<string, unknown>) =>
    answer(unlessUnmade(vedaDeriver.derive(subject)), { ...views, referred: REFUSED, ...table });

  test.each([`tokens/${OTHER}/support/data`, `tokens/${OTHER}/support/rate`, `tokens/${OTHER}/token/symbol`])(
    "are unread, not fewer, if no node made the call %s",
    (name) => {
      expect(derive({})).toMatchObject({
        vault: { acceptedAssets: [{ address: USDC }, { address: OTHER }] },
      });
      expect(derive({ [name]: UNMADE })).toBe("unread");
      // The contract itself may refuse a token.
      expect(derive({ [name]: UNKNOWN })).toMatchObject({
        ok: true,
        vault: { acceptedAssets: [{ address: USDC }] },
      });
    },
  );

  test("become the asset only where the entry names one that is taken, or the base asset is not", () => {
    const assetOf = (asset: typeof OTHER | null, table: Record<string, unknown> = {}) => {
      const asked = { ...subject, asset, tokens: [OTHER] };
      const found = answer(vedaDeriver.derive(asked), { ...views, referred: REFUSED, ...table });
      return found.ok ? found.vault.asset.address : null;
    };
    expect(assetOf(null)).toBe(USDC);
    expect(assetOf(OTHER)).toBe(OTHER);
    const [base, other] = [USDC, OTHER].map((token) => `tokens/${token}/support/data`);
    expect(assetOf(OTHER, { [other ?? ""]: [false, false, 0] })).toBe(USDC);
    expect(assetOf(null, { [base ?? ""]: [false, false, 0] })).toBe(OTHER);
  });

  test("leave out a token that is only paid, which stays listed while the vault pays it", () => {
    const QUEUE = "0x2222222222222222222222222222222222222222";
    const only = { redeem_tokens: `${OTHER.toLowerCase()}/6/USDC` };
    const paidBy = (table: Record<string, unknown>, of: Partial<typeof subject> = {}) => {
      const asked = { ...subject, params: { withdraw_queue: QUEUE }, ...of };
      const refused = { [`tokens/${OTHER}/support/data`]: [false, true, 0] };
      const found = answer(vedaDeriver.derive(asked), { ...views, ...refused, referred: REFUSED, ...table });
      return found.ok ? found.vault : null;
    };
    const pays = { queue: [true, 60, 0, 0, 0, 0n] };
    expect(paidBy(pays)).toMatchObject({ acceptedAssets: [{ address: USDC }], params: only });
    const later = { tokens: [USDC], params: { withdraw_queue: QUEUE, ...only } };
    expect(paidBy(pays, later)?.params).toMatchObject(only);
    const open = { authority: OTHER, "exits/open/call": true };
    expect(paidBy(open)?.params).toMatchObject(only);
    const stopped = paidBy({ queue: [false, 60, 0, 0, 0, 0n] }, later)?.params;
    expect(stopped).not.toHaveProperty("redeem_tokens");
    // Requests in the queue name their token themselves.
    expect(stopped).not.toHaveProperty("stopped_tokens");
  });

  test("stay known for open requests of the contract with a fixed wait once it does not pay them", () => {
    const listed = `${OTHER.toLowerCase()}/6/USDC`;
    const delayed = { delayed_withdraw: "0x3333333333333333333333333333333333333333" };
    const derivedBy = (params: Record<string, string>, table: Record<string, unknown>, tokens = [USDC]) => {
      const refused = { [`tokens/${OTHER}/support/data`]: [false, false, 0] };
      const asked = { ...subject, tokens, params: { ...delayed, ...params } };
      const found = answer(vedaDeriver.derive(asked), { ...views, ...refused, referred: REFUSED, ...table });
      return found.ok ? found.vault : null;
    };
    const paramsBy = (...of: Parameters<typeof derivedBy>) => derivedBy(...of)?.params ?? null;
    const [pays, stopped] = [{ redeem_tokens: listed }, { stopped_tokens: listed }];
    const ended = paramsBy(pays, { delayed: [false, 60, 0, 0n, 0, 0] });
    expect(ended).toMatchObject(stopped);
    expect(ended).not.toHaveProperty("redeem_tokens");
    // Neither price nor metadata need be readable.
    const unreadable = {
      [`tokens/${OTHER}/support/rate`]: UNKNOWN,
      [`tokens/${OTHER}/token/decimals`]: UNKNOWN,
    };
    expect(paramsBy(stopped, unreadable)).toMatchObject(stopped);
    expect(paramsBy({}, { delayed: [false, 60, 0, 0n, 0, 0] }, [USDC, OTHER])).toMatchObject(stopped);
    // The oldest queue's requests are found by their token too, and no view names that queue.
    const atomic = { delayed_withdraw: "", atomic_queues: "0x5555555555555555555555555555555555555555" };
    expect(paramsBy({ ...stopped, ...atomic }, {})).toMatchObject({ ...stopped, ...atomic });
    // Once the teller takes a token again, it is an accepted one, whether the contract pays it or not.
    for (const pays of [true, false]) {
      const taken = { [`tokens/${OTHER}/support/data`]: [true, true, 0], delayed: [pays, 60, 0, 0n, 0, 0] };
      const back = derivedBy(stopped, taken);
      expect(back?.acceptedAssets).toMatchObject([{ address: USDC }, { address: OTHER }]);
      expect(back?.params).not.toHaveProperty("stopped_tokens");
      const unpriced = { ...taken, [`tokens/${OTHER}/support/rate`]: UNKNOWN };
      expect(derivedBy(stopped, unpriced)).toMatchObject({
        acceptedAssets: [{ address: USDC }],
        params: stopped,
      });
    }
    // A contract that may not burn shares pays nothing, whatever its list says.
    const closed = { authority: OTHER, "exits/burns/call": false, delayed: [true, 60, 0, 0n, 0, 0] };
    expect(paramsBy({ ...pays, delayed_requests: delayed.delayed_withdraw }, closed)).toMatchObject(stopped);
    const named = { [`tokens/${OTHER}/token/symbol`]: "USD Coin, old", delayed: [false, 60, 0, 0n, 0, 0] };
    const short = { stopped_tokens: `${OTHER.toLowerCase()}/6/USDCoinold` };
    expect(paramsBy({}, named, [USDC, OTHER])).toMatchObject(short);
    const again = paramsBy(stopped, { delayed: [true, 60, 0, 0n, 0, 0] });
    expect(again).toMatchObject(pays);
    expect(again).not.toHaveProperty("stopped_tokens");
  });
});
