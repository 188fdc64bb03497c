/** Name of the entry module that `entryWithCache` writes. */
export const edgeCacheEntry = "entry-with-edge-cache.js";

/**
 * Returns the source of an entry module that gives the handlers of the module `entry` the platform's `ctx.cache`, which
 * workerd has only in production. Its purges go to the model of the cache at `control`.
 */
export const entryWithCache = ({ entry, control }: { entry: string; control: string }): string => `
import worker from "./${entry}";
const cache = {
  async purge(what) {
    const init = { method: "POST", body: JSON.stringify({ purge: what }) };
    const answer = await fetch(${JSON.stringify(control)}, init);
    await answer.arrayBuffer();
    return { success: answer.ok, errors: answer.ok ? [] : [{ message: "status " + answer.status }] };
  },
};
const withCache = (ctx) => ({
  waitUntil: (promise) => ctx.waitUntil(promise),
  passThroughOnException: () => ctx.passThroughOnException(),
  props: ctx.props,
  cache,
});
export default {
  fetch: (request, env, ctx) => worker.fetch(request, env, withCache(ctx)),
  scheduled: (event, env, ctx) => worker.scheduled(event, env, withCache(ctx)),
  queue: (batch, env, ctx) => worker.queue(batch, env, withCache(ctx)),
};
`;
