import { useSyncExternalStore } from "react";

const events = ["online", "offline"] as const;

function subscribe(listener: () => void): () => void {
  for (const event of events) window.addEventListener(event, listener);
  return () => {
    for (const event of events) window.removeEventListener(event, listener);
  };
}

/**
 * Returns false while the browser reports that it is offline, and renders the component again at each change. TanStack
 * Query's own state would not show it on a page that was loaded offline.
 */
export const useOnline = (): boolean => useSyncExternalStore(subscribe, () => navigator.onLine);
