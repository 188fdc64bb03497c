import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useRef } from "react";
import { vaultQuery } from "../api/console-queries.ts";
import { DepositForm } from "../orders/deposit-form.tsx";
import { DepositOrder } from "../orders/deposit-page.tsx";
import { Loaded, LoadingRows, Notice } from "../ui/feedback.tsx";
import { Card, Page } from "../ui/page-and-cards.tsx";
import { walletSession } from "../wallet/wallet-session.ts";
import { EmbedContext } from "./embed-context.ts";
import { type LentProvider, receiveWallet } from "./embed-lent-provider.ts";
import { createLentConnection } from "./embed-lent-wallet.ts";
import { readEmbedSearch } from "./embed-search.ts";

/**
 * Page for the frame that other sites embed: the form for a deposit into one vault or, after that, the deposit that was
 * built. It uses the wallet of the embedding page. Outside a frame, or if the URL lacks the vault or a valid host, it
 * shows only a notice.
 */
export function EmbedPage() {
  const { vault, host, deposit } = readEmbedSearch(useSearch({ from: "/embed" }));
  const lent = useLentWallet(host);
  const navigate = useNavigate({ from: "/embed" });
  const embedding = useMemo(
    () => ({
      restart: () => void navigate({ search: { vault, host } }),
      onState: (trackingId: string, state: string) =>
        lent.data?.report({ type: "progress", trackingId, state }),
    }),
    [lent.data, navigate, vault, host],
  );
  if (vault === "" || host === "" || window.parent === window) return <NotEmbedded />;
  if (lent.data === undefined) return <LoadingRows rows={5} label="Waiting for the page's wallet" />;
  const provider = lent.data;
  return (
    <EmbedContext value={embedding}>
      <Sized provider={provider}>
        {deposit === undefined ? (
          <EmbeddedForm
            vaultId={vault}
            onBuilt={(trackingId) => {
              provider.report({ type: "built", trackingId });
              void navigate({ search: { vault, host, deposit: trackingId } });
            }}
          />
        ) : (
          <DepositOrder trackingId={deposit} />
        )}
      </Sized>
      <p className="mt-4 text-center text-xs text-muted">
        Your wallet is lent by {host}. What you sign is shown by the wallet itself.
      </p>
    </EmbedContext>
  );
}

/** Waits until the embedding page passes its wallet, which then replaces this browser's wallets. */
function useLentWallet(host: string) {
  return useQuery({
    queryKey: ["lent wallet", host],
    queryFn: async () => {
      const provider = await receiveWallet(window.parent, host);
      walletSession.lend(createLentConnection(provider, { host, publish: walletSession.set }));
      provider.report({ type: "ready" });
      return provider;
    },
    enabled: host !== "" && window.parent !== window,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
}

function NotEmbedded() {
  return (
    <Page title="Deposit" narrow>
      <Notice tone="warn" title="This page belongs inside another site">
        The site adds it with the script /embed.js, which names a vault and lends its wallet.
      </Notice>
    </Page>
  );
}

function EmbeddedForm({ vaultId, onBuilt }: { vaultId: string; onBuilt: (trackingId: string) => void }) {
  const query = useQuery(vaultQuery(vaultId));
  return (
    <Loaded query={query} rows={6}>
      {(vault) => (
        <Page title={`Deposit into ${vault.name}`} narrow>
          <Card>
            {vault.paused ? (
              <Notice tone="warn" title="Deposits are paused">
                {vault.pausedReason || "The vault does not accept deposits now."}
              </Notice>
            ) : (
              <DepositForm vault={vault} onBuilt={onBuilt} />
            )}
          </Card>
        </Page>
      )}
    </Loaded>
  );
}

/** Reports the content's height to the embedding page at every change, so that it can resize the frame. */
function Sized({ provider, children }: { provider: LentProvider; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new ResizeObserver(() =>
      provider.report({ type: "resize", height: Math.ceil(document.documentElement.offsetHeight) }),
    );
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, [provider]);
  return <div ref={box}>{children}</div>;
}
