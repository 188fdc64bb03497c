import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the Neon or GitHub API received. */
export interface ReceivedRequest {
  method: string;
  path: string;
  authorization: string;
  body: unknown;
}

/** Serves the parts of Neon's and GitHub's APIs that the deployment scripts use. */
export async function startApis(uri: string) {
  const asked: ReceivedRequest[] = [];
  const branches = [{ id: "br-other", name: "preview/pr-12", current_state: "ready" }];
  const comments = [{ id: 1, body: "Looks good" }];
  const answer = ({ method, path, body }: ReceivedRequest): unknown => {
    if (path.startsWith("/projects/p/connection_uri")) return { uri };
    const branchId = /^\/projects\/p\/branches\/([\w-]+)$/.exec(path)?.[1];
    if (branchId !== undefined && method === "DELETE")
      return branches.splice(
        branches.findIndex(({ id }) => id === branchId),
        1,
      );
    if (branchId !== undefined) return { branch: branches.find(({ id }) => id === branchId) };
    if (path.startsWith("/projects/p/branches") && method === "POST") {
      const { name } = (body as { branch: { name: string } }).branch;
      branches.push({ id: `br-${branches.length}`, name, current_state: "ready" });
      return { branch: branches.at(-1) };
    }
    // Matches substrings of names, as Neon's search does.
    if (path.startsWith("/projects/p/branches?")) return { branches };
    if (method === "GET") return comments;
    const { body: text } = body as { body: string };
    const known = comments.find(({ id }) => path.endsWith(`/comments/${id}`));
    if (known === undefined) comments.push({ id: comments.length + 1, body: text });
    else known.body = text;
    return {};
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { method = "GET", url = "/", headers } = request;
    const body: unknown = text === "" ? null : JSON.parse(text);
    const one = { method, path: url, authorization: headers.authorization ?? "", body };
    asked.push(one);
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer(one)));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, branches, comments, close: () => server.close() };
}
