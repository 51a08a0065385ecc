// A seam around the ports of a process. Production passes them through unchanged; the chaos harness
// wraps them to kill the process before and after each effect (docs/reliability.md), so that the
// product itself holds no code for that.

/** Returns what the process uses in place of the port. */
export type Around = <Port extends object>(name: string, port: Port) => Port;

export const asItIs: Around = (_name, port) => port;
