// The names of the adapters, for settings and rows.
export const ADAPTERS = ['http'] as const;

export type AdapterName = (typeof ADAPTERS)[number];
