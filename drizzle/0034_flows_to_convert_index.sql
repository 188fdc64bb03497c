-- contract: flows without shares are converted too; flows_to_convert replaces it
DROP INDEX "flows_convertible";