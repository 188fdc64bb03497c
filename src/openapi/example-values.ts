/** Values of one direct deposit of 1 USDC into a vault on Base, from its build to its shares, in all examples. */
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ROUTER = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const VAULT = "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183";
const USER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const USER_WORD = USER.slice(2).toLowerCase().padStart(64, "0");
const SENT = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060";
const APPROVED = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b";
const REDEEMED = "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b";
const SHARES = "950000000000000000";
const MIN_SHARES = "945250000000000000";
const AMOUNT = "1000000";
const MIN_AMOUNT = "995000";
const [BUILT_AT, SENT_AT, DONE_AT] = [5, 20, 31].map(
  (second) => `2026-01-02T03:04:${`${second}`.padStart(2, "0")}.678Z`,
);
const EXPIRES_AT = "2026-01-02T03:09:05.678Z";

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const token = { address: USDC, symbol: "USDC", decimals: 6 };
const share = { address: VAULT, symbol: "steakUSDC", decimals: 18 };
const approveData = `0x095ea7b3${ROUTER.slice(2).toLowerCase().padStart(64, "0")}${word(BigInt(AMOUNT))}`;
/** ERC-4626 `redeem(shares, receiver, owner)`. */
const redeemData = `0xba087652${word(BigInt(SHARES))}${USER_WORD}${USER_WORD}`;
const request = (to: string, data: string, gas_limit: string) => ({
  to,
  data,
  value: "0",
  chain_id: 8453,
  gas_limit,
});
const call = (to: string, data: string) => ({ to, data, value: "0x0", chain_id: "0x2105" });
/** Shortened calldata of a Router call; a build returns the full calldata. */
const DEPOSIT_DATA = "0x5a7f2c1e0000000000000000000000000000000000000000000000000000000000000040";
const approve = request(USDC, approveData, "60000");
const deposit = request(ROUTER, DEPOSIT_DATA, "312000");
const redeem = request(VAULT, redeemData, "210000");
const approval = { token_address: USDC, spender_address: ROUTER, amount: AMOUNT };

const step = (own: { step_id: string; purpose: string; title: string }, more: object) => ({
  ...{ ...own, kind: "transaction", chain_id: 8453, token, amount: AMOUNT, spender: null, typed_data: null },
  ...{ tx_hash: null, state: "required", ...more },
});
const approveStep = step(
  { step_id: "source.approve", purpose: "approve", title: "Approve 1 USDC" },
  { spender: ROUTER, transaction_request: approve },
);
const depositStep = step(
  { step_id: "source.deposit", purpose: "deposit", title: "Deposit 1 USDC" },
  { transaction_request: deposit },
);
const redeemStep = step(
  { step_id: "source.redeem", purpose: "redeem", title: "Redeem 0.95 steakUSDC" },
  { token: share, amount: SHARES, transaction_request: redeem },
);
const done = (one: object, tx_hash: string) => ({
  ...one,
  state: "done",
  tx_hash,
  transaction_request: null,
});
const depositDone = [done(approveStep, APPROVED), done(depositStep, SENT)];
const link = (hash: string) => `https://basescan.org/tx/${hash}`;
const history = ["built", "submitted", "completed"].map((state, index) => ({
  state,
  at: [BUILT_AT, SENT_AT, DONE_AT][index],
}));

const times = { created_at: BUILT_AT, updated_at: DONE_AT, expires_at: EXPIRES_AT, history };
const direct = { bridge: null, router_explorer: null, two_step: false };
const finished = {
  state: "completed",
  status: "DONE",
  substatus: "COMPLETED",
  next: null,
  next_refusal: null,
};
const completedDeposit = {
  ...{
    ...finished,
    ...direct,
    ...times,
    from_amount: AMOUNT,
    estimated_shares: SHARES,
    min_shares: MIN_SHARES,
  },
  ...{ shares: SHARES, source_tx_hash: SENT, destination_tx_hash: null, delivered_amount: null },
  ...{ refund_tx_hash: null, deposit_tx_hash: SENT, claim_tx_hash: null, parent_tracking_id: null },
};
const completedWithdrawal = {
  ...{ ...finished, ...direct, ...times, mode: "instant", shares: SHARES, exit_token: USDC, to_token: USDC },
  ...{ chain_id: 8453, to_chain_id: 8453, estimated_assets: AMOUNT, min_assets: MIN_AMOUNT, assets: AMOUNT },
  ...{ to_amount: AMOUNT, to_amount_min: MIN_AMOUNT, request_id: null, source_tx_hash: REDEEMED },
  ...{ claim_tx_hash: null, transfer_tx_hash: null, destination_tx_hash: null, refund_tx_hash: null },
};
const tracking = { from_chain_id: 8453, to_chain_id: 8453, bridge: null, router_explorer: null };
const simulated = {
  block_number: 41_250_000,
  gas_used: "240000",
  balance_sufficient: true,
  gas_sufficient: true,
};

