import type { WithdrawalRow } from "../../../src/db/queries/deposit-queries.ts";
import { depositRouterAddress } from "../../../src/router/router-address.ts";
import { row, USDC } from "../deposits/fixtures.ts";

/** The stored row of a withdrawal of almost 100 shares through the Router, in state `built`. */
export const withdrawalRow: WithdrawalRow = {
  ...row,
  direction: "withdrawal",
  state: "built",
  history: [{ state: "built", at: row.createdAt.toISOString() }],
  fromChainId: row.vaultChainId,
  fromToken: row.shareToken,
  fromAmount: "100000000000000000000",
  estimatedShares: "100000000000000000000",
  minShares: null,
  provider: null,
  bridge: null,
  tool: null,
  twoStep: false,
  sourceTo: depositRouterAddress.toLowerCase(),
  mode: "instant",
  exitToken: USDC.toLowerCase(),
  estimatedAssets: "101000000",
  minAssets: "100000000",
  assets: null,
  toChainId: row.vaultChainId,
  moveToken: USDC.toLowerCase(),
  moveExpected: "101000000",
  moveMin: "100000000",
};
