// The names of the adapters, for settings and rows, and what a confirm must know of them.
export const ADAPTERS = ['http', 'musepay', 'transfi'] as const;

export type AdapterName = (typeof ADAPTERS)[number];

/** Whether its orders are in the payee's currency, so that it needs a code with an amount. */
export const NEEDS_LOCAL: Readonly<Record<AdapterName, boolean>> = {
  ...{ http: false, musepay: true, transfi: true },
};
