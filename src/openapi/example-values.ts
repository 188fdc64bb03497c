import type { Address } from "viem";

/** Values of one direct deposit of 1 USDC into a vault on Base, from its build to its shares, in all examples. */
const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const ROUTER = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const VAULT = "0xbeeF010f9cb27031ad51e3333f9aF9C6B1228183";
const USER: Address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const USER_WORD = USER.slice(2).toLowerCase().padStart(64, "0");
const SENT = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060";
const APPROVED = "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b";
const REDEEMED = "0x9fc76417374aa880d4449a1f7f31ec597f00b1f6f3dd2d66f4c9c6c445836d8b";
/** 118,000,000 shares are worth 125,000,000 USDC. */
const SHARES = "944000000000000000";
const MIN_SHARES = "939280000000000000";
const AMOUNT = "1000000";
const [BUILT_AT, SENT_AT, DONE_AT] = [5, 20, 31].map(
  (second) => `2026-01-02T03:04:${`${second}`.padStart(2, "0")}.678Z`,
);
const SESSION_END = "2026-01-03T03:04:05.678Z";
const EXPIRES_AT = "2026-01-02T03:09:05.678Z";

const word = (value: bigint): string => value.toString(16).padStart(64, "0");
const token = { address: USDC, symbol: "USDC", decimals: 6 };
const share = { address: VAULT, symbol: "steakUSDC", decimals: 18 };
const approveData = `0x095ea7b3${ROUTER.slice(2).toLowerCase().padStart(64, "0")}${word(BigInt(AMOUNT))}`;
/** ERC-4626 `redeem(shares, receiver, owner)`. */
const redeemData = `0xba087652${word(BigInt(SHARES))}${USER_WORD}${USER_WORD}`;
const request = (to: string, data: string) => ({
  ...{ to, data, value: "0", chain_id: 8453 },
  gas_limit: "312000",
});
const call = (to: string, data: string) => ({ to, data, value: "0x0", chain_id: "0x2105" });
/** Shortened calldata of a Router call; a build returns the full calldata. */
const DEPOSIT_DATA = "0x5a7f2c1e0000000000000000000000000000000000000000000000000000000000000040";
const approve = { ...request(USDC, approveData), gas_limit: null };
const deposit = request(ROUTER, DEPOSIT_DATA);
const redeem = request(VAULT, redeemData);
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
  { step_id: "source.redeem", purpose: "redeem", title: "Redeem 0.944 shares of Steakhouse USDC" },
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
  ...{ refund_tx_hash: null, deposit_tx_hash: null, claim_tx_hash: null, parent_tracking_id: null },
};
const completedWithdrawal = {
  ...{ ...finished, ...direct, ...times, mode: "instant", shares: SHARES, exit_token: USDC, to_token: USDC },
  ...{ chain_id: 8453, to_chain_id: 8453, estimated_assets: AMOUNT, min_assets: null, assets: AMOUNT },
  ...{ to_amount: AMOUNT, to_amount_min: null, request_id: null, source_tx_hash: REDEEMED },
  ...{ claim_tx_hash: null, transfer_tx_hash: null, destination_tx_hash: null, refund_tx_hash: null },
};
/** Only the vault's own call, which enforces no minimum, pays for the shares in these examples. */
const noMinimum = {
  code: "no_minimum",
  detail: "no contract enforces a minimum for the vault's payment in this transaction",
};
const exitFigures = {
  ...{ assets: AMOUNT, min_assets: null, exit_fee: "0", to_amount: AMOUNT, to_amount_min: null },
  ...{ to_amount_usd: "1.00", available_at: null },
};
const arrival = { to_amount: AMOUNT, to_amount_min: AMOUNT, deposit_amount: AMOUNT };
const costs = { estimated_time: 12, gas_cost_usd: "0.12" };
/** Time after which the examples recommend reading a finished order again, in milliseconds. */
const FINISHED_POLL_MS = 60_000;
const morpho = { type: "morpho", family: "metamorpho", min_deposit: "0", no_minimum: true };
const possible = { allowed: true, mode: "instant", code: null, reason: "", until: null };
const noRequests = {
  ...{ allowed: false, max: "0", mode: null, code: "mode_unsupported", until: null },
  reason: "Steakhouse USDC takes no redemption requests",
};
const tracking = { from_chain_id: 8453, to_chain_id: 8453, bridge: null, router_explorer: null };
const simulated = {
  block_number: 41_250_000,
  gas_used: "180000",
  balance_sufficient: true,
  gas_sufficient: true,
};

