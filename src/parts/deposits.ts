import type { AnyRoute } from "../http/define-route.ts";
import { depositsAbandon } from "../routes/deposits.abandon.ts";
import { depositsGet } from "../routes/deposits.get.ts";
import { depositsList } from "../routes/deposits.list.ts";
import { depositsReportTransaction } from "../routes/deposits.report-transaction.ts";
import { quotesBuild } from "../routes/quotes.build.ts";
import { quotesGet } from "../routes/quotes.get.ts";
import { statusGet } from "../routes/status.get.ts";

/** Quoting, building and following deposits. */
export const depositRoutes: readonly AnyRoute[] = [
  quotesGet,
  quotesBuild,
  statusGet,
  depositsList,
  depositsGet,
  depositsReportTransaction,
  depositsAbandon,
];
