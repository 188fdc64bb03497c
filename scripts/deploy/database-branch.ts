import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type BearerApi, requestJson } from "./request-json.ts";

const Branch = z.object({ id: z.string().min(1), name: z.string(), current_state: z.string() });
type Branch = z.output<typeof Branch>;
const READY_AFTER = 30;
const PAUSE_MS = 2_000;

/** A Neon project, with the database and role to connect to. */
export interface Project extends BearerApi {
  projectId: string;
  database: string;
  role: string;
}

/**
 * Returns the connection string of a branch with production's schema and without its rows. Creates the branch when it
 * is absent; Neon deletes it at `expiresAt`, which replaces an earlier expiry. Throws if it is not ready after a
 * minute, and as `requestJson` does. Source: Neon API, `init_source`, `expires_at`.
 */
export async function provideBranch(
  project: Project,
  { name, expiresAt }: { name: string; expiresAt: Date },
): Promise<string> {
  const path = `/projects/${project.projectId}/branches`;
  // Neon takes whole seconds only.
  const expires = { expires_at: `${expiresAt.toISOString().slice(0, 19)}Z` };
  const there = await findBranch(project, name);
  const branch = there ?? (await create(project, { name, init_source: "schema-only", ...expires }));
  if (there !== null)
    await requestJson(project, { method: "PATCH", path: `${path}/${branch.id}`, body: { branch: expires } });
  await waitFor(project, branch.id);
  const query = new URLSearchParams({
    branch_id: branch.id,
    database_name: project.database,
    role_name: project.role,
  });
  const found = await requestJson(project, {
    path: `/projects/${project.projectId}/connection_uri?${query}`,
  });
  return z.object({ uri: z.string().regex(/^postgres(ql)?:\/\//) }).parse(found).uri;
}

/** Deletes the branch with exactly that name; returns false when there is none. */
export async function removeBranch(project: Project, name: string): Promise<boolean> {
  const branch = await findBranch(project, name);
  if (branch === null) return false;
  await requestJson(project, {
    method: "DELETE",
    path: `/projects/${project.projectId}/branches/${branch.id}`,
  });
  return true;
}

async function findBranch(project: Project, name: string): Promise<Branch | null> {
  const path = `/projects/${project.projectId}/branches?search=${encodeURIComponent(name)}`;
  const { branches } = z.object({ branches: z.array(Branch) }).parse(await requestJson(project, { path }));
  // Neon's search matches substrings: pr-1 also finds pr-12.
  return branches.find((branch) => branch.name === name) ?? null;
}

async function create(project: Project, branch: Record<string, string>): Promise<Branch> {
  const path = `/projects/${project.projectId}/branches`;
  const body = { branch, endpoints: [{ type: "read_write" }] };
  return z.object({ branch: Branch }).parse(await requestJson(project, { method: "POST", path, body }))
    .branch;
}

async function waitFor(project: Project, id: string): Promise<void> {
  for (let tried = 0; tried < READY_AFTER; tried++) {
    const found = await requestJson(project, { path: `/projects/${project.projectId}/branches/${id}` });
    if (z.object({ branch: Branch }).parse(found).branch.current_state === "ready") return;
    await sleep(PAUSE_MS);
  }
  throw new Error("the database branch is not ready after a minute");
}
