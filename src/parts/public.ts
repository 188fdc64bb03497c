import type { AnyRoute } from "../http/define-route.ts";
import { bridgesList } from "../routes/bridges.list.ts";
import { chainsList } from "../routes/chains.list.ts";
import { depositsAbandon } from "../routes/deposits.abandon.ts";
import { depositsGet } from "../routes/deposits.get.ts";
import { depositsList } from "../routes/deposits.list.ts";
import { depositsReportTransaction } from "../routes/deposits.report-transaction.ts";
import { healthLive } from "../routes/health.live.ts";
import { healthReady } from "../routes/health.ready.ts";
import { intelActivity } from "../routes/intel.activity.ts";
import { intelFeed } from "../routes/intel.feed.ts";
import { intelHigh } from "../routes/intel.high.ts";
import { intelNotable } from "../routes/intel.notable.ts";
import { intelRules } from "../routes/intel.rules.ts";
import { intelSignalsGet } from "../routes/intel.signals.get.ts";
import { positionsGet } from "../routes/positions.get.ts";
import { quotesBuild } from "../routes/quotes.build.ts";
import { quotesGet } from "../routes/quotes.get.ts";
import { statusGet } from "../routes/status.get.ts";
import { tokensList } from "../routes/tokens.list.ts";
import { vaultsGet } from "../routes/vaults.get.ts";
import { vaultsHistory } from "../routes/vaults.history.ts";
import { vaultsList } from "../routes/vaults.list.ts";

/** What wallets and their users ask for, in the order of the document. */
export const publicRoutes: readonly AnyRoute[] = [
  vaultsList,
  vaultsGet,
  vaultsHistory,
  quotesGet,
  quotesBuild,
  statusGet,
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
  positionsGet,
  intelNotable,
  intelHigh,
  intelActivity,
  intelFeed,
  intelRules,
  intelSignalsGet,
];

/** What the service says of itself. */
export const serviceRoutes: readonly AnyRoute[] = [
  chainsList,
  bridgesList,
  tokensList,
  healthLive,
  healthReady,
];
