/** Metrics of a process without connections to Postgres. */
export const NO_POOL = () => ({ used: 0, idle: 0, waiting: 0 });
