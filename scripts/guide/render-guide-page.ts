import { Marked } from "marked";

/** Returns a heading's id: its words in lower case, joined by hyphens. */
export const headingId = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");

const marked = new Marked({
  gfm: true,
  renderer: {
    heading({ tokens, depth, text }) {
      return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
  },
  hooks: {
    // Wide tables and code scroll by themselves, by keyboard too, so that a page is never wider than a telephone.
    postprocess: (html) =>
      html
        .replaceAll("<table>", '<div class="table" tabindex="0"><table>')
        .replaceAll("</table>", "</table></div>")
        .replaceAll("<pre>", '<pre tabindex="0">'),
  },
});

/**
 * Renders a page of the guide from Markdown to the HTML of its body. HTML in the Markdown is kept, so the text must be
 * trusted.
 */
export function renderGuidePage(markdown: string): string {
  return marked.parse(markdown, { async: false });
}
