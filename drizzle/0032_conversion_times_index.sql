-- contract: what was tried longest ago comes first; flows_convertible replaces it
DROP INDEX "flows_unconverted";