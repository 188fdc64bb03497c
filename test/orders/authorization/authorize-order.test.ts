import { decodeFunctionData, encodeErrorResult, type Hex, parseAbi, serializeSignature } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { AppError, failure } from "../../../src/errors.ts";
import { authorizeOrder } from "../../../src/orders/authorization/authorize-order.ts";
import {
  digestOf,
  type PlannedAuthorization,
} from "../../../src/orders/authorization/planned-authorization.ts";
import { depositRouterAbi } from "../../../src/router/deposit-router-artifact.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { type RouterCall, routerBridgeOutput, unsignedCalldata } from "../../../src/router/router-codec.ts";
import { testContext } from "../../support/context.ts";
import { OTHER, USDC, USER } from "../../support/deposits/fixtures.ts";
import {
  codes,
  plannedBy,
  routerRevert,
  type SignedState,
  signedCall,
  signedChain,
  signer,
} from "../../support/orders/signed-chain.ts";

const KINDS = ["erc3009", "permit2", "permit"] as const;
const ENTRY = {
  erc3009: "executeWithAuthorization",
  permit2: "executeWithPermit2",
  permit: "executeWithPermit",
} as const;
const ACCEPTED: Hex = "0x1626ba7e";

const signatureOf = (planned: PlannedAuthorization): Promise<Hex> => signer.sign({ hash: digestOf(planned) });

interface Signed {
  state?: SignedState;
  signature?: Hex;
  spent?: "deposit_state" | "withdrawal_state";
  explain?: (revert: Hex) => Promise<AppError | null>;
}

async function authorized(planned: PlannedAuthorization, of: Signed = {}) {
  const chain = signedChain(of.state ?? {});
  const ctx = testContext({ clients: [chain.client] });
  const signature = of.signature ?? (await signatureOf(planned));
  const { spent = "deposit_state", explain = async () => null } = of;
  const made = await authorizeOrder(ctx, { planned, signature, spent, explain });
  return { made, signature, logged: ctx.logged, ...chain };
}

