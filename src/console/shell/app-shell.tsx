import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { Notice } from "../ui/feedback.tsx";
import { chooseTheme, type Theme, useTheme } from "../ui/theme.ts";
import { useOnline } from "../ui/use-online.ts";
import { WalletButton } from "../wallet/wallet-button.tsx";

const MAIN = [
  { to: "/", label: "Vaults" },
  { to: "/portfolio", label: "Portfolio" },
  { to: "/signals", label: "Signals" },
  { to: "/status", label: "Status" },
] as const;

/** Marks a page's link as active whatever filters the URL contains. */
const activeOptions = { exact: true, includeSearch: false };

/**
 * Layout of every page: header, navigation, a notice while the browser is offline, and footer. An embedded page shows
 * only its content.
 */
export function AppShell() {
  const embedded = useRouterState({ select: ({ location }) => location.pathname === "/embed" });
  if (embedded)
    return (
      <main id="main" className="p-4">
        <Outlet />
      </main>
    );
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#main"
        className="sr-only rounded-lg bg-solid px-4 py-2 text-white focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-30"
      >
        Skip to the content
      </a>
      <header className="sticky top-0 z-20 border-b border-line bg-surface px-4 sm:px-6">
        <div className="mx-auto flex h-14 max-w-6xl items-center gap-6">
          <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight">
            <img src="/docs-assets/icon.svg" alt="" width="26" height="26" />
            Causeway
          </Link>
          <nav aria-label="Main" className="hidden items-center gap-1 sm:flex">
            {MAIN.map(({ to, label }) => (
              <NavLink key={to} to={to}>
                {label}
              </NavLink>
            ))}
          </nav>
          <div className="ml-auto">
            <WalletButton />
          </div>
        </div>
      </header>
      <Offline />
      <Main />
      <Footer />
      <nav
        aria-label="Main"
        className="sticky bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden"
      >
        {MAIN.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            activeOptions={activeOptions}
            className="flex min-h-12 items-center justify-center text-sm text-muted"
            activeProps={{ className: "font-semibold !text-accent" }}
          >
            {label}
          </Link>
        ))}
      </nav>
    </div>
  );
}

function NavLink({ to, children }: { to: (typeof MAIN)[number]["to"]; children: ReactNode }) {
  return (
    <Link
      to={to}
      activeOptions={activeOptions}
      className="rounded-md px-3 py-1.5 text-sm text-muted hover:text-ink"
      activeProps={{ className: "bg-raised font-medium !text-ink" }}
    >
      {children}
    </Link>
  );
}

/** Main region of the page. It is focused when the path changes, so that screen readers start at its beginning. */
function Main() {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const main = useRef<HTMLElement>(null);
  const last = useRef(path);
  useEffect(() => {
    if (last.current !== path) main.current?.focus();
    last.current = path;
  }, [path]);
  return (
    <main
      id="main"
      ref={main}
      tabIndex={-1}
      className="min-h-[calc(100dvh-3.5rem)] flex-1 px-4 py-6 outline-none sm:px-6 sm:py-8"
    >
      <Outlet />
    </main>
  );
}

function Offline() {
  if (useOnline()) return null;
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-4 sm:px-6">
      <Notice tone="warn" title="You are offline">
        Figures may be out of date. Transactions that were sent continue without this page.
      </Notice>
    </div>
  );
}

function Footer() {
  const { theme } = useTheme();
  const link = "py-1.5 hover:text-ink hover:underline";
  return (
    <footer className="border-t border-line px-4 py-6 text-sm text-muted sm:px-6">
      <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-6 gap-y-3">
        <Link to="/partners" className={link}>
          Partners
        </Link>
        <a href="/docs/guide" className={link}>
          Guide
        </a>
        <a href="/docs" className={link}>
          API reference
        </a>
        <a href="/openapi.json" className={link}>
          OpenAPI
        </a>
        <label className="ml-auto flex items-center gap-2">
          Theme
          <select
            value={theme}
            onChange={(event) => chooseTheme(event.target.value as Theme)}
            className="rounded-md border border-strong bg-surface px-2 py-1 text-ink"
          >
            <option value="system">System</option>
            <option value="light">Light</option>
            <option value="dark">Dark</option>
          </select>
        </label>
      </div>
    </footer>
  );
}
