/** Makes a node's emulator delay every response by `away` milliseconds; 0 ends that. */
export async function setDistance(node: string, away: number): Promise<void> {
  const faults = away === 0 ? [] : [{ kind: "latency", ms: away }];
  const response = await fetch(`${node}/__control`, { method: "POST", body: JSON.stringify({ faults }) });
  if (!response.ok) throw new Error(await response.text());
}
