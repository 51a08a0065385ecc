// The names of the adapters, for settings and rows.
export const ADAPTERS = ['http', 'transfi'] as const;

export type AdapterName = (typeof ADAPTERS)[number];
