import { type Hex, hashTypedData, zeroAddress } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import type { AuthorizationFacts } from "../../../src/orders/authorization/authorization-facts.ts";
import {
  digestOf,
  PlannedAuthorization,
  permit2NonceBit,
  planAuthorization,
  signedCalldata,
  typedDataOf,
} from "../../../src/orders/authorization/planned-authorization.ts";
import { encodeRouterCall, unsignedCalldata } from "../../../src/router/router-codec.ts";
import { OTHER, REF, USDC, USER, VAULT } from "../../support/deposits/fixtures.ts";

const KINDS = ["erc3009", "permit2", "permit"] as const;
const CHAIN_ID = 8453;
const domain = { name: "USD Coin", version: "2", chainId: CHAIN_ID, verifyingContract: USDC };
const facts: AuthorizationFacts = {
  token: { domain, separator: "0x", permit: true, erc3009: true, checks: "code" },
  hasAuthorizations: true,
  permitNonce: 7n,
  permit2Allowance: 1n,
  account: "plain",
};

const data = encodeRouterCall({
  order: {
    tokenIn: USDC,
    amountIn: 25_000_000n,
    minIn: 25_000_000n,
    nativeFee: 0n,
    tokenOut: VAULT,
    receiver: USER,
    minOut: 1n,
    minOutPerIn: 0n,
    deadline: 1_800_000_000n,
    direct: true,
    refundTo: USER,
    ref: REF,
    partnerId: REF,
    partnerType: 1,
  },
  steps: [],
  sweep: [zeroAddress],
});

const plannedBy = (kind: (typeof KINDS)[number]) =>
  planAuthorization({ kind, facts, owner: USER, submitter: OTHER, chainId: CHAIN_ID, data });

test.each(KINDS)(
  "a plan by %s survives its storage, and its JSON message has the digest that contracts check",
  (kind) => {
    const planned = plannedBy(kind);
    const stored = PlannedAuthorization.parse(JSON.parse(JSON.stringify(planned)));
    expect(stored).toEqual(planned);
    const message = JSON.parse(JSON.stringify(typedDataOf(stored)));
    expect(hashTypedData(message)).toBe(digestOf(planned));
    expect(Object.keys(message.types)).toContain("EIP712Domain");
    expect(message.types.EIP712Domain.map(({ name }: { name: string }) => name)).toEqual(
      Object.keys(message.domain),
    );
  },
);

test.each(KINDS)("what is signed by %s is the order that was built", (kind) => {
  const signature: Hex = `0x${"11".repeat(65)}`;
  const signed = signedCalldata(plannedBy(kind), signature);
  expect(signed).toContain(signature.slice(2));
  expect(unsignedCalldata(signed)).toBe(data);
});

test("a stored plan whose address or calldata is broken is refused and does not throw", () => {
  const planned = planAuthorization({
    ...{ kind: "permit2", chainId: CHAIN_ID },
    ...{ owner: USER, submitter: OTHER, data },
    facts,
  });
  expect(PlannedAuthorization.safeParse(planned).success).toBe(true);
  for (const broken of [{ owner: "0x12" }, { submitter: "nobody" }, { data: "0xabc" }, { data: "calldata" }])
    expect(PlannedAuthorization.safeParse({ ...planned, ...broken }).success).toBe(false);
});

test("the order without a signature is its own", () => {
  expect(unsignedCalldata(data)).toBe(data);
  expect(unsignedCalldata("0x12345678")).toBeNull();
  expect(unsignedCalldata("0x")).toBeNull();
});

test("a permit names the token's nonce, and Permit2 one bit of the order's digest", () => {
  const { message } = typedDataOf(plannedBy("permit")) as { message: { nonce: string } };
  expect(message.nonce).toBe("7");
  const { word, mask } = permit2NonceBit(plannedBy("permit2"));
  const { message: transfer } = typedDataOf(plannedBy("permit2")) as { message: { nonce: string } };
  expect((word << 8n) + BigInt(mask.toString(2).length - 1)).toBe(BigInt(transfer.nonce));
  expect(mask & (mask - 1n)).toBe(0n);
});

test("a wallet signs the JSON as it signs the message", async () => {
  const account = privateKeyToAccount(`0x${"3".repeat(64)}`);
  const message = typedDataOf(plannedBy("permit2")) as unknown as Parameters<typeof account.signTypedData>[0];
  const signature = await account.signTypedData(message);
  expect(signature).toBe(await account.sign({ hash: digestOf(plannedBy("permit2")) }));
});
