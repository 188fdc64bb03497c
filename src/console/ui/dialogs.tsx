import { Dialog } from "@base-ui/react/dialog";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Button } from "./controls.tsx";
import { ErrorState } from "./feedback.tsx";

/**
 * A modal dialog that keeps the focus inside. Escape, the close button or a click outside asks to close it. On narrow
 * screens it is attached to the bottom.
 */
export function Modal(props: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  children: ReactNode;
}) {
  const { open, onOpenChange, title, description, children } = props;
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Popup className="fixed inset-x-0 bottom-0 z-50 flex max-h-[85dvh] flex-col rounded-t-2xl border border-line bg-surface shadow-xl outline-none sm:inset-x-auto sm:top-1/2 sm:bottom-auto sm:left-1/2 sm:w-md sm:-translate-x-1/2 sm:-translate-y-1/2 sm:rounded-2xl">
          <div className="flex items-center justify-between gap-4 border-b border-line px-5 py-3">
            <Dialog.Title className="font-semibold">{title}</Dialog.Title>
            <Dialog.Close
              aria-label="Close"
              className="-mr-2 flex size-9 items-center justify-center rounded-lg text-xl leading-none text-muted hover:bg-raised hover:text-ink"
            >
              ×
            </Dialog.Close>
          </div>
          <div className="overflow-y-auto p-5">
            {description === undefined ? null : (
              <Dialog.Description className="mb-4 text-sm text-muted">{description}</Dialog.Description>
            )}
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/**
 * Button for an action that the user must confirm in a dialog, which names the consequence. The dialog stays open while
 * `act` runs, closes when it has succeeded, and otherwise shows its error. `subject` is what the action applies to.
 */
export function ConfirmedAction(props: {
  label: string;
  subject: string;
  consequence: string;
  act: () => Promise<unknown>;
}) {
  const { label, subject, consequence, act } = props;
  const [open, setOpen] = useState(false);
  const acting = useMutation({ mutationFn: act, onSuccess: () => setOpen(false) });
  // A failure that nobody sees would pass for a success.
  const toggle = (next: boolean): void => {
    if (!acting.isPending) setOpen(next);
  };
  return (
    <>
      <Button
        kind="quiet"
        onClick={() => {
          acting.reset();
          setOpen(true);
        }}
      >
        {label}
        <span className="sr-only"> {subject}</span>
      </Button>
      <Modal open={open} onOpenChange={toggle} title={`${label} ${subject}?`} description={consequence}>
        <div className="space-y-4">
          {acting.error === null ? null : <ErrorState error={acting.error} />}
          <div className="flex flex-wrap justify-end gap-3">
            <Button kind="secondary" onClick={() => toggle(false)}>
              Keep
            </Button>
            <Button kind="danger" busy={acting.isPending} onClick={() => acting.mutate()}>
              {label}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  );
}
