/**
 * Beginning of the request id of flows that belong to deposit requests. The ids of redemption requests have another one,
 * because some families number deposit and redemption requests separately.
 */
export const DEPOSIT_REQUEST = "deposit:";

/** Returns the id by which flows name a deposit request, from the family's own id of the request. */
export const toFlowRequestId = (requestId: string): string => `${DEPOSIT_REQUEST}${requestId}`;

/** Returns a family's own id of a deposit request from that of a flow; null if the flow belongs to no such request. */
export const depositRequestOf = (flowRequestId: string): string | null =>
  flowRequestId.startsWith(DEPOSIT_REQUEST) ? flowRequestId.slice(DEPOSIT_REQUEST.length) : null;

/** Beginning of the request id of flows that belong to redemption requests that others made for the account. */
const RECEIVED_REQUEST = "received:";

/** Returns the id by which flows name a redemption request that another account made for theirs. */
export const toReceivedRequestId = (requestId: string): string => `${RECEIVED_REQUEST}${requestId}`;

/** Returns a family's own id of such a redemption request from that of a flow; null if the flow belongs to none. */
export const receivedRequestOf = (flowRequestId: string): string | null =>
  flowRequestId.startsWith(RECEIVED_REQUEST) ? flowRequestId.slice(RECEIVED_REQUEST.length) : null;
