import type { AnyRoute } from "../http/define-route.ts";
import { applicationsGet } from "../routes/applications.get.ts";
import { applicationsNonce } from "../routes/applications.nonce.ts";
import { applicationsWallet } from "../routes/applications.wallet.ts";
import { partnersDashboard } from "../routes/partners.dashboard.ts";
import { partnersLogin } from "../routes/partners.login.ts";
import { partnersLogout } from "../routes/partners.logout.ts";
import { partnersMe } from "../routes/partners.me.ts";
import { partnersNonce } from "../routes/partners.nonce.ts";
import { partnersRegister } from "../routes/partners.register.ts";
import { partnersRotateKeys } from "../routes/partners.rotate-keys.ts";
import { partnersSettings } from "../routes/partners.settings.ts";
import { partnersTransactions } from "../routes/partners.transactions.ts";
import { partnersVaults } from "../routes/partners.vaults.ts";

/** Applying, signing in with a wallet, keys and figures. */
export const partnerRoutes: readonly AnyRoute[] = [
  applicationsNonce,
  applicationsWallet,
  applicationsGet,
  partnersNonce,
  partnersRegister,
  partnersLogin,
  partnersMe,
  partnersSettings,
  partnersVaults,
  partnersDashboard,
  partnersTransactions,
  partnersRotateKeys,
  partnersLogout,
];
