import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { formatChain } from "../api/console-chain-names.ts";
import { chainsQuery } from "../api/console-queries.ts";
import { Button } from "../ui/controls.tsx";
import { Modal } from "../ui/dialogs.tsx";
import { ErrorState, LoadingRows } from "../ui/feedback.tsx";
import { Fact, Facts } from "../ui/page-and-cards.tsx";
import type { WalletChoice, WalletState } from "./wagmi-connection.ts";
import { useWallet, walletSession } from "./wallet-session.ts";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Dialog for choosing a wallet to connect, or for viewing and disconnecting the connected one. */
export function WalletDialog({ open, onOpenChange }: DialogProps) {
  const wallet = useWallet();
  const close = () => onOpenChange(false);
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={wallet.address === null ? "Connect a wallet" : "Wallet"}
    >
      {wallet.address === null ? (
        <Choices onConnected={close} />
      ) : (
        <Connected wallet={wallet} onDone={close} />
      )}
    </Modal>
  );
}

function useChoices() {
  const connection = useQuery({
    queryKey: ["wallet code"],
    queryFn: () => walletSession.load(),
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  });
  const [choices, setChoices] = useState<readonly WalletChoice[]>([]);
  const { data } = connection;
  useEffect(() => {
    if (data === undefined) return;
    const read = () => setChoices(data.choices());
    read();
    return data.onChoices(read);
  }, [data]);
  return { connection, choices };
}

function Choices({ onConnected }: { onConnected: () => void }) {
  const { connection, choices } = useChoices();
  const connecting = useMutation({
    mutationFn: async (id: string) => (await walletSession.load()).connect(id),
    onSuccess: onConnected,
  });
  if (connection.error !== null)
    return <ErrorState error={connection.error} retry={() => void connection.refetch()} />;
  if (connection.data === undefined) return <LoadingRows rows={2} label="Looking for wallets" />;
  return (
    <div className="space-y-3">
      {connecting.error === null ? null : (
        <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-sm">
          The wallet did not connect. Open it, unlock it, and try again.
        </p>
      )}
      {choices.length === 0 ? (
        <p className="text-sm text-muted">
          No wallet was found in this browser. Install a wallet extension, or open this page in your wallet's
          own browser, then load the page again.
        </p>
      ) : (
        <ul className="space-y-2">
          {choices.map(({ id, name, icon }) => (
            <li key={id}>
              <Button
                kind="secondary"
                wide
                busy={connecting.isPending && connecting.variables === id}
                onClick={() => connecting.mutate(id)}
              >
                {icon === null ? null : <img src={icon} alt="" width="20" height="20" className="rounded" />}
                {name}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <p className="text-sm text-muted">
        Connecting shows this page your address. Nothing can move without your signature in the wallet.
      </p>
    </div>
  );
}

function Connected({ wallet, onDone }: { wallet: WalletState; onDone: () => void }) {
  const chains = useQuery(chainsQuery);
  const disconnect = async () => {
    await (await walletSession.load()).disconnect();
    onDone();
  };
  return (
    <div className="space-y-4">
      <Facts>
        <Fact term="Wallet">{wallet.name}</Fact>
        <Fact term="Address">
          <span className="font-mono text-[13px] break-all">{wallet.address}</span>
        </Fact>
        <Fact term="Network">
          {wallet.chainId === null ? "–" : formatChain(chains.data ?? [], wallet.chainId)}
        </Fact>
      </Facts>
      <Button kind="secondary" wide onClick={() => void disconnect()}>
        Disconnect
      </Button>
    </div>
  );
}
