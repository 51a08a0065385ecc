// The names of the adapters, for settings and rows.
export const ADAPTERS = ['http', 'musepay', 'transfi'] as const;

export type AdapterName = (typeof ADAPTERS)[number];
