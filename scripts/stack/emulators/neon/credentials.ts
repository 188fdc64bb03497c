import { Refused } from "./refused.ts";

/** The credentials that a connection string must contain. */
export interface Credentials {
  user: string;
  password: string;
  database: string;
}

/** Checks the `Neon-Connection-String` header. Throws {@link Refused} with the real proxy's wording. */
export function checkCredentials(expected: Credentials, header: string | string[] | undefined): void {
  if (typeof header !== "string") throw new Refused("invalid header: neon-connection-string");
  let url: URL;
  try {
    url = new URL(header);
  } catch {
    throw new Refused("invalid connection string: not a URL");
  }
  if (!/^postgres(ql)?:$/.test(url.protocol))
    throw new Refused("invalid connection string: incorrect scheme");
  const user = decodeURIComponent(url.username);
  if (url.password === "") throw new Refused("missing authentication credentials: required password");
  if (user !== expected.user || decodeURIComponent(url.password) !== expected.password)
    throw new Refused(`password authentication failed for user '${user}'`);
  const database = decodeURIComponent(url.pathname.slice(1));
  if (database !== expected.database) throw new Refused(`database "${database}" does not exist`, "3D000");
}
