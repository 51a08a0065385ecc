/** The version of package.json, on each line of the logs. */
export const VERSION = '0.1.0';
