import { useEffect, useState } from "react";
import { formatDuration } from "../format/format-times.ts";

const SECOND_MS = 1_000;

/**
 * Countdown until an order is reloaded, at `at` in milliseconds since the epoch, with a button to reload it immediately
 * (`onRead`).
 */
export function NextReading({ at, onRead }: { at: number; onRead: () => void }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  const left = Math.ceil((at - now) / SECOND_MS);
  return (
    <p className="flex flex-wrap items-center justify-center gap-x-3 text-xs text-muted">
      <span className="tabular-nums">
        {left > 0 ? `Next check in ${formatDuration(left)}` : "Checking now"}
      </span>
      <button type="button" onClick={onRead} className="py-1 font-medium text-accent hover:underline">
        Check now
      </button>
    </p>
  );
}