/** The code with which an order is refused. */
async function refused(planned: PlannedAuthorization, of: Signed = {}) {
  try {
    await authorized(planned, of);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe.each(KINDS)("an order signed for %s", (kind) => {
  const planned = plannedBy(kind);

  test("becomes the Router call of its kind, simulated from its submitter as it stands", async () => {
    const { made, simulated, signature, logged } = await authorized(planned);
    const { data } = made.transaction;
    expect(made.transaction).toMatchObject({
      to: depositRouterAddress,
      value: "0",
      chain_id: planned.chainId,
    });
    expect(made.call.data).toBe(data);
    const { functionName, args } = decodeFunctionData({ abi: depositRouterAbi, data: data as Hex });
    expect(functionName).toBe(ENTRY[kind]);
    expect(args?.at(-1)).toBe(signature);
    expect(unsignedCalldata(data as Hex)).toBe(planned.data);
    expect(simulated).toEqual([{ from: planned.submitter, to: depositRouterAddress, data, value: "0x0" }]);
    expect(made.simulation).toEqual({
      block_number: 1_234,
      gas_used: "200000",
      output: 24n,
      balance_sufficient: true,
      gas_sufficient: true,
    });
    expect(JSON.stringify(logged)).not.toContain(signature.slice(2, 66));
  });

  test("takes the compact form and a v of 0 or 1 as the same signature", async () => {
    const { made, signature } = await authorized(planned);
    const v = Number.parseInt(signature.slice(-2), 16) - 27;
    const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
    const high = (BigInt(`0x${s}`) | (BigInt(v) << 255n)).toString(16).padStart(64, "0");
    for (const same of [`0x${r}${s}0${v}`, `0x${r}${high}`] as const)
      expect((await authorized(planned, { signature: same })).made).toEqual(made);
  });

  test("is refused with any other signature", async () => {
    const right = await signatureOf(planned);
    const [r, s, v] = [right.slice(2, 66), BigInt(`0x${right.slice(66, 130)}`), right.slice(-2)];
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const twin = serializeSignature({
      r: `0x${r}`,
      s: `0x${(order - s).toString(16).padStart(64, "0")}`,
      v: v === "1b" ? 28n : 27n,
    });
    const stranger = privateKeyToAccount(`0x${"6".repeat(64)}`);
    const byOther = await stranger.sign({ hash: digestOf(planned) });
    const wrong: Hex[] = ["0x", "0x00", byOther, twin, `${right}00`, `0x${r}${"0".repeat(64)}1b`];
    for (const signature of [...wrong, `${right.slice(0, -2) as Hex}1d` as Hex])
      expect(await refused(planned, { signature }), signature).toBe("signature_invalid");
  });

  test("is refused when the signature is one for another field", async () => {
    const { order, steps, sweep } = signedCall;
    const [step] = steps;
    if (step === undefined) throw new Error("no step");
    const changes: Partial<RouterCall["order"]>[] = [
      ...([{ tokenIn: OTHER }, { tokenOut: OTHER }, { receiver: OTHER }, { refundTo: OTHER }] as const),
      ...([{ amountIn: 25_000_001n }, { minIn: 1n }, { nativeFee: 1n }, { minOut: 2n }] as const),
      ...([{ minOutPerIn: 1n }, { deadline: order.deadline + 1n }, { direct: false }] as const),
      ...([{ ref: order.partnerId }, { partnerId: order.ref }, { partnerType: 1 }] as const),
    ];
    expect(changes.flatMap((change) => Object.keys(change)).sort()).toEqual(Object.keys(order).sort());
    const others: RouterCall[] = [
      ...changes.map((change) => ({ ...signedCall, order: { ...order, ...change } })),
      ...[
        { target: OTHER },
        { value: 1n },
        { approveToken: OTHER },
        { spender: OTHER },
        { data: "0x00" as Hex },
      ].map((change) => ({ ...signedCall, steps: [{ ...step, ...change }] })),
      { ...signedCall, steps: [] },
      { ...signedCall, steps: [step, step] },
      { ...signedCall, sweep: [] },
      { ...signedCall, sweep: [...sweep, USDC] },
    ];
    // A permit names the amount, the Router and the deadline alone: its owner submits the order.
    const bound =
      kind === "permit" ? others.filter(({ order: its }) => its.amountIn !== order.amountIn) : others;
    for (const other of bound) {
      const signature = await signatureOf(plannedBy(kind, other));
      expect(await refused(planned, { signature })).toBe("signature_invalid");
    }
    // Permit2's message does not name the owner, whose key signs it; a token's domain stands for the chain.
    const { domain } = planned;
    const elsewhere: Partial<PlannedAuthorization>[] =
      domain === null
        ? [{ chainId: 1 }]
        : [
            ...[
              { owner: OTHER },
              { domain: { ...domain, chainId: 1 } },
              { domain: { ...domain, name: "Coin" } },
            ],
            ...[{ domain: { ...domain, verifyingContract: OTHER } }, { domain: { ...domain, version: "1" } }],
          ];
    for (const change of elsewhere) {
      const signature = await signatureOf({ ...planned, ...change });
      expect(await refused(planned, { signature })).toBe("signature_invalid");
    }
  });

  test("is refused when the account does not hold the amount, and not when the balance is unknown", async () => {
    const { amountIn } = signedCall.order;
    expect(await refused(planned, { state: { balance: amountIn - 1n } })).toBe("would_revert");
    expect(await refused(planned, { state: { balance: amountIn } })).toBeNull();
    expect(await refused(planned, { state: { balance: null } })).toBeNull();
  });

  test("is refused when its nonce is used, but for a permit, which somebody may have run before", async () => {
    const { simulated } = await authorized(planned, { state: { used: null } });
    expect(simulated).toHaveLength(1);
    const code = await refused(planned, { state: { used: true } });
    expect(code).toBe(kind === "permit" ? null : "deposit_state");
  });

  test("is judged by what kind of account signs", async () => {
    const bytes: Hex = "0xc0ffee";
    const accepting = { answer: ACCEPTED };
    const outcomes = async (code: Hex | null) => [
      await refused(planned, { state: { code } }),
      await refused(planned, { state: { code, ...accepting }, signature: bytes }),
      await refused(planned, { state: { code, answer: "0xffffffff" }, signature: bytes }),
    ];
    const no = "signature_invalid";
    expect(await outcomes(codes.plain)).toEqual([null, no, no]);
    expect(await outcomes(codes.delegated)).toEqual([null, null, no]);
    expect(await outcomes(codes.contract)).toEqual([no, null, no]);
    expect(await outcomes(null)).toEqual([null, null, no]);
  });

  test("answers with the Router's own words for a simulation that fails", async () => {
    const stepRevert = encodeErrorResult({
      abi: parseAbi(["error OutputBelowMinimum(uint256,uint256)"]),
      args: [0n, 1n],
    });
    const cases: [Hex, string][] = [
      [routerRevert("AuthorizationFailed", ["0x"]), "authorization_unsupported"],
      [
        routerRevert("TokenFailed", [USDC, "0x"]),
        kind === "permit" ? "authorization_unsupported" : "would_revert",
      ],
      [routerRevert("DeadlinePassed", [1n, 2n]), "quote_expired"],
      [routerRevert("OutputBelowMinimum", [1n, 2n]), "price_unsafe"],
      // A step that poses as the Router is not believed.
      [routerRevert("StepFailed", [0n, stepRevert]), "would_revert"],
      [routerRevert("InputBelowMinimum", [1n, 2n]), "would_revert"],
      ["0x", "would_revert"],
      ["0xdeadbeef", "would_revert"],
    ];
    for (const [revert, code] of cases)
      expect(await refused(planned, { state: { revert } }), revert).toBe(code);
  });
});

test("a vault's own error is the answer to what it made revert, except after the deadline", async () => {
  const planned = plannedBy("permit2");
  const asked: Hex[] = [];
  const explain = async (revert: Hex) => {
    asked.push(revert);
    return failure("exits_paused", "the vault is paused");
  };
  const reverts = [
    routerRevert("StepFailed", [0n, "0x"]),
    routerRevert("AuthorizationFailed", ["0x"]),
    routerRevert("OutputBelowMinimum", [1n, 2n]),
  ];
  for (const revert of reverts)
    expect(await refused(planned, { state: { revert }, explain })).toBe("exits_paused");
  expect(asked).toEqual(reverts);
  const late = routerRevert("DeadlinePassed", [1n, 2n]);
  expect(await refused(planned, { state: { revert: late }, explain })).toBe("quote_expired");
  expect(await refused(planned, { explain })).toBeNull();
  expect(asked).toEqual(reverts);
});

test("a swap for a second step that falls short blames its route", async () => {
  const revert = routerRevert("OutputBelowMinimum", [1n, 2n]);
  await expect(authorized(plannedBy("permit2"), { state: { revert } })).rejects.toMatchObject({
    ...{ code: "price_unsafe", members: { subject: "route" } },
  });
});

test("a permit is blamed only for the token that is paid with", async () => {
  const revert = routerRevert("TokenFailed", [OTHER, "0x"]);
  expect(await refused(plannedBy("permit"), { state: { revert } })).toBe("would_revert");
});

test("a withdrawal that falls short blames the swap that follows the redemption, or else the vault", async () => {
  const { steps } = signedCall;
  const orders = [steps, [...steps, ...steps]].map((of) =>
    plannedBy("permit2", { ...signedCall, steps: of }),
  );
  const subjectOf = (planned: PlannedAuthorization, revert: Hex) =>
    authorized(planned, { state: { revert }, spent: "withdrawal_state" }).catch(
      ({ code, members }: AppError) => [code, members["subject"]],
    );
  const short = routerRevert("OutputBelowMinimum", [1n, 2n]);
  const underfunded = routerRevert("StepUnderfunded", [1n, 1n, 2n]);
  const subjects = await Promise.all(
    orders.flatMap((planned) => [subjectOf(planned, short), subjectOf(planned, underfunded)]),
  );
  expect(subjects).toEqual(["vault", "vault", "route", "vault"].map((subject) => ["price_unsafe", subject]));
});

test("a node that cannot simulate gives no transaction", async () => {
  expect(await refused(plannedBy("erc3009"), { state: { simulates: false } })).toBe("simulation_unavailable");
});

test("an order that ends in a bridge has no output here, and what a node leaves out is unknown", async () => {
  const bridged = { ...signedCall, order: { ...signedCall.order, tokenOut: routerBridgeOutput, minOut: 0n } };
  expect((await authorized(plannedBy("erc3009", bridged))).made.simulation.output).toBeNull();
  const { made } = await authorized(plannedBy("erc3009"), { state: { returned: "0x" } });
  expect(made.simulation.output).toBeNull();
});

test("a chain that is not served is refused", async () => {
  expect(await refused({ ...plannedBy("permit2"), chainId: 999_999 })).toBe("chain_unsupported");
});

test("the nonce is asked of what uses it up, for the signer and this order", async () => {
  const { asked } = await authorized(plannedBy("erc3009"));
  const of = (name: string) => asked.find((one) => one.includes(name)) ?? "";
  expect(of("authorizationState")).toContain(`${USDC} authorizationState ${signer.address} 0x`);
  expect(of("nonceBitmap")).toContain("0x000000000022D473030F116dDEE9F6B43aC78BA3 nonceBitmap");
  expect(of("isValidSignature")).toContain(
    `${signer.address} isValidSignature ${digestOf(plannedBy("erc3009"))}`,
  );
  expect(of("balanceOf")).toBe(`${USDC} balanceOf ${signer.address}`);
  expect(USER).not.toBe(signer.address);
});
