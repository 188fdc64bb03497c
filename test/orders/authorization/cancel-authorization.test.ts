import { decodeFunctionData, type Hex, parseAbi } from "viem";
import { describe, expect, test } from "vitest";
import { AppError } from "../../../src/errors.ts";
import { cancelAuthorization } from "../../../src/orders/authorization/cancel-authorization.ts";
import {
  orderNonce,
  type PlannedAuthorization,
  permit2NonceBit,
} from "../../../src/orders/authorization/planned-authorization.ts";
import { permit2Address } from "../../../src/router/router-signature-messages.ts";
import type { Step } from "../../../src/schemas/step-schema.ts";
import { testContext } from "../../support/context.ts";
import { USDC } from "../../support/deposits/fixtures.ts";
import {
  codes,
  plannedBy,
  type SignedState,
  signedCall,
  signedChain,
  signer,
} from "../../support/orders/signed-chain.ts";

const leg = {
  slot: "source",
  chainId: plannedBy("permit2").chainId,
  token: { address: USDC, symbol: "USDC", decimals: 6 },
  amount: "25000000",
} as const;

async function cancelled(
  planned: PlannedAuthorization,
  of: { state?: SignedState; signature?: Hex | null } = {},
) {
  const chain = signedChain(of.state ?? {});
  const ctx = testContext({ clients: [chain.client] });
  const { signature = null } = of;
  const step = await cancelAuthorization(ctx, { planned, signature, leg, spent: "withdrawal_state" });
  return { step, simulated: chain.simulated };
}

async function refused(planned: PlannedAuthorization, of: { state?: SignedState; signature?: Hex } = {}) {
  try {
    await cancelled(planned, of);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

/** Signs the message of a cancel step as a wallet does. */
function signCancel(step: Step): Promise<Hex> {
  if (step.kind !== "signature" || step.typed_data === null) throw new Error("nothing to sign");
  return signer.signTypedData(step.typed_data as unknown as Parameters<typeof signer.signTypedData>[0]);
}

const abi = parseAbi([
  "function invalidateUnorderedNonces(uint256 word, uint256 mask)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
]);

function requestOf(step: Step) {
  if (step.kind !== "transaction" || step.transaction_request === null) throw new Error("no transaction");
  return step.transaction_request;
}

describe("an order signed for Permit2", () => {
  const planned = plannedBy("permit2");

  test("is cancelled by one transaction of the user, which marks exactly the order's nonce", async () => {
    const { step, simulated } = await cancelled(planned);
    const { to, data, value } = requestOf(step);
    expect(step).toMatchObject({
      step_id: "source.cancel",
      purpose: "cancel",
      state: "required",
      tx_hash: null,
    });
    expect([to, value]).toEqual([permit2Address, "0"]);
    const { word, mask } = permit2NonceBit(planned);
    expect(decodeFunctionData({ abi, data: data as Hex })).toEqual({
      functionName: "invalidateUnorderedNonces",
      args: [word, mask],
    });
    expect(simulated).toEqual([{ from: signer.address, to: permit2Address, data, value: "0x0" }]);
  });
});

describe("an order signed for ERC-3009", () => {
  const planned = plannedBy("erc3009");

  test("is cancelled by a signature over its nonce, and then by a transaction that anybody can send", async () => {
    const asked = await cancelled(planned);
    expect(asked.simulated).toEqual([]);
    expect(asked.step).toMatchObject({ kind: "signature", purpose: "cancel", state: "required" });
    const message = asked.step.typed_data;
    expect(message).toMatchObject({
      primaryType: "CancelAuthorization",
      domain: { ...planned.domain },
      message: { authorizer: signer.address, nonce: orderNonce(planned) },
    });
    const signature = await signCancel(asked.step);
    const { step, simulated } = await cancelled(planned, { signature });
    const { to, data } = requestOf(step);
    const { functionName, args } = decodeFunctionData({ abi, data: data as Hex });
    expect([to, functionName]).toEqual([USDC, "cancelAuthorization"]);
    expect(args).toEqual([
      signer.address,
      orderNonce(planned),
      Number.parseInt(signature.slice(-2), 16),
      signature.slice(0, 66),
      `0x${signature.slice(66, 130)}`,
    ]);
    expect(simulated.map((call) => call.data)).toEqual([data]);
  });

  test("is cancelled by the bytes of a contract account", async () => {
    const state = { code: codes.contract, answer: "0x1626ba7e" } as const;
    const { step } = await cancelled(planned, { state, signature: "0xc0ffee" });
    const { args } = decodeFunctionData({ abi, data: requestOf(step).data as Hex });
    expect(args).toEqual([signer.address, orderNonce(planned), "0xc0ffee"]);
  });

  test("is not cancelled by another signature, nor by that of the order", async () => {
    const { step } = await cancelled(plannedBy("erc3009", { ...signedCall, sweep: [] }));
    for (const signature of ["0x", "0xc0ffee", await signCancel(step)] as Hex[])
      expect(await refused(planned, { signature })).toBe("signature_invalid");
  });
});

describe.each(["erc3009", "permit2"] as const)("the cancellation of an order signed for %s", (kind) => {
  const planned = plannedBy(kind);

  test("is refused after the order was used, and after its deadline", async () => {
    expect(await refused(planned, { state: { used: true } })).toBe("withdrawal_state");
    const { order } = signedCall;
    const late = plannedBy(kind, { ...signedCall, order: { ...order, deadline: 1_699_999_999n } });
    expect(await refused(late)).toBe("quote_expired");
    const last = plannedBy(kind, { ...signedCall, order: { ...order, deadline: 1_700_000_000n } });
    expect(await refused(last)).toBeNull();
  });

  test("is not offered when it would revert or cannot be simulated", async () => {
    const { step } = await cancelled(planned);
    const signature = kind === "erc3009" ? { signature: await signCancel(step) } : {};
    expect(await refused(planned, { ...signature, state: { revert: "0x" } })).toBe("would_revert");
    expect(await refused(planned, { ...signature, state: { simulates: false } })).toBe(
      "simulation_unavailable",
    );
  });
});

test("a permit has nothing to cancel: only its owner can send the order", async () => {
  expect(await refused(plannedBy("permit"))).toBe("withdrawal_state");
});

test("a chain that is not served is refused", async () => {
  expect(await refused({ ...plannedBy("permit2"), chainId: 999_999 })).toBe("chain_unsupported");
});
