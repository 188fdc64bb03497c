import { useEffect, useState } from "react";

/** Returns a value once it has not changed for a while, so that typing does not send a request per key. */
export function useDebounced<Value>(value: Value, ms = 350): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
