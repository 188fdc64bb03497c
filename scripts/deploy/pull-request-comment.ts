import { z } from "zod";
import { type BearerApi, requestJson } from "./request-json.ts";

/** Hidden text that identifies this tool's comment. */
const MARK = "<!-- causeway preview -->";
const PAGE = 100;
const Comments = z.array(z.object({ id: z.int(), body: z.string().nullish() }));

/**
 * Writes the one comment of this tool on a pull request of `repository` (`owner/name`), or replaces its text. Throws as
 * `requestJson` does.
 */
export async function writeComment(
  github: BearerApi & { repository: string },
  { pullRequest, text }: { pullRequest: number; text: string },
): Promise<void> {
  const issues = `/repos/${github.repository}/issues`;
  const body = { body: `${MARK}\n${text}` };
  for (let page = 1; ; page++) {
    const path = `${issues}/${pullRequest}/comments?per_page=${PAGE}&page=${page}`;
    const comments = Comments.parse(await requestJson(github, { path }));
    const ours = comments.find((one) => one.body?.startsWith(MARK) === true);
    if (ours !== undefined) {
      await requestJson(github, { method: "PATCH", path: `${issues}/comments/${ours.id}`, body });
      return;
    }
    if (comments.length < PAGE) break;
  }
  await requestJson(github, { method: "POST", path: `${issues}/${pullRequest}/comments`, body });
}