/**
 * Example values of fields, by the name of their component. They replace the fields' own examples, so that for example
 * amounts and states belong together.
 */
export const exampleValues: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  VaultProof: { ok: true, amount: AMOUNT, shares: SHARES, reason: "" },
  TransactionRequest: deposit,
  Approval: approval,
  TransactionStep: depositStep,
  BuildEstimate: {
    ...{ from_amount_usd: "1.00", to_amount: AMOUNT, to_amount_min: AMOUNT, deposit_amount: AMOUNT },
    ...{
      deposit_amount_min: AMOUNT,
      estimated_shares: SHARES,
      min_shares: MIN_SHARES,
      slippage_applied: 0.005,
    },
  },
  Simulation: { ...simulated, shares: SHARES, allowance_sufficient: false, destination: null },
  WithdrawSimulation: { ...simulated, received: AMOUNT, allowance_sufficient: true },
  BuiltDeposit: {
    ...{ transaction_request: deposit, tracking, approval, two_step: false, deposit_tx: null, warnings: [] },
    ...{ steps: [approveStep, depositStep], calls: [call(USDC, approveData), call(ROUTER, DEPOSIT_DATA)] },
    ...{ authorize: "approve", expires_at: EXPIRES_AT },
  },
  TransferStatus: {
    ...{ status: "DONE", substatus: "COMPLETED", bridge: null, router_explorer: null },
    sending: { tx_hash: SENT, tx_link: link(SENT), amount: AMOUNT, chain_id: 8453, token, kind: "asset" },
    receiving: {
      tx_hash: SENT,
      tx_link: link(SENT),
      amount: SHARES,
      chain_id: 8453,
      token: share,
      kind: "shares",
    },
    deposit: {
      ...{ tracking_id: "trk_0123456789abcdef0123456789abcdef", state: "completed", shares: SHARES },
      ...{ next: null, next_refusal: null, steps: depositDone },
    },
    withdrawal: null,
  },
  Deposit: completedDeposit,
  DepositDetail: { ...completedDeposit, steps: depositDone, same_as: null },
  PartnerDeposit: completedDeposit,
  WithdrawOption: {
    mode: "instant",
    assets: AMOUNT,
    min_assets: MIN_AMOUNT,
    available_at: null,
    reasons: [],
  },
  WithdrawQuote: { warnings: [] },
  BuiltWithdrawal: {
    ...{
      transaction_request: redeem,
      approval: null,
      tracking,
      mode: "instant",
      two_step: false,
      warnings: [],
    },
    ...{
      steps: [redeemStep],
      calls: [call(VAULT, redeemData)],
      authorize: "approve",
      expires_at: EXPIRES_AT,
    },
  },
  BuiltRequestAction: {
    ...{ transaction_request: redeem, approval: null, calls: [call(VAULT, redeemData)] },
    steps: [
      { ...redeemStep, step_id: "claim", purpose: "claim", title: "Claim 1 USDC", token, amount: AMOUNT },
    ],
    warnings: [],
  },
  Withdrawal: completedWithdrawal,
  WithdrawalDetail: { ...completedWithdrawal, steps: [done(redeemStep, REDEEMED)], same_as: null },
  PartnerWithdrawal: completedWithdrawal,
  Position: { share_balance: SHARES, current_assets: "1006356", redeemable_assets: "1006356", requests: [] },
  Positions: { pending: [] },
  ChainCoverage: { ok: true, unread: [] },
  VaultActions: { requests: [] },
  Quote: { quote_type: "direct", route_options: [], reasons: [], warnings: [], approval },
  Cancellation: { steps: [] },
};

/** Placeholders, by field name, for values that are shown only once or that differ for every caller. */
export const exampleTexts: Readonly<Record<string, string>> = {
  api_key: "cw_live_<shown once>",
  api_secret: "cw_secret_<shown once>",
  session_token: "<shown once>",
  message: "causeway.example wants you to sign in with your Ethereum account:\n…",
};
