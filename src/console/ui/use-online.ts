import { onlineManager } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";

/** Returns true while the browser is online, and renders the component again when that changes. */
export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
