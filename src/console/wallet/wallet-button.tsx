import { lazy, Suspense, useEffect, useState } from "react";
import { shorten } from "../format/format-text.ts";
import { Button } from "../ui/controls.tsx";
import { resumeWallet, useWallet } from "./wallet-session.ts";

const WalletDialog = lazy(() =>
  import("./wallet-dialog.tsx").then(({ WalletDialog: component }) => ({ default: component })),
);

/**
 * Button that opens the wallet dialog. It shows the connected account or, if there is none, `label`. When it is shown,
 * it reconnects a wallet by `resumeWallet`.
 */
export function WalletButton({
  primary = false,
  label = "Connect wallet",
}: {
  primary?: boolean;
  label?: string;
}) {
  const { status, address } = useWallet();
  const [open, setOpen] = useState(false);
  const [used, setUsed] = useState(false);
  useEffect(() => void resumeWallet(), []);
  const show = () => {
    setUsed(true);
    setOpen(true);
  };
  return (
    <>
      <Button
        kind={primary ? "primary" : "secondary"}
        wide={primary}
        busy={status === "connecting"}
        onClick={show}
      >
        {address === null ? (
          label
        ) : (
          <>
            <span aria-hidden="true" className="size-2 rounded-full bg-good" />
            <span className="sr-only">Wallet </span>
            <span className="font-mono text-[13px]">{shorten(address)}</span>
          </>
        )}
      </Button>
      {used ? (
        <Suspense fallback={null}>
          <WalletDialog open={open} onOpenChange={setOpen} />
        </Suspense>
      ) : null}
    </>
  );
}
