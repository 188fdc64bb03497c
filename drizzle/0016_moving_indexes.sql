-- contract: the indexes of deposits under way know no withdrawals; deposits_moving_vault and deposits_moving_source replace them
DROP INDEX "deposits_under_way_vault";--> statement-breakpoint
DROP INDEX "deposits_under_way_source";