/** Returns what a signal says of a net outflow, in whole USDC, from a vault that held 1,000,000 USDC a day before. */
function outflow({ tier, net }: { tier: "medium" | "high"; net: number }) {
  const [whole, withdrawn] = [net, net + 2_000].map((amount) => `${amount.toLocaleString("en-US")} USDC`);
  const flow = { label: "net_flow", value: `${-net}000000`, unit: "USDC", change: null, decimals: 6 };
  const part = { label: "share_of_total_assets", value: (net / 1e6).toFixed(6), unit: "fraction" };
  const summary =
    `Withdrawals from Steakhouse USDC exceeded deposits by ${whole} in the 24 hours before 2026-01-02 03:04 UTC (2,000 USDC ` +
    `deposited, ${withdrawn} withdrawn), ${(net / 1e4).toFixed(2)}% of its total assets at the start of that time ` +
    "(1,000,000 USDC). Over 28 earlier days the median of the daily net outflow was 0.40% of total assets; up to 4.40% is normal for this vault. Unless the " +
    "withdrawals were claims of earlier requests, liquidity for immediate withdrawals may run out: check how much you could " +
    "withdraw now.";
  return {
    said: { tier, summary, metrics: [flow, { ...part, change: null, decimals: 0 }] },
    title: `Steakhouse USDC: net outflow of ${whole} in 24 hours`,
  };
}
const { said, title } = outflow({ tier: "medium", net: 183_400 });
const signal = { ...said, title, update_count: 0, tx_hash: null };
const evidence = {
  ...{ inflow: "2000000000", outflow: "185400000000", total_assets_before: "1000000000000" },
  ...{ usual_median: "0.004000", usual_deviation: "0.010000", usual_days: "28" },
};

/** Example values of fields: by the name of the component, and in it by the name of the field. */
export type ExampleValues = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Example values of fields, by the name of their component. They replace the fields' own examples, so that for example
 * amounts and states belong together.
 */
export const exampleValues: ExampleValues = {
  Vault: morpho,
  ListedVault: { ...morpho, exit_fee: 0 },
  VaultDetail: { ...morpho, exit_fee: 0 },
  VaultProof: { ok: true, block_number: 41_200_000, amount: AMOUNT, shares: SHARES, reason: "" },
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
    poll_after_ms: FINISHED_POLL_MS,
  },
  Deposit: completedDeposit,
  DepositDetail: { ...completedDeposit, steps: depositDone, same_as: null, poll_after_ms: FINISHED_POLL_MS },
  PartnerDeposit: completedDeposit,
  WithdrawOption: { mode: "instant", ...exitFigures, reasons: [] },
  WithdrawQuote: { warnings: [noMinimum] },
  BuiltWithdrawal: {
    ...{
      transaction_request: redeem,
      approval: null,
      tracking,
      mode: "instant",
      two_step: false,
      estimate: { shares: SHARES, ...exitFigures, slippage_applied: 0.005 },
      warnings: [noMinimum],
    },
    ...{
      steps: [redeemStep],
      calls: [call(VAULT, redeemData)],
      authorize: "approve",
      expires_at: EXPIRES_AT,
    },
  },
  Withdrawal: completedWithdrawal,
  WithdrawalDetail: {
    ...{ ...completedWithdrawal, steps: [done(redeemStep, REDEEMED)], same_as: null },
    poll_after_ms: FINISHED_POLL_MS,
  },
  PartnerWithdrawal: completedWithdrawal,
  Position: {
    ...{ share_balance: SHARES, current_assets: AMOUNT, redeemable_assets: AMOUNT, requests: [] },
    ...{ vault_type: "morpho", deposited_assets: AMOUNT, yield_assets: "0", value_usd: "1.00" },
  },
  Positions: { pending: [] },
  ChainCoverage: { ok: true, unread: [] },
  VaultActions: {
    deposit: { ...possible, max: "250000000000" },
    withdraw: { ...possible, max: SHARES },
    ...{ claim: noRequests, cancel: noRequests, requests: [] },
  },
  Quote: {
    ...{ quote_type: "direct", reasons: [], warnings: [], approval },
    estimate: {
      ...{ from_amount: AMOUNT, from_amount_usd: "1.00", ...arrival, deposit_amount_min: AMOUNT },
      ...{ estimated_shares: SHARES, min_shares: MIN_SHARES, price_impact: null, ...costs },
      steps: [{ type: "deposit", chain_id: 8453, tool: "metamorpho", to: ROUTER }],
    },
    route_options: [
      {
        ...{ provider: null, bridge: null, bridge_name: null, bridge_logo: null, ...arrival, ...costs },
        tags: ["recommended", "direct"],
      },
    ],
  },
  Signal: signal,
  SignalDetail: { ...signal, evidence, evolution: [{ at: BUILT_AT, ...said }] },
  SignalPage: { count: 1, total: 1, dimension: null },
  VaultRecord: {
    ...{ type: "morpho", adapter: "metamorpho", status: "active", status_reason: "", was_active: true },
    ...{ status_by: "proof", claim: { adapter: "metamorpho", asset: USDC, share_token: VAULT } },
  },
  Application: { status: "pending", decided_at: null },
  ApplicationRecord: { status: "pending", decided_at: null, note: "" },
  Registration: { expires_at: SESSION_END },
  Login: { expires_at: SESSION_END },
  CreatedApiKey: { last_used_at: null },
};

/** Values and functions from which the examples of single operations are made. */
export const exampleParts = {
  ...{ USDC, ROUTER, USER, SHARES, BUILT_AT, SENT_AT, DONE_AT },
  ...{ share, request, call, step, depositStep, redeemStep, exitFigures, outflow },
};

/** Placeholders, by field name, for values that are shown only once or that differ for every caller. */
export const exampleTexts: Readonly<Record<string, string>> = {
  api_key: "cw_live_<shown once>",
  api_secret: "cw_secret_<shown once>",
  session_token: "<shown once>",
  message: "causeway.example wants you to sign in with your Ethereum account:\n…",
};
