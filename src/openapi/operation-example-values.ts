import { encodeFunctionData, hexToBigInt, parseAbi } from "viem";
import { type ExampleValues, exampleParts } from "./example-values.ts";

const { USDC, ROUTER, USER, SHARES, BUILT_AT, SENT_AT, DONE_AT } = exampleParts;
const { share, request, call, step, depositStep, redeemStep, exitFigures, outflow } = exampleParts;
const abi = parseAbi([
  "function redeem(uint256 shares, address receiver, address controller)",
  "function cancelRequestRedeem(address controller)",
  "function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  "function invalidateUnorderedNonces(uint256 word, uint256 mask)",
]);

/** Canonical address of Permit2. */
const PERMIT2 = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
/** Digest of the signed order, which is its nonce. */
const ORDER = "0x3f0d5c1f4b1f7a7c2a6f0f5a9e9d1f66f4f2a3b7d6c5e4f3021a1b2c3d4e5f60";
/** Shortened calldata of the DepositRouter's calls with a signature by ERC-3009 and by Permit2. */
const SIGNED_DEPOSIT_DATA = "0x72c296600000000000000000000000000000000000000000000000000000000000000080";
const SIGNED_EXIT_DATA = "0xfa7e7ad50000000000000000000000000000000000000000000000000000000000000080";
/** The signature in the example of a request body. */
const SIGNATURE = {
  r: "0x0bf5059875921e668a5bdf2c7fc4844592d2572bcd0668d2d6c52f5054e2d083",
  s: "0x6bf84c7174cb7476364cc3dbd968b0f7172ed85794bb358b0c3b525da1786f9f",
  v: 28,
} as const;

/** Returns the fields that hold the only transaction of an order. `one` is its step. */
const signable = ({ to, data, one }: { to: string; data: string; one: object }) => ({
  transaction_request: request(to, data),
  ...{ approval: null, calls: [call(to, data)], warnings: [] },
  steps: [{ ...one, transaction_request: request(to, data) }],
});
/** Returns the fields of a signed order, which the DepositRouter executes. `one` is the step of its transaction. */
function signed({ data, one }: { data: string; one: typeof depositStep }) {
  const made = signable({ to: ROUTER, data, one });
  const title = one.title.replace(/^\w+/, "Sign for");
  const signing = { ...one, step_id: "source.authorize", purpose: "authorize", title };
  const done = { kind: "signature", transaction_request: null, state: "done" };
  return { ...made, steps: [{ ...signing, ...done }, ...made.steps] };
}

/** Returns the step that makes a signed order unusable. */
const cancelStep = (of: { title: string; paid: object; to: string; data: string }) =>
  step(
    { step_id: "source.cancel", purpose: "cancel", title: of.title },
    { ...of.paid, transaction_request: request(of.to, of.data) },
  );
const cancelDeposit = cancelStep({
  ...{ title: "Cancel 1 USDC", paid: {}, to: USDC },
  data: encodeFunctionData({
    ...{ abi, functionName: "cancelAuthorization" },
    args: [USER, ORDER, SIGNATURE.v, SIGNATURE.r, SIGNATURE.s],
  }),
});
const nonce = hexToBigInt(ORDER);
const cancelWithdrawal = cancelStep({
  ...{ title: "Cancel 0.944 shares of Steakhouse USDC", paid: { token: share, amount: SHARES } },
  to: PERMIT2,
  data: encodeFunctionData({
    ...{ abi, functionName: "invalidateUnorderedNonces" },
    args: [nonce >> 8n, 1n << (nonce & 255n)],
  }),
});

/** A vault with redemption requests (ERC-7540), in which the share token is the vault itself. */
const REQUEST_VAULT = "0x7540000000000000000000000000000000007540";
const claimData = encodeFunctionData({
  ...{ abi, functionName: "redeem" },
  args: [BigInt(SHARES), USER, USER],
});
const cancelData = encodeFunctionData({ abi, functionName: "cancelRequestRedeem", args: [USER] });
const claimStep = step(
  { step_id: "claim", purpose: "claim", title: "Claim what the vault settled" },
  { amount: null },
);
const cancelRequestStep = step(
  { step_id: "cancel", purpose: "cancel", title: "Cancel the request" },
  { token: { ...share, address: REQUEST_VAULT, symbol: "vUSDC" }, amount: null },
);

const abandoned = {
  ...{ state: "abandoned", status: "NOT_FOUND", substatus: null, source_tx_hash: null, updated_at: SENT_AT },
  history: [
    { state: "built", at: BUILT_AT },
    { state: "abandoned", at: SENT_AT },
  ],
};
const decided = { decided_at: DONE_AT, note: "Reviewed the company's website and contacts" };
const floor = "995000";
const high = outflow({ tier: "high", net: 383_400 });

/**
 * Example values of fields for operations that cannot answer with those of `exampleValues`, by operation id and by the
 * name of the component.
 */
export const operationExampleValues: Readonly<Record<string, ExampleValues>> = {
  "deposits.abandon": { Deposit: { ...abandoned, shares: null } },
  "deposits.authorize": {
    BuiltDeposit: { authorize: "erc3009", ...signed({ data: SIGNED_DEPOSIT_DATA, one: depositStep }) },
  },
  "deposits.cancel": { Cancellation: { steps: [cancelDeposit] } },
  "withdrawals.claim": {
    BuiltRequestAction: signable({ to: REQUEST_VAULT, data: claimData, one: claimStep }),
  },
  "withdrawals.cancel": {
    BuiltRequestAction: signable({ to: REQUEST_VAULT, data: cancelData, one: cancelRequestStep }),
    WithdrawSimulation: { received: SHARES },
  },
  "withdrawals.abandon": { Withdrawal: { ...abandoned, assets: null, to_amount: null } },
  "withdrawals.authorize": {
    BuiltWithdrawal: {
      ...{ authorize: "permit2", ...signed({ data: SIGNED_EXIT_DATA, one: redeemStep }) },
      estimate: {
        ...{ shares: SHARES, ...exitFigures, min_assets: floor, to_amount_min: floor },
        slippage_applied: 0.005,
      },
    },
    WithdrawSimulation: { allowance_sufficient: false },
  },
  "withdrawals.cancel-signed": { Cancellation: { steps: [cancelWithdrawal] } },
  "intel.high": { Signal: { ...high.said, title: high.title } },
  "admin.applications.approve": { ApplicationRecord: { status: "approved", ...decided } },
  "admin.applications.reject": { ApplicationRecord: { status: "rejected", ...decided } },
  "admin.applications.revoke": { ApplicationRecord: { status: "revoked", ...decided } },
  "admin.applications.reopen": { ApplicationRecord: { note: decided.note } },
  "admin.vaults.add": {
    VaultRecord: {
      ...{ status: "candidate", status_reason: "not proven yet", was_active: false, proof: null },
      ...{ provenance: { source: "operator", detail: "" }, named_by: [] },
    },
  },
  "admin.vaults.change": {
    VaultRecord: { status: "paused", status_reason: "The vault is being migrated", status_by: "admin" },
  },
};
