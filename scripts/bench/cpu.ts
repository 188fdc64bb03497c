import { readdirSync, readFileSync } from "node:fs";

/**
 * Duration of a tick of /proc's processor times in milliseconds. Linux reports hundredths of a second, whatever the
 * kernel's own tick is.
 */
const TICK_MS = 10;

interface ProcessTimes {
  parent: number;
  ms: number;
}

/**
 * Returns the processor time that a process and its running descendants have used, in milliseconds. Unlike throughput,
 * it does not depend on the machine's other load. 0 if there is no such process, null without /proc.
 */
export function cpuTime(pid: number): number | null {
  const all = readProcesses();
  if (all === null) return null;
  const belongs = (candidate: number): boolean => {
    if (candidate === pid) return true;
    const parent = all.get(candidate)?.parent ?? 0;
    return parent > 1 && belongs(parent);
  };
  return [...all].reduce((sum, [candidate, { ms }]) => (belongs(candidate) ? sum + ms : sum), 0);
}

function readProcesses(): Map<number, ProcessTimes> | null {
  try {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    return new Map(pids.flatMap((pid) => readProcess(Number(pid))));
  } catch {
    return null;
  }
}

/** Reads fields 4, 14 and 15 of proc(5)'s stat: parent process, user time, system time. */
function readProcess(pid: number): [number, ProcessTimes][] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const ms = (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    return [[pid, { parent: Number(fields[1]), ms }]];
  } catch {
    // The process ended in the meantime.
    return [];
  }
}
