import type * as z from "zod";
import type { LimitName } from "../config.ts";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { Access } from "../partners/authenticate-request.ts";

/** An HTTP method in lower case. */
export type Method = "get" | "post" | "put" | "patch" | "delete";

/** Cache lifetime of a response in shared caches, seconds; `no-store` for responses to one caller. */
export type CacheRule = { sMaxAge: number; staleWhileRevalidate: number } | "no-store";

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** Validated input of a request, by the types of its schemas. */
export interface RouteInput<P, Q, H, B> {
  params: Parsed<P>;
  query: Parsed<Q>;
  headers: Parsed<H>;
  body: Parsed<B>;
}

/** A response with additional headers, or of a resource that existed already (status 200 instead of 201). */
export class Reply<T> {
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;
  readonly existing: boolean;

  constructor(value: T, own: { headers?: Record<string, string>; existing?: boolean }) {
    this.value = value;
    this.headers = own.headers ?? {};
    this.existing = own.existing ?? false;
  }
}

/**
 * One operation of the API: documentation, access, input, response and error codes. The handler translates between wire
 * format and verb and knows nothing of HTTP.
 */
export interface RouteDefinition<P, Q, H, B, R extends z.ZodType> {
  operationId: string;
  method: Method;
  path: `/${string}`;
  summary: string;
  description?: string;
  tag: string;
  /** Who may call the operation; decides its cross-origin rules too. */
  access: Access;
  /** The rate limit that a call counts against; null: none. Default: `reads`. */
  limit?: LimitName | null;
  cache: CacheRule;
  params?: P;
  query?: Q;
  headers?: H;
  body?: B;
  response: {
    schema: R;
    description: string;
    status?: 200 | 201;
    /** Description of the 200 response of a resource that existed already, besides the 201. */
    existing?: string;
  };
  /** Milliseconds until the request fails with `store_unavailable` or `upstream_timeout`. Default: no deadline. */
  deadlineMs?: number;
  /** Error codes of the handler, besides those of authentication, rate limiting and validation. */
  errors: readonly ErrorCode[];
  handler: (
    ctx: Context,
    input: RouteInput<P, Q, H, B>,
  ) => Promise<z.input<R> | Reply<z.input<R>>> | z.input<R> | Reply<z.input<R>>;
}

/** A route with any input and response. */
export type AnyRoute = RouteDefinition<
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  z.ZodType
>;

/** Declares an operation. The schemas determine the types of its handler. */
export function defineRoute<
  R extends z.ZodType,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: RouteDefinition<P, Q, H, B, R>): AnyRoute {
  // `validate` calls the handler only with the output of these schemas.
  return definition as unknown as AnyRoute;
}
