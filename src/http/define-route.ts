import type * as z from "zod";
import type { LimitName } from "../config/config.ts";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { Access } from "../partners/authenticate-partner.ts";

/** An HTTP method, in lowercase. */
export type Method = "get" | "post" | "put" | "patch" | "delete";

/**
 * Cache rule of a response. `sMaxAge`: seconds for which shared caches may serve it; `staleWhileRevalidate`: further
 * ones while they reload it or the Worker fails. `{name}` in `tags` stands for a parameter in lowercase, or `all` if
 * the request lacks it.
 */
export type CacheRule =
  | { sMaxAge: number; staleWhileRevalidate: number; tags?: readonly string[] }
  | "no-store";

/** The output type of a schema, or undefined if the route does not define the schema. */
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/**
 * The validated input of a request. Each part has the output type of the route's schema for it, and is undefined if the
 * route has none.
 */
export interface RouteInput<P, Q, H, B> {
  params: Parsed<P>;
  query: Parsed<Q>;
  headers: Parsed<H>;
  body: Parsed<B>;
}

/**
 * A handler's result with additional response headers or another status: 200 instead of 201 if `existing` (the resource
 * already existed), 503 if `unavailable` (the service cannot work).
 */
export class Reply<T> {
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;
  readonly existing: boolean;
  readonly unavailable: boolean;

  constructor(
    value: T,
    own: { headers?: Record<string, string>; existing?: boolean; unavailable?: boolean },
  ) {
    this.value = value;
    this.headers = own.headers ?? {};
    this.existing = own.existing ?? false;
    this.unavailable = own.unavailable ?? false;
  }
}

/**
 * Documentation of an operation. The deployed Worker does not contain it, because only the OpenAPI document shows it.
 */
export interface RouteDocumentation {
  operationId: string;
  summary: string;
  description?: string;
  tag: string;
  /** Error codes of the handler. Those of authentication, rate limiting and body size are documented automatically. */
  errors: readonly ErrorCode[];
}

/**
 * One operation of the API: its documentation, access, input, response, error codes and handler. The handler sees only
 * validated input, and may throw an AppError or a `ValidationFailure`.
 */
export interface RouteDefinition<P, Q, H, B, R extends z.ZodType> extends RouteDocumentation {
  method: Method;
  path: `/${string}`;
  /** The credentials that the operation accepts. */
  access: Access;
  /** Name of the rate limit that a request counts against, or null for no limit. Default: `reads`. */
  limit?: LimitName | null;
  /**
   * Name of an additional rate limit, counted per caller and `user_address` of the body. Requests with an API key and
   * its secret do not count.
   */
  userLimit?: LimitName;
  /**
   * Cache rule of the handler's responses to requests with a canonical URL (`isCanonicalUrl`) and without credentials.
   * Shared caches must not store any other response.
   */
  cache: CacheRule;
  params?: P;
  query?: Q;
  /** True if the route ignores undeclared query parameters instead of rejecting them. */
  ignoresUnknownQuery?: boolean;
  headers?: H;
  body?: B;
  /** Maximum size of the body in bytes. Default: 64 KiB. */
  maxBodyBytes?: number;
  response: {
    schema: R;
    description: string;
    status?: 200 | 201;
    /** Description of the 200 response for a resource that already existed; a created resource gets 201. */
    existing?: string;
    /** Description of the 503 response, for a route that reports with the same body that the service cannot work. */
    unavailable?: string;
  };
  /**
   * Time in milliseconds from the arrival of the body after which the request fails with `store_unavailable` or
   * `upstream_timeout`. Default: no deadline.
   */
  deadlineMs?: number;
  handler: (
    ctx: Context,
    input: RouteInput<P, Q, H, B>,
  ) => Promise<z.input<R> | Reply<z.input<R>>> | z.input<R> | Reply<z.input<R>>;
}

/**
 * A route without its specific input and response types, so that different routes fit in one list. The OpenAPI
 * document is generated from it.
 */
export type AnyRoute = RouteDefinition<
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  z.ZodType
>;

/** A route as the Worker serves it: without the parts that only the OpenAPI document shows. */
export type ServedRoute = Omit<AnyRoute, keyof RouteDocumentation | "response"> & {
  response: Pick<AnyRoute["response"], "schema" | "status">;
};

/** Declares an operation of the API. The types of the handler's input and result follow from the route's schemas. */
export function defineRoute<
  R extends z.ZodType,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: RouteDefinition<P, Q, H, B, R>): AnyRoute {
  // Safe, because the handler only receives input that `validate` parsed with these schemas.
  return definition as unknown as AnyRoute;
}
