CREATE TABLE "idempotency" (
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"body_hash" text NOT NULL,
	"owner" text NOT NULL,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	"response" jsonb,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "idempotency_scope_key_pk" PRIMARY KEY("scope","key")
);
--> statement-breakpoint
CREATE INDEX "idempotency_age" ON "idempotency" USING btree ("claimed_at");