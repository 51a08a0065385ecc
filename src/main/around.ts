// What may stand around the ports of a process: in production nothing. The harness that kills a process before and after
// each of its effects is put in here from outside (docs/reliability.md), so that no way to die lives in the product.

/** Answers what is used in the port's place. */
export type Around = <Port extends object>(name: string, port: Port) => Port;

export const asItIs: Around = (_name, port) => port;
