CREATE INDEX "deposits_deposit_tx" ON "deposits" USING btree ("deposit_tx_hash");--> statement-breakpoint
CREATE INDEX "deposits_claim_tx" ON "deposits" USING btree ("claim_tx_hash");--> statement-breakpoint
CREATE INDEX "deposits_refund_tx" ON "deposits" USING btree ("refund_tx_hash");--> statement-breakpoint
CREATE INDEX "deposits_source_data" ON "deposits" USING btree ("source_data_hash");