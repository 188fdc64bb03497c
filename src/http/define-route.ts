import type * as z from "zod";
import type { LimitName } from "../config.ts";
import type { Context } from "../context.ts";
import type { ErrorCode } from "../errors.ts";
import type { Access } from "../partners/authenticate.ts";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** How long shared caches may serve an answer, in seconds; `no-store` for answers made for one caller. */
export type CacheRule = { sMaxAge: number; staleWhileRevalidate: number } | "no-store";

type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

/** The validated input of a request. */
export interface RouteInput<P, Q, H, B> {
  params: Parsed<P>;
  query: Parsed<Q>;
  headers: Parsed<H>;
  body: Parsed<B>;
}

/** An answer with headers of its own, or one that only shows what was there before: `existing`. */
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
 * One operation of the API: its documentation, its input, its answer and the codes it can fail with.
 * The handler translates between the wire and a verb; it sees no HTTP.
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
    /** What a 200 beside the 201 means: nothing was made, for it was there already. */
    existing?: string;
  };
  /** After how many milliseconds it is given up, with `store_unavailable` or `upstream_timeout`; absent: never. */
  deadlineMs?: number;
  /** Beyond those that any route can give. */
  errors: readonly ErrorCode[];
  handler: (
    ctx: Context,
    input: RouteInput<P, Q, H, B>,
  ) => Promise<z.input<R> | Reply<z.input<R>>> | z.input<R> | Reply<z.input<R>>;
}

/** A route whatever its input and answer are. */
export type AnyRoute = RouteDefinition<
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodObject | undefined,
  z.ZodType | undefined,
  z.ZodType
>;

/** Declares an operation; the types of its schemas flow into its handler. */
export function defineRoute<
  R extends z.ZodType,
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  H extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(definition: RouteDefinition<P, Q, H, B, R>): AnyRoute {
  // The handler is only ever called with what these very schemas parsed, see `validate`.
  return definition as unknown as AnyRoute;
}
