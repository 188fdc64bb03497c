import { useEffect, useState } from "react";

/**
 * Returns a new value once it has been unchanged for `ms` milliseconds (350 by default), and until then the previous
 * one. The first value is returned immediately. Typing then does not cause a request for each keystroke.
 */
export function useDebounced<Value>(value: Value, ms = 350): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
