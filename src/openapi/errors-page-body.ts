import { errorCodes, errorTable } from "../errors.ts";
import { errorHelp, problemExample } from "./openapi-error-help.ts";
import { reasonHelp } from "./openapi-reason-help.ts";

/** Escapes a sentence for HTML, and marks up text in backticks as code. */
const sentenceHtml = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>");

/**
 * Returns the HTML body of the page /docs/errors, with the status, title, cause, remedy and an example of every error
 * code, and the cause and remedy of every code of `reasonHelp`, which appear only inside responses.
 */
export const errorsPageBody = (): string => `<h1>Errors</h1>
<p>Invalid input gives status 422 and the list of its errors in <code>detail</code>. Every other error is a problem document (RFC 9457) with one of these codes. Branch on <code>code</code>; titles and details may change.</p>
${errorCodes
  .map((code) => ({ code, ...errorTable[code], ...errorHelp[code] }))
  .map(
    ({ code, status, title, retryable, cause, remedy }) =>
      `<h2 class="code" id="${code}">${code}</h2>\n<p>${status}. ${title}. ${sentenceHtml(cause)}</p>\n` +
      `<p>${sentenceHtml(remedy)} ${retryable ? "The same request may succeed later." : "The same request will fail again."}</p>\n` +
      // Focusable, so that what is wider than a telephone can be scrolled by keyboard.
      `<pre tabindex="0">${sentenceHtml(JSON.stringify(problemExample(code), null, 2))}</pre>`,
  )
  .join("\n")}
<h2>Codes in responses</h2>
<p>These codes are not errors of a request. They are in <code>reasons</code> of a quote and of <code>no_route</code>, in <code>next_refusal</code> of a deposit or withdrawal, and in <code>warnings</code>; codes from the list above appear there too.</p>
${Object.entries(reasonHelp)
  .map(
    ([code, { where, cause, remedy }]) =>
      `<h2 class="code" id="${code}">${code}</h2>\n<p>In <code>${where}</code>. ${sentenceHtml(cause)} ${sentenceHtml(remedy)}</p>`,
  )
  .join("\n")}`;
