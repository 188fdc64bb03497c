import { useEffect, useState } from "react";

/**
 * Returns the value once it has been unchanged for `ms` milliseconds, and the previous one until then, so that typing
 * does not send a request per keystroke.
 */
export function useDebounced<Value>(value: Value, ms = 350): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
