import type { AnyRoute } from "../http/define-route.ts";
import { adminApplicationsApprove } from "../routes/admin.applications.approve.ts";
import { adminApplicationsList } from "../routes/admin.applications.list.ts";
import { adminApplicationsReject } from "../routes/admin.applications.reject.ts";
import { adminApplicationsReopen } from "../routes/admin.applications.reopen.ts";
import { adminApplicationsRevoke } from "../routes/admin.applications.revoke.ts";
import { adminAudit } from "../routes/admin.audit.ts";
import { adminVaultsAdd } from "../routes/admin.vaults.add.ts";
import { adminVaultsChange } from "../routes/admin.vaults.change.ts";
import { adminVaultsList } from "../routes/admin.vaults.list.ts";

/** Deciding applications, and the vault registry. */
export const adminRoutes: readonly AnyRoute[] = [
  adminApplicationsList,
  adminApplicationsApprove,
  adminApplicationsReject,
  adminApplicationsRevoke,
  adminApplicationsReopen,
  adminVaultsList,
  adminVaultsAdd,
  adminVaultsChange,
  adminAudit,
];
