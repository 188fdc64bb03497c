-- contract: a bundle may hold a deposit and the second step of a withdrawal; deposits_proven_direction_tx replaces it
DROP INDEX "deposits_proven_user_tx";