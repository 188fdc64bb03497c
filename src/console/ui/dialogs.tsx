import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";

/**
 * A modal dialog that keeps the focus inside. Escape or the close button closes it. On narrow screens it is attached to
 * the bottom.
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